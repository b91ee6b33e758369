// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/merkle"
)

// text is a canonical block.
func text(s string) []byte { return merkle.AppendText(nil, s) }

// write returns the archive of blocks; the first is the root.
func write(t testing.TB, blocks ...[]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := place.NewWriter(&out, merkle.Sum(blocks[0]))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks {
		if _, err := w.Put(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil || w.Size() != int64(out.Len()) || w.Blocks() != len(blocks) {
		t.Fatal(w.Size(), w.Blocks(), err)
	}
	return out.Bytes()
}

// read reads an archive to its end and writes it again.
func read(from io.Reader) (again []byte, err error) {
	r, err := place.NewReader(from)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w, err := place.NewWriter(&out, r.Roots()...)
	for err == nil {
		var b place.Block
		if b, err = r.Next(); err == io.EOF {
			err = w.Close()
			return out.Bytes(), err
		}
		if err == nil {
			_, err = w.Put(b.Data)
		}
	}
	return nil, err
}

// TestGolden pins the bytes of an archive.
func TestGolden(t *testing.T) {
	got := hex.EncodeToString(write(t, text("a"), text("b")))
	d, e := merkle.Sum(text("a")), merkle.Sum(text("b"))
	cid := "01711220"
	expect := "3a" + "a265726f6f747381" + "d82a58250001711220" + hex.EncodeToString(d[:]) + "6776657273696f6e01" +
		"26" + cid + hex.EncodeToString(d[:]) + "6161" + "26" + cid + hex.EncodeToString(e[:]) + "6162"
	if got != expect {
		t.Fatalf("%s, want\n%s", got, expect)
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		contents := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 300), 1, 20).Draw(rt, "contents")
		var blocks [][]byte
		for _, c := range contents {
			blocks = append(blocks, merkle.AppendBytes(nil, c))
		}
		if rapid.Bool().Draw(rt, "large") {
			blocks = append(blocks, merkle.AppendBytes(nil, make([]byte, place.MaxBlock-5)))
		}
		whole := write(t, blocks...)
		sum, err := place.VerifyStream(iotest.OneByteReader(bytes.NewReader(whole)))
		if err != nil || sum.Blocks != len(blocks) || sum.Bytes != int64(len(whole)) || sum.Roots[0] != merkle.Sum(blocks[0]) {
			rt.Fatal(sum, err)
		}
		if again, err := read(bytes.NewReader(whole)); err != nil || !bytes.Equal(again, whole) {
			rt.Fatal(err)
		}
	})
}

// TestEveryFlip: an archive with any bit turned is refused, with the block in which it is.
func TestEveryFlip(t *testing.T) {
	blocks := [][]byte{text("root"), text(strings.Repeat("long ", 100)), text("c")}
	whole := write(t, blocks...)
	var starts []int64
	r, err := place.NewReader(bytes.NewReader(whole))
	for err == nil {
		var b place.Block
		if b, err = r.Next(); err == nil {
			starts = append(starts, b.Offset)
		}
	}
	for i := range whole {
		for bit := range 8 {
			bad := bytes.Clone(whole)
			bad[i] ^= 1 << bit
			_, err := place.VerifyStream(bytes.NewReader(bad))
			if err == nil {
				t.Fatalf("byte %d bit %d: accepted", i, bit)
			}
			where, ok := errors.AsType[*place.Error](err)
			if int64(i) < starts[0] {
				if ok && where.Block != 0 || !ok && !errors.Is(err, place.ErrRoot) {
					t.Fatalf("byte %d bit %d of the header: %v", i, bit, err)
				}
				continue
			}
			n := 0
			for n < len(starts) && starts[n] <= int64(i) {
				n++
			}
			if !ok || where.Block != n || where.Offset != starts[n-1] {
				t.Fatalf("byte %d bit %d of block %d: %v", i, bit, n, err)
			}
		}
	}
}

// TestEveryCut: a cut inside of a block is an error of that block; one between blocks shows
// only from what is missing.
func TestEveryCut(t *testing.T) {
	blocks := [][]byte{text("root"), text("b"), text("c")}
	whole := write(t, blocks...)
	between := map[int]bool{len(write(t, blocks[:1]...)): true, len(write(t, blocks[:2]...)): true}
	for n := range whole {
		_, err := place.VerifyStream(bytes.NewReader(whole[:n]))
		if between[n] {
			if err != nil {
				t.Fatalf("%d bytes: %v", n, err)
			}
			continue
		}
		if !errors.Is(err, place.ErrTruncated) && !errors.Is(err, place.ErrRoot) {
			t.Fatalf("%d bytes: %v", n, err)
		}
	}
}

// header is an archive of a header alone.
func header(h []byte) []byte { return append(binary.AppendUvarint(nil, uint64(len(h))), h...) }

