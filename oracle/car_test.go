// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/ipfs/go-cid"
	"github.com/ipld/go-car/v2"
	"github.com/ipld/go-car/v2/storage"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/merkle"
)

// ourArchive writes blocks as Fovea does.
func ourArchive(roots []merkle.Digest, blocks [][]byte) []byte {
	var out bytes.Buffer
	w := must(place.NewWriter(&out, roots...))
	for _, b := range blocks {
		must(w.Put(b))
	}
	try(w.Close())
	return out.Bytes()
}

// theirArchive writes blocks as go-car does.
func theirArchive(roots []cid.Cid, blocks [][]byte) []byte {
	var out bytes.Buffer
	w := must(storage.NewWritable(&out, roots, car.WriteAsCarV1(true), car.AllowDuplicatePuts(true)))
	for _, b := range blocks {
		try(w.Put(context.Background(), cidOf(b).KeyString(), b))
	}
	try(w.Finalize())
	return out.Bytes()
}

// readByCar reads an archive to its end with go-car.
func readByCar(in []byte) (blocks [][]byte, err error) {
	r, err := car.NewBlockReader(bytes.NewReader(in))
	if err != nil {
		return nil, err
	}
	for {
		b, err := r.Next()
		if err == io.EOF {
			return blocks, nil
		}
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, b.RawData())
	}
}

// readByUs reads an archive to its end with Fovea.
func readByUs(in []byte) (blocks [][]byte, err error) {
	r, err := place.NewReader(bytes.NewReader(in))
	for err == nil {
		var b place.Block
		if b, err = r.Next(); err == nil {
			blocks = append(blocks, bytes.Clone(b.Data))
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return blocks, err
}

func sameBlocks(a, b [][]byte) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !bytes.Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

// TestArchives: an archive has the same bytes whoever writes it, and go-car reads the blocks
// of ours.
func TestArchives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var blocks [][]byte
		for _, v := range rapid.SliceOfN(values(), 1, 10).Draw(t, "blocks") {
			blocks = append(blocks, v.ours)
		}
		if rapid.Bool().Draw(t, "large") {
			blocks = append(blocks, merkle.AppendBytes(nil, make([]byte, 200<<10)))
		}
		var roots []merkle.Digest
		var theirs []cid.Cid
		for _, b := range blocks[:rapid.IntRange(1, len(blocks)).Draw(t, "roots")] {
			roots, theirs = append(roots, merkle.Sum(b)), append(theirs, cidOf(b))
		}
		ours := ourArchive(roots, blocks)
		if their := theirArchive(theirs, blocks); !bytes.Equal(ours, their) {
			t.Fatalf("%x\nis by go-car\n%x", ours, their)
		}
		if got, err := readByCar(ours); err != nil || !sameBlocks(got, blocks) {
			t.Fatal(err)
		}
	})
}

// FuzzArchive: what Fovea reads as an archive, go-car reads as the same blocks. The other
// direction is wider on purpose: go-car takes other codecs and lengths in longer forms.
func FuzzArchive(f *testing.F) {
	root := merkle.AppendText(nil, "root")
	f.Add(ourArchive([]merkle.Digest{merkle.Sum(root)}, [][]byte{root, merkle.AppendText(nil, "b")}))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, in []byte) {
		ours, err := readByUs(in)
		if err != nil {
			return
		}
		if theirs, err := readByCar(in); err != nil || !sameBlocks(ours, theirs) {
			t.Fatalf("%x: %v", in, err)
		}
	})
}

// TestTurnedArchives: where the bytes of a block or its digest are turned, both refuse the
// archive.
func TestTurnedArchives(t *testing.T) {
	root := merkle.AppendText(nil, "root")
	header := ourArchive([]merkle.Digest{merkle.Sum(root)}, nil)
	whole := ourArchive([]merkle.Digest{merkle.Sum(root)}, [][]byte{root})
	for i := len(header) + len("\x29\x01\x71\x12\x20"); i < len(whole); i++ {
		bad := bytes.Clone(whole)
		bad[i] ^= 1
		_, ours := readByUs(bad)
		_, theirs := readByCar(bad)
		if ours == nil || theirs == nil {
			t.Fatalf("byte %d: %v, by go-car %v", i, ours, theirs)
		}
	}
}
