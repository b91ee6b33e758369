// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/embed"
	"github.com/fovea-memory/fovea/internal/meaning"
)

// meant opens a memory with the built-in embedder over a file.
func meant(t *testing.T, text string) (m *fovea.Memory, state string) {
	t.Helper()
	dir, state := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "notes.org"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	connect := func(ctx context.Context) (embed.Embedder, error) { return embed.Open(ctx, embed.Config{}) }
	m, err := fovea.Open(t.Context(), dir, &fovea.Options{StateDir: state, Embedder: connect})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	if err := errors.Join(m.Ingest(t.Context(), nil), m.Meaning().Fill(t.Context(), nil)); err != nil {
		t.Fatal(err)
	}
	return m, state
}

// vectorFiles returns the bytes of the files of vectors.
func vectorFiles(t *testing.T, state string) (size int64) {
	t.Helper()
	files, err := os.ReadDir(filepath.Join(state, "vectors"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	return size
}

// TestVectorsOfAMemory: notes have vectors, they are searched by, and go with a purge.
func TestVectorsOfAMemory(t *testing.T) {
	m, state := meant(t, "* The boiler\nIt was repaired on Monday.\n* The cat\nIt sleeps.\n* Secret\n"+secret+"\n")
	if s := m.Status(); s.PendingEmbeddings != 0 || !strings.HasPrefix(s.Embedder, "lexical, 3 ") {
		t.Errorf("%q, %d", s.Embedder, s.PendingEmbeddings)
	}
	v, err := meaning.View(t.Context(), m.Meaning(), m.View(), meaning.Request{Mode: meaning.Semantic, Text: "repairs of boilers"})
	if err != nil {
		t.Fatal(err)
	}
	hits, err := v.Search("repairs of boilers", 1, nil, time.Time{})
	if err != nil || len(hits) != 1 || hits[0].Node.Title() != "The boiler" || hits[0].Cosine <= 0 {
		t.Fatalf("%v, %+v", err, hits)
	}
	if vectorFiles(t, state) == 0 {
		t.Fatal("no vectors are kept")
	}
	if _, err := m.Notes().Forget(t.Context(), nodeTitled(t, m, "Secret"), nil); err != nil {
		t.Fatal(err)
	}
	if _, _, err := m.Mending().Purge(t.Context(), nil, secret, nil); err != nil {
		t.Fatal(err)
	}
	if size := vectorFiles(t, state); size != 0 {
		t.Errorf("%d bytes of vectors outlive a purge", size)
	}
	if err := m.Meaning().Fill(t.Context(), nil); err != nil || m.Meaning().Status().Vectors != 2 {
		t.Errorf("%v, %+v", err, m.Meaning().Status())
	}
}

func nodeTitled(t *testing.T, m *fovea.Memory, title string) string {
	t.Helper()
	n, err := m.View().Resolve(title)
	if err != nil {
		t.Fatal(err)
	}
	return n.ID
}
