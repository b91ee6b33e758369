// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"errors"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

func testHead(h *history) {
	want := store.Head{Seq: 3, Commit: merkle.Sum([]byte("c"))}
	h.append("a", store.Commit)
	h.s.SetHead(want)
	h.equal("head", h.s.Head(), want)
	for range 2 {
		h.reopen()
		h.equal("head after a close", h.s.Head(), want)
	}
}

// imageOf is an image with some sections, one of them empty.
func (h *history) imageOf(seq uint64) store.Image {
	return store.Image{Seq: seq, Commit: merkle.Sum([]byte{byte(seq)}), At: h.s.End(), Sections: []store.Section{
		{Name: "nodes", Data: dataOf("nodes", int(seq))},
		{Name: "empty", Data: []byte{}},
		{Name: "words", Data: dataOf("words", 9), Derived: true},
	}}
}

func (h *history) writeImage(img store.Image) {
	h.Helper()
	if err := h.s.WriteImage(img); err != nil {
		h.Fatal(err)
	}
}

// loads checks that an image is the newest, and returns it.
func (h *history) loads(want store.Image) *store.Image {
	h.Helper()
	got, err := h.s.LoadImage()
	if err != nil {
		h.Fatal(err)
	}
	h.equal("image", *got, want)
	return got
}

func testImages(h *history) {
	for seq := uint64(1); seq < 5; seq++ {
		h.append("a", store.Commit)
		given, want := h.imageOf(seq), h.imageOf(seq)
		h.writeImage(given)
		given.Sections[0].Data[0]++ // the store has its own
		got := h.loads(want)
		if data, ok := got.Section("words"); !ok || string(data) != string(dataOf("words", 9)) {
			h.Errorf("section words: %.20q, %v", data, ok)
		}
		if data, ok := got.Section("none"); ok {
			h.Errorf("section none: %.20q", data)
		}
		got.Sections[0].Data[0]++ // the caller's own
		h.loads(want)
		h.append("b", store.Commit)
		h.equal("records behind the image", len(h.replay(want.At)), 1)
		if seq%2 == 0 {
			h.reopen()
			h.loads(want)
		}
	}
	newest := h.imageOf(9)
	h.writeImage(newest)
	h.writeImage(h.imageOf(2)) // an older one does not take its place
	h.loads(newest)
	newest.Sections = newest.Sections[1:]
	h.writeImage(newest) // once more for the same commit
	h.loads(newest)
}

func testImageRefused(h *history) {
	h.append("a", store.Commit)
	want := h.imageOf(1)
	h.writeImage(want)
	section := func(names ...string) (all []store.Section) {
		for _, name := range names {
			all = append(all, store.Section{Name: name})
		}
		return all
	}
	for _, c := range []struct {
		name     string
		sections []store.Section
		err      error
	}{
		{"no name", section(""), store.ErrSection},
		{"long name", section(strings.Repeat("n", store.MaxSectionName+1)), store.ErrSection},
		{"twice", section("a", "b", "a"), store.ErrSection},
		{"space", section("a b"), store.ErrSection},
		{"umlaut", section("wörter"), store.ErrSection},
		{"many", slices.Repeat(section("a"), store.MaxSections+1), store.ErrTooLarge},
	} {
		if err := h.s.WriteImage(store.Image{Seq: 2, At: h.s.End(), Sections: c.sections}); !errors.Is(err, c.err) {
			h.Errorf("%s: error %v, want %v", c.name, err, c.err)
		}
	}
	h.loads(want)
	if err := h.s.Err(); err != nil {
		h.Errorf("a refused image made the store read-only: %v", err)
	}
	longest := h.imageOf(3)
	longest.Sections[0].Name = strings.Repeat("n", store.MaxSectionName)
	h.writeImage(longest)
	h.loads(longest)
}

func testRemoveImages(h *history) {
	h.append("a", store.Commit)
	h.writeImage(h.imageOf(1))
	h.writeImage(h.imageOf(2))
	if err := h.s.RemoveImages(2); err != nil {
		h.Fatal(err)
	}
	h.loads(h.imageOf(2))
	if err := h.s.RemoveImages(3); err != nil {
		h.Fatal(err)
	}
	h.fails(errorOf(h.s.LoadImage()), store.ErrNoImage)
}

func testStop(h *history) {
	h.append("a", store.Block, store.Commit)
	img := h.imageOf(1)
	h.writeImage(img)
	cause := errors.New("a good reason")
	h.s.Stop(cause)
	h.s.Stop(&store.Corruption{Reason: "another reason"})
	h.fails(h.s.Err(), store.ErrReadOnly)
	h.fails(h.s.Err(), cause)
	for name, err := range h.writes() {
		if !errors.Is(err, store.ErrReadOnly) || !errors.Is(err, cause) {
			h.Errorf("%s: error %v, want %v", name, err, cause)
		}
	}
	if c := h.s.Recovery().Corrupt; c == nil || c.Reason != "another reason" {
		h.Errorf("recovery names %v", c)
	}
	h.block(dataOf("a", 0), nil) // what is there can be read
	h.loads(img)
	h.equal("records", len(h.replay(store.Pos{})), 2)
	h.reopen()
	if err := h.s.Err(); err != nil || h.s.Recovery().Corrupt != nil {
		h.Errorf("opened again: %v, %+v", err, h.s.Recovery())
	}
	h.append("b", store.Commit)
}

// writes calls all that writes, and returns the errors.
func (h *history) writes() map[string]error {
	var b store.Batch
	b.Add(store.Block, []byte("x"))
	return map[string]error{
		"append": errorOf(h.s.Append(h.Context(), &b)), "append nothing": errorOf(h.s.Append(h.Context(), &store.Batch{})),
		"write image": h.s.WriteImage(store.Image{Seq: 2}), "sync": h.s.Sync(), "rewrite": h.s.Rewrite(h.Context(), nil),
		"remove images": h.s.RemoveImages(9), "pack": h.s.Pack(h.Context()),
	}
}

func testClose(h *history) {
	h.append("a", store.Block, store.Commit)
	h.writeImage(h.imageOf(1))
	for range 2 {
		if err := h.s.Close(); err != nil {
			h.Fatal(err)
		}
	}
	never := func(store.Record) error { h.Error("a closed store gives records"); return nil }
	calls := h.writes()
	calls["block"] = errorOf(h.s.Block(merkle.Sum(dataOf("a", 0))))
	calls["commits"] = h.s.Commits(h.Context(), store.Span{From: 1, To: 1}, never)
	calls["replay"] = h.s.Replay(store.Pos{}, never)
	calls["load image"] = errorOf(h.s.LoadImage())
	calls["check"] = errorOf(h.s.Check(h.Context(), func(c store.Corruption) { h.Error(c) }))
	calls["in place"] = h.s.InPlace()
	for name, err := range calls {
		if !errors.Is(err, store.ErrClosed) {
			h.Errorf("%s: error %v, want %v", name, err, store.ErrClosed)
		}
	}
	h.s = h.open()
	h.equal("records", len(h.replay(store.Pos{})), 2)
}

func testSize(h *history) {
	before, err := h.s.Size()
	h.append("a", store.Block)
	after, err2 := h.s.Size()
	if err != nil || err2 != nil || after < before+int64(len(dataOf("a", 0))) {
		h.Errorf("a record of %d bytes made %d bytes out of %d: %v, %v", len(dataOf("a", 0)), after, before, err, err2)
	}
}
