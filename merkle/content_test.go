// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// noise returns n bytes that depend only on n and do not repeat.
func noise(n int) string {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(b)
	return string(b)
}

func someKids(n int) []Digest {
	kids := make([]Digest, n)
	for i := range kids {
		kids[i] = Sum(binary.BigEndian.AppendUint32(nil, uint32(i)))
	}
	return kids
}

var contentSizes = []int{0, 1, ChunkSize - 1, ChunkSize, ChunkSize + 1, 300 << 10, ListSize * ChunkSize, ListSize*ChunkSize + 1}

func TestContent(t *testing.T) {
	for _, n := range contentSizes {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			want := noise(n)
			blocks := blockSet{}
			block, err := AppendContent(nil, want, blocks.put)
			if err != nil {
				t.Fatal(err)
			}
			if silent, err := AppendContent(nil, want, nil); err != nil || string(silent) != string(block) {
				t.Errorf("without emit the value differs; error %v", err)
			}
			if (n <= ChunkSize) != (len(blocks) == 0) {
				t.Errorf("%d blocks for %d bytes", len(blocks), n)
			}
			checkBlocks(t, block, blocks)
			r := NewReader(block)
			got, err := ReadContent(r, blocks.get)
			if err != nil || got != want || r.Done() != nil {
				t.Errorf("ReadContent: %d bytes, %v, %v", len(got), err, r.Done())
			}
		})
	}
}

func TestKids(t *testing.T) {
	for _, n := range []int{0, 1, 2, ListSize, ListSize + 1, 2*ListSize + 1, ListSize * ListSize, ListSize*ListSize + 1, 70_000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			want := someKids(n)
			blocks := blockSet{}
			block, err := AppendKids(nil, want, blocks.put)
			if err != nil {
				t.Fatal(err)
			}
			checkBlocks(t, block, blocks)
			r := NewReader(block)
			got, err := ReadKids(r, blocks.get)
			if err != nil || !slices.Equal(got, want) || r.Done() != nil {
				t.Errorf("ReadKids: %d links, %v, %v", len(got), err, r.Done())
			}
		})
	}
}

func checkBlocks(t *testing.T, block []byte, blocks blockSet) {
	t.Helper()
	blocks[Sum(block)] = block
	for d, b := range blocks {
		if Sum(b) != d || len(b) > MaxBlock {
			t.Errorf("block %s: %d bytes, digest %s", d, len(b), Sum(b))
		}
		if err := Check(b); err != nil {
			t.Errorf("block %s: %v", d, err)
		}
	}
}

func TestTooLarge(t *testing.T) {
	untouched := make([]byte, MaxContent+1) // never read, so it uses no memory
	if _, err := AppendContent(nil, unsafe.String(&untouched[0], len(untouched)), nil); !errors.Is(err, ErrTooLarge) {
		t.Errorf("AppendContent: %v, want ErrTooLarge", err)
	}
	if _, err := AppendKids(nil, make([]Digest, MaxKids+1), nil); !errors.Is(err, ErrTooLarge) {
		t.Errorf("AppendKids: %v, want ErrTooLarge", err)
	}
}

var errFull = errors.New("disk full")

func TestEmitError(t *testing.T) {
	full := func(Digest, []byte) error { return errFull }
	if _, err := AppendContent(nil, noise(ChunkSize+1), full); err != errFull {
		t.Errorf("AppendContent: %v, want the error of emit", err)
	}
	if _, err := AppendKids(nil, someKids(300), full); err != errFull {
		t.Errorf("AppendKids: %v, want the error of emit", err)
	}
	e := Map[*testLeaf]{}.Edit()
	e.Set(newLeaf("a", 1))
	if err := e.Map().Blocks(full); err != errFull {
		t.Errorf("Blocks: %v, want the error of emit", err)
	}
}

