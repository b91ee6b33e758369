// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package store_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/store/storetest"
)

func TestInMemory(t *testing.T) {
	storetest.Run(t, func(*testing.T) func() store.Store { return new(storetest.InMemory).Open })
}

func TestBatch(t *testing.T) {
	var b store.Batch
	b.Grow(-1)
	b.Grow(1 << 10)
	if b.Len() != 0 || b.Size() != 0 || b.IsDeferred() || b.Err() != nil {
		t.Error("the zero batch is not empty")
	}
	b.Defer()
	type record struct {
		kind store.Kind
		data string
	}
	want := []record{{store.Block, ""}, {store.Mark, "1234"}, {store.Commit, "12345"}, {store.Intent, "x"}}
	size := 0
	for _, r := range want {
		data := []byte(r.data)
		b.Add(r.kind, data)
		clear(data) // it was copied
		size += store.RecordSize(len(r.data))
	}
	var got []record
	for k, data := range storetest.RecordsOf(&b) {
		got = append(got, record{k, string(data)})
	}
	if !slices.Equal(got, want) || b.Len() != len(want) || b.Size() != int64(size) || len(b.Bytes()) != size || b.IsDeferred() {
		t.Errorf("got %v: %d records, %d bytes, want %v in %d bytes", got, b.Len(), b.Size(), want, size)
	}
	for range storetest.RecordsOf(&b) {
		break
	}
	b.Add(6, nil)
	if !errors.Is(b.Err(), store.ErrKind) {
		t.Errorf("error %v", b.Err())
	}
	var large store.Batch
	large.Add(store.Block, make([]byte, store.MaxData+1))
	if !errors.Is(large.Err(), store.ErrTooLarge) || large.Len() != 0 {
		t.Errorf("error %v", large.Err())
	}
}

func TestTexts(t *testing.T) {
	for want, got := range map[string]string{
		"block": store.Block.String(), "intent": store.Intent.String(), "commit": store.Commit.String(),
		"mark": store.Mark.String(), "pad": store.Pad.String(), "kind 0": store.Kind(0).String(), "kind 6": store.Kind(6).String(),
		"3:72": store.Pos{Segment: 3, Offset: 72}.String(), "block was purged by commit 9": (&store.Purged{By: 9}).Error(),
		"pack/x: byte 3: gone": (&store.Corruption{File: "pack/x", Offset: 3, Reason: "gone"}).Error(),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
