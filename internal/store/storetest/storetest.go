// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// Run checks a store. newHistory makes an empty history; what it returns opens the
// history, again and again: each store is closed before the next one is opened.
func Run(t *testing.T, newHistory func(t *testing.T) (open func() store.Store)) {
	for _, c := range []struct {
		name string
		test func(*history)
	}{
		{"Empty", testEmpty},
		{"AppendReplay", testAppendReplay},
		{"ReplayEnds", testReplayEnds},
		{"AppendTogether", testAppendTogether},
		{"AppendRefused", testAppendRefused},
		{"Blocks", testBlocks},
		{"Commits", testCommits},
		{"CallsInside", testCallsInside},
		{"Rewrite", testRewrite},
		{"Head", testHead},
		{"Images", testImages},
		{"ImageRefused", testImageRefused},
		{"RemoveImages", testRemoveImages},
		{"Stop", testStop},
		{"Close", testClose},
		{"Size", testSize},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := &history{T: t, open: newHistory(t)}
			h.s = h.open()
			c.test(h)
			if err := h.s.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		})
	}
}

// history is a store under test.
type history struct {
	*testing.T
	open func() store.Store
	s    store.Store
}

// reopen closes the store and opens it again.
func (h *history) reopen() {
	h.Helper()
	if err := h.s.Close(); err != nil {
		h.Fatal(err)
	}
	h.s = h.open()
}

// entry is a store.Record that owns its data.
type entry struct {
	Kind  store.Kind
	Batch uint64
	Pos   store.Pos
	Data  string
}

// append appends records of these kinds, with data that identifies them, and returns
// the position after them.
func (h *history) append(name string, kinds ...store.Kind) store.Pos {
	h.Helper()
	var b store.Batch
	for i, k := range kinds {
		b.Add(k, dataOf(name, i))
	}
	end, err := h.s.Append(h.Context(), &b)
	if err != nil {
		h.Fatal(err)
	}
	return end
}

// dataOf is the data of the i-th record of a batch. It begins with the name of the batch.
func dataOf(name string, i int) []byte {
	return bytes.Repeat(fmt.Appendf(nil, "%s %d;", name, i), 1+3*i)
}

func (h *history) replay(from store.Pos) []entry {
	h.Helper()
	var got []entry
	if err := h.s.Replay(from, func(r store.Record) error {
		got = append(got, entry{r.Kind, r.Batch, r.Pos, string(r.Data)})
		return nil
	}); err != nil {
		h.Fatal(err)
	}
	return got
}

func (h *history) commits(span store.Span) []string {
	h.Helper()
	var got []string
	if err := h.s.Commits(h.Context(), span, func(r store.Record) error {
		if r.Kind != store.Commit {
			h.Errorf("record %v is no commit but a %v", r.Pos, r.Kind)
		}
		got = append(got, string(r.Data))
		return nil
	}); err != nil {
		h.Fatal(err)
	}
	return got
}

// block checks what Block returns for data: the data itself, or an error where want is one.
func (h *history) block(data []byte, want error) {
	h.Helper()
	got, err := h.s.Block(merkle.Sum(data))
	switch {
	case want != nil:
		h.fails(err, want)
	case err != nil || !bytes.Equal(got, data):
		h.Errorf("block %.20q: got %.20q, %v", data, got, err)
	}
	for i := range got {
		got[i]++ // the caller owns it
	}
}

// fails checks that an error is one, by errors.Is.
func (h *history) fails(err, want error) {
	h.Helper()
	if !errors.Is(err, want) {
		h.Errorf("error %v, want %v", err, want)
	}
}

// equal compares values of exported fields.
func (h *history) equal(what string, got, want any) {
	h.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		h.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// errorOf returns the second of two results.
func errorOf(_ any, err error) error { return err }
