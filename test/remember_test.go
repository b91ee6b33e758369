// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
)

// remembering is a memory with one note of the person, and a clock that stands.
func remembering(t testing.TB) *fovea.Memory {
	t.Helper()
	w := &world{t: t, dir: t.TempDir()}
	w.write(map[string]string{"mine.org": "* Rivets come on Tuesday\nFrom the yard.\n"})
	m, err := fovea.Open(t.Context(), w.dir, &fovea.Options{
		StateDir: filepath.Join(t.TempDir(), "state"), Now: func() time.Time { return time.Date(2026, 11, 21, 18, 0, 0, 0, time.UTC) },
	})
	if err == nil {
		t.Cleanup(func() { m.Close() })
		err = m.Ingest(t.Context(), nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// kept is what Remember answers.
type kept struct {
	ID      string
	Commit  fovea.Commit
	Known   bool
	Similar []string
}

func remember(ctx context.Context, m *fovea.Memory, under, title, body string) (kept, error) {
	c, id, similar, err := m.Notes().Remember(ctx, under, document.InsertHeadline{Title: title, Body: body}, nil)
	return kept{ID: id, Commit: c, Known: err == nil && c.Seq == 0, Similar: similar}, err
}

// keep keeps a note of the agent ada.
func keep(t testing.TB, m *fovea.Memory, title, body string) (kept, error) {
	t.Helper()
	return remember(fovea.WithActor(t.Context(), author.Actor{Author: author.Named("ada"), May: anywhere, Session: "s1"}), m, "agents/ada/", title, body)
}

func TestRemember(t *testing.T) {
	m := remembering(t)
	r, err := keep(t, m, "The gauge speaks LoRa", "On 868 MHz.")
	if err != nil {
		t.Fatal(err)
	}
	text, _ := m.View().Text("agents/ada/2026-11.org")
	want := "* The gauge speaks LoRa\n:PROPERTIES:\n:ID: " + r.ID + `
:AUTHOR: ada
:SESSION: s1
:CREATED: [2026-11-21 Sat 18:00]
:TRUST: unreviewed
:END:
On 868 MHz.
`
	if diff := cmp.Diff(want, unpadded(text)); diff != "" {
		t.Errorf("the file (-want +got):\n%s", diff)
	}
	if r.Commit.Author != author.Named("ada") || r.Commit.Session != "s1" || r.Commit.Seq != 2 {
		t.Errorf("commit %+v", r.Commit)
	}
	c, err := remember(t.Context(), m, "inbox.org", "Mine", "own")
	if text, _ := m.View().Text("inbox.org"); err != nil || strings.Contains(text, "TRUST") || c.Commit.Author != byOwner {
		t.Errorf("the person's own note: %q, %v", text, err)
	}
}

// unpadded takes the padding of property values away.
func unpadded(text string) string {
	for strings.Contains(text, ":  ") {
		text = strings.ReplaceAll(text, ":  ", ": ")
	}
	return text
}

// TestRememberAgain: what is there already, whoever wrote it, is answered and not
// written; what is only similar is written.
func TestRememberAgain(t *testing.T) {
	m := remembering(t)
	mine := get(t, m.View(), "Rivets come on Tuesday").ID
	for _, c := range []struct {
		name, title, body string
		known             bool
		similar           []string
	}{
		{"folded", "rivets  come on TUESDAY", "  from the\n\tyard.", true, nil},
		{"another text", "Rivets come on Tuesday", "From the old yard.", false, []string{mine}},
		{"another title", "Lunch", "Soup at noon, for all who worked on the hull.", false, nil},
		{"decomposed", "Cafe\u0301", "x", false, nil},
		{"composed", "CAF\u00c9", "x", true, nil},
	} {
		seq := m.View().Head().Seq
		r, err := keep(t, m, c.title, c.body)
		if err != nil || r.Known != c.known || (m.View().Head().Seq == seq) != c.known || !slices.Equal(r.Similar, c.similar) {
			t.Errorf("%s: %+v, %v", c.name, r, err)
		}
		if n, ok := m.View().Get(r.ID); !ok || c.name == "folded" && n.ID != mine {
			t.Errorf("%s: answered %q", c.name, r.ID)
		}
	}
}

// TestRememberTogether: notes that wait for one file are written in one step, each as
// a commit of its own, and come back as they were after a restart.
func TestRememberTogether(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "#+title: Notes\n\n* One\n\n* Two\n\n* Three\ntext"})
	w.ingest()
	before := w.m.View().Head().Seq
	if err := rememberTogether(t.Context(), w.m, "a.org", "Four", "Five", "Six"); err != nil {
		t.Fatal(err)
	}
	head := w.m.View().Head()
	if head.Seq != before+3 {
		t.Errorf("%d commits, want 3", head.Seq-before)
	}
	log, err := w.m.History().Log(t.Context(), "", 3)
	if err != nil || len(log) != 3 || log[0].Message != "a.org: Six" || log[0].Op == log[1].Op {
		t.Errorf("log %+v, %v", log, err)
	}
	at, err := w.m.History().At(t.Context(), fmt.Sprintf("seq:%d", before+2))
	if err != nil {
		t.Fatal(err)
	}
	middle, _ := at.Text("a.org")
	if text := w.onDisk()["a.org"]; !strings.HasPrefix(text, middle) || !strings.Contains(middle, "Five") || strings.Contains(middle, "Six") {
		t.Errorf("after five: %q\nin the end: %q", middle, text)
	}
	w.reopen()
	if got := w.m.View().Head(); got.Digest != head.Digest || w.ingest().Head().Seq != head.Seq {
		t.Errorf("opened again: %+v, want %+v", got, head)
	}
	if _, problems, err := w.m.Mending().Verify(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("verify: %v, %v", problems, err)
	}
}

// TestRememberManyCallers: each of many callers at once has its note and its commit.
func TestRememberManyCallers(t *testing.T) {
	m := remembering(t)
	var wg sync.WaitGroup
	const callers, each = 16, 6
	ids := make([][]string, callers)
	for i := range callers {
		wg.Go(func() {
			for k := range each {
				ctx := fovea.WithActor(t.Context(), author.Actor{Author: author.Named(fmt.Sprintf("agent%d", i%2)), May: anywhere})
				_, id, _, err := m.Notes().Remember(ctx, "agents/all/", document.InsertHeadline{Title: fmt.Sprintf("Note %d of %d", k/2, i), Body: "text"},
					withKey(fmt.Sprintf("op-%d-%d", i, k/2))) // each comes twice
				if err != nil {
					t.Error(err)
					return
				}
				ids[i] = append(ids[i], id)
			}
		})
	}
	wg.Wait()
	all := slices.Concat(ids...)
	slices.Sort(all)
	if all = slices.Compact(all); len(all) != callers*each/2 || m.View().Head().Seq != 1+callers*each/2 {
		t.Errorf("%d notes in %d commits", len(all), m.View().Head().Seq-1)
	}
	for _, id := range all {
		if _, ok := m.View().Get(id); !ok {
			t.Errorf("%s is not there", id)
		}
	}
}

// TestRememberRotates: a file that has 256 KiB is followed by another.
func TestRememberRotates(t *testing.T) {
	m := remembering(t)
	body := strings.Repeat("A line that fills the file and says nothing.\n", 1300)
	for i := range 6 {
		if _, err := keep(t, m, fmt.Sprintf("Long %d", i), fmt.Sprint(i)+body); err != nil {
			t.Fatal(err)
		}
	}
	var paths []string
	for d := range m.View().Documents() {
		paths = append(paths, d.Path)
	}
	if diff := cmp.Diff([]string{"agents/ada/2026-11-2.org", "agents/ada/2026-11.org", "mine.org"}, paths); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if _, err := keep(t, m, "Too long", strings.Repeat("x", 65<<10)); fovea.KindOf(err) != fovea.Invalid {
		t.Errorf("a note of 65 KiB: %v", err)
	}
}
