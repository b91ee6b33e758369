// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"errors"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/internal/write"
	"github.com/fovea-memory/fovea/merkle"
)

// TestEarlierIntentIsRefused: a memory whose journal ends with what an earlier build began is not opened, each
// time anew, and the error says what ends it.
func TestEarlierIntentIsRefused(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* A\n"})
	w.ingest()
	if err := w.m.Close(); err != nil {
		t.Fatal(err)
	}
	in, err := vfs.Dir(w.state)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scope.OpenCopy(in, w.dir)
	if err != nil {
		t.Fatal(err)
	}
	var b store.Batch
	b.Add(store.Intent, merkle.AppendUint(merkle.AppendList(nil, 1), 3))
	if _, err := s.Append(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Close(), in.Close()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		m, err := fovea.Open(t.Context(), w.dir, &fovea.Options{StateDir: w.state})
		if !errors.Is(err, write.ErrEarlier) || !strings.Contains(err.Error(), "open the memory once with that build") {
			t.Fatalf("got %v, %v", m, err)
		}
	}
}