// TestReadRefuses gives the readers trees that are not canonical, and stores
// that lose, swap and enlarge blocks.
func TestReadRefuses(t *testing.T) {
	blocks := blockSet{}
	keep := func(block []byte) Digest {
		d := Sum(block)
		blocks[d] = block
		return d
	}
	chunk := func(n int) Digest { return keep(AppendBytes(nil, noise(n))) }
	list := func(n int, links ...Digest) []byte {
		return appendLinks(AppendUint(AppendList(nil, 1+len(links)), uint64(n)), links)
	}
	links := func(n int) []byte { return appendLinks(AppendList(nil, n), someKids(n)) }
	bad := Digest{7}
	blocks[bad] = AppendBytes(nil, noise(ChunkSize))
	content := func(r *Reader) error { _, err := ReadContent(r, blocks.get); return err }
	kids := func(r *Reader) error { _, err := ReadKids(r, blocks.get); return err }
	for _, c := range []struct {
		name  string
		block []byte
		read  func(*Reader) error
		want  error
	}{
		{"short content in chunks", list(ChunkSize, chunk(ChunkSize)), content, ErrShape},
		{"a chunk too few", list(2*ChunkSize, chunk(ChunkSize)), content, ErrShape},
		{"a chunk too many", list(ChunkSize+1, chunk(ChunkSize), chunk(1), chunk(1)), content, ErrShape},
		{"chunks cut elsewhere", list(ChunkSize+2, chunk(ChunkSize-1), chunk(3)), content, ErrShape},
		{"a last chunk too long", list(ChunkSize+2, chunk(ChunkSize), chunk(3)), content, ErrShape},
		{"a chunk that is text", list(ChunkSize+1, chunk(ChunkSize), keep(AppendText(nil, "x"))), content, ErrKind},
		{"a chunk that is no value", list(ChunkSize+1, chunk(ChunkSize), keep([]byte{0x61})), content, ErrCanonical},
		{"content too large", list(MaxContent+1, chunk(1)), content, ErrTooLarge},
		{"content of 2^63", AppendLink(AppendUint(AppendList(nil, 2), 1<<63), chunk(1)), content, ErrTooLarge},
		{"content that is a text", AppendText(nil, "text"), content, ErrKind},
		{"content that is an empty list", AppendList(nil, 0), content, ErrKind},
		{"content without a size", appendLinks(AppendList(nil, 1), []Digest{chunk(1)}), content, ErrKind},
		{"a chunk that is lost", list(ChunkSize+1, chunk(ChunkSize), Digest{9}), content, errAbsent},
		{"a chunk that is another", list(ChunkSize+1, bad, chunk(1)), content, ErrDigest},
		{"a chunk beyond a block", list(ChunkSize+1, chunk(MaxBlock), chunk(1)), content, ErrTooLarge},
		{"content damaged", list(ChunkSize + 1)[:1], content, ErrCanonical},
		{"257 kids in one list", links(ListSize + 1), kids, ErrShape},
		{"256 kids in a tree", list(ListSize, keep(links(ListSize))), kids, ErrShape},
		{"257 kids, none in a tree", list(ListSize+1, someKids(ListSize+1)...), kids, ErrShape},
		{"257 kids, one list short", list(ListSize+1, keep(links(ListSize))), kids, ErrShape},
		{"257 kids as 255 and 2", list(ListSize+1, keep(links(ListSize-1)), keep(links(2))), kids, ErrShape},
		{"a list with more behind it", list(ListSize+1, keep(links(ListSize)), keep(append(AppendList(nil, 1), AppendUint(nil, 1)...))), kids, ErrKind},
		{"kids too many", list(MaxKids+1, keep(links(1))), kids, ErrTooLarge},
		{"kids that are text", AppendText(AppendList(nil, 1), "x"), kids, ErrKind},
		{"kids with another value among them", AppendNull(AppendLink(AppendList(nil, 2), Digest{})), kids, ErrKind},
		{"a list that is lost", list(ListSize+1, keep(links(ListSize)), Digest{9}), kids, errAbsent},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := c.read(NewReader(c.block)); !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
		})
	}
}

// TestReadAsksForEveryChunk: a reader learns of each missing block that it can know of.
func TestReadAsksForEveryChunk(t *testing.T) {
	blocks := blockSet{}
	block, err := AppendContent(nil, noise((ListSize+4)*ChunkSize), blocks.put)
	if err != nil {
		t.Fatal(err)
	}
	read := func() (asked []Digest, err error) {
		_, err = ReadContent(NewReader(block), func(d Digest) ([]byte, error) {
			asked = append(asked, d)
			return blocks.get(d)
		})
		return asked, err
	}
	all, err := read()
	if err != nil || len(all) != 2+ListSize+4 {
		t.Fatalf("asked for %d blocks, %v", len(all), err)
	}
	for _, missing := range [][]int{{2}, {2, 5, len(all) - 1}, {3, len(all) - 2}} {
		lost := blockSet{}
		for _, i := range missing {
			lost[all[i]] = blocks[all[i]]
			delete(blocks, all[i])
		}
		_, want := blocks.get(all[missing[0]])
		if asked, err := read(); !slices.Equal(asked, all) || !errors.Is(err, want) {
			t.Errorf("without %v it asked for %d blocks of %d, %v", missing, len(asked), len(all), err)
		}
		maps.Copy(blocks, lost)
	}
	delete(blocks, all[0]) // the list of the first chunks: the last ones are asked for all the same
	if asked, err := read(); err == nil || !slices.Equal(asked, append(all[:2:2], all[2+ListSize:]...)) {
		t.Errorf("without a list it asked for %d blocks, %v", len(asked), err)
	}
}
