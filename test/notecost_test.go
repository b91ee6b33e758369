// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/store"
)

// BenchmarkNoteAmongSiblings keeps notes of 300 bytes in a file that has siblings of
// that size already: what one note takes in the journal, in bytes.
func BenchmarkNoteAmongSiblings(b *testing.B) {
	for _, siblings := range []int{0, 100, 900} {
		b.Run(fmt.Sprint(siblings), func(b *testing.B) {
			w := amongSiblings(b, siblings)
			before := w.journalled()
			b.ResetTimer()
			for i := range b.N {
				w.note(siblings + i)
			}
			b.StopTimer()
			b.ReportMetric(float64(w.journalled()-before)/float64(b.N), "journal-B/note")
		})
	}
}

const siblingsFile = "agents/ada/notes.org"

// amongSiblings is a memory whose file of notes has so many.
func amongSiblings(t testing.TB, siblings int) *world {
	w := &world{t: t, dir: t.TempDir(), state: t.TempDir() + "/state"}
	var text strings.Builder
	for i := range siblings {
		fmt.Fprintf(&text, "* Note number %d\n:PROPERTIES:\n:ID:       00000000-0000-4000-8000-%012d\n:AUTHOR:   ada\n:CREATED:  [2026-11-21 Sat 18:00]\n"+
			":TRUST:    unreviewed\n:END:\n%s\n", i, i, gaugeNote(i))
	}
	w.write(map[string]string{"mine.org": "* Rivets\n", siblingsFile: text.String()})
	m, err := fovea.Open(t.Context(), w.dir, &fovea.Options{
		StateDir: w.state, Now: func() time.Time { return time.Date(2026, 11, 21, 18, 0, 0, 0, time.UTC) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	w.m = m
	w.ingest()
	return w
}

// gaugeNote is a text that makes a note of about 300 bytes with its drawer.
func gaugeNote(i int) string {
	return fmt.Sprintf("The %d. gauge of %d speaks about the rivets that came on day %d, and of the yard that sent them in crates of pine.", i, i/7, i%11)
}

func (w *world) note(i int) {
	w.t.Helper()
	ctx := fovea.WithActor(w.t.Context(), author.Actor{Author: author.Named("ada"), May: anywhere})
	if _, _, _, err := w.m.Notes().Remember(ctx, siblingsFile, document.InsertHeadline{Title: fmt.Sprintf("Note number %d", i), Body: gaugeNote(i)},
		nil); err != nil {
		w.t.Fatal(err)
	}
}

// journalled is what all records of the journal take, in bytes, frames apart.
func (w *world) journalled() (bytes int) {
	w.t.Helper()
	w.records(func(_ store.Kind, data []byte) { bytes += len(data) })
	return bytes
}