func TestRefused(t *testing.T) {
	whole := write(t, text("a"))
	head := whole[:len(whole)-38-1]
	roots := func(n int, version uint64) []byte {
		h := merkle.AppendList(merkle.AppendText(merkle.AppendMap(nil, 2), "roots"), n)
		for range n {
			h = merkle.AppendLink(h, merkle.Sum(text("a")))
		}
		return merkle.AppendUint(merkle.AppendText(h, "version"), version)
	}
	section := func(size uint64, body string) []byte {
		return append(binary.AppendUvarint(bytes.Clone(head), size), body...)
	}
	for name, test := range map[string]struct {
		in   []byte
		want error
	}{
		"nothing":                        {nil, place.ErrTruncated},
		"a header that is a bomb":        {binary.AppendUvarint(nil, 1<<62), place.ErrTooLarge},
		"a header above the limit":       {binary.AppendUvarint(nil, place.MaxHeader+1), place.ErrTooLarge},
		"a header without an end":        {[]byte{0x80, 0x80, 0x80, 0x80, 0x80}, place.ErrStream},
		"an empty header":                {[]byte{0}, place.ErrStream},
		"no roots":                       {header(roots(0, 1)), place.ErrStream},
		"too many roots":                 {header(roots(place.MaxRoots+1, 1)), place.ErrStream},
		"version 2":                      {header(roots(1, 2)), place.ErrStream},
		"a CARv2":                        {[]byte("\x0a\xa1\x67version\x02"), place.ErrStream},
		"a list of roots that is a bomb": {header([]byte("\xa2\x65roots\x9a\xff\xff\xff\xff")), place.ErrStream},
		"a page of a wrong server":       {[]byte("<html><body>404</body></html>"), place.ErrStream},
		"the root is not there":          {head, place.ErrRoot},
		"a block that is a bomb":         {section(1<<40, ""), place.ErrTooLarge},
		"a block above the limit":        {section(36+place.MaxBlock+1, ""), place.ErrTooLarge},
		"a length that is too long":      {append(bytes.Clone(head), 0xa6, 0x00), place.ErrStream},
		"a block of no bytes":            {section(0, ""), place.ErrStream},
		"a block shorter than a name":    {section(35, strings.Repeat("x", 35)), place.ErrStream},
		"a raw block":                    {section(37, "\x01\x55\x12\x20"+strings.Repeat("x", 33)), place.ErrStream},
		"a block that is not canonical":  {write(t, text("a"), []byte{0x18, 0x01}), merkle.ErrCanonical},
		"bytes that are missing":         {section(1<<20, "\x01\x71\x12\x20"), place.ErrTruncated},
	} {
		sum, err := place.VerifyStream(bytes.NewReader(test.in))
		if !errors.Is(err, test.want) {
			t.Errorf("%s: %+v, %v, want %v", name, sum, err, test.want)
		}
	}
	if _, err := place.VerifyStream(iotest.ErrReader(io.ErrClosedPipe)); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
}

func TestWriterRefuses(t *testing.T) {
	if _, err := place.NewWriter(io.Discard); !errors.Is(err, place.ErrTooLarge) {
		t.Error("without roots:", err)
	}
	w, err := place.NewWriter(io.Discard, merkle.Sum(nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Put(make([]byte, place.MaxBlock+1)); !errors.Is(err, place.ErrTooLarge) {
		t.Error("a large block:", err)
	}
	if _, err := w.Put(make([]byte, place.MaxBlock)); err != nil {
		t.Error("after a large block:", err)
	}
	r, to := io.Pipe()
	_ = r.CloseWithError(io.ErrShortWrite)
	w, err = place.NewWriter(to, merkle.Sum(nil))
	for range 3 {
		if err == nil {
			_, err = w.Put(make([]byte, place.MaxBlock))
		}
	}
	if !errors.Is(err, io.ErrShortWrite) || !errors.Is(w.Close(), io.ErrShortWrite) {
		t.Error(err, w.Close())
	}
}

// TestMemory: reading takes the memory of a block, however long the archive is.
func TestMemory(t *testing.T) {
	var blocks [][]byte
	for i := range 64 {
		b := make([]byte, place.MaxBlock/2)
		b[0] = byte(i)
		blocks = append(blocks, merkle.AppendBytes(nil, b))
	}
	whole := write(t, blocks...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := place.VerifyStream(bytes.NewReader(whole)); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 4*place.MaxBlock {
		t.Errorf("reading %d bytes allocated %d", len(whole), got)
	}
}

// FuzzReader: no input makes a reader panic, and what it accepts is written again byte for
// byte.
func FuzzReader(f *testing.F) {
	f.Add(write(f, text("a"), text("b")))
	f.Add([]byte("\x0a\xa1\x67version\x02"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, in []byte) {
		again, err := read(bytes.NewReader(in))
		if err == nil && !bytes.Equal(again, in) {
			t.Fatalf("%x was written again as %x", in, again)
		}
		if _, verified := place.VerifyStream(bytes.NewReader(in)); verified == nil && err != nil {
			t.Fatal("verified what cannot be read:", err)
		}
	})
}

func BenchmarkWrite(b *testing.B) {
	block := merkle.AppendBytes(nil, make([]byte, 600))
	w, err := place.NewWriter(io.Discard, merkle.Sum(block))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(block)))
	for b.Loop() {
		if _, err := w.Put(block); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	blocks := [][]byte{text("root")}
	for i := range 10_000 {
		blocks = append(blocks, merkle.AppendBytes(nil, binary.BigEndian.AppendUint64(make([]byte, 592), uint64(i))))
	}
	whole := write(b, blocks...)
	b.SetBytes(int64(len(whole)))
	for b.Loop() {
		if _, err := place.VerifyStream(bytes.NewReader(whole)); err != nil {
			b.Fatal(err)
		}
	}
}
