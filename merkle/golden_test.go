// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/merkle"
)

// TestGolden compares the formats with testdata/format1.txt, which may only be
// regenerated together with a new format number. The file describes its inputs,
// so other implementations can use it too.
func TestGolden(t *testing.T) {
	var out bytes.Buffer
	goldenValues(&out)
	goldenContents(t, &out)
	goldenKids(t, &out)
	goldenMaps(t, &out)
	foveatest.Golden(t, "format1.txt", out.Bytes())
}

func goldenValues(out *bytes.Buffer) {
	none := merkle.Sum(nil)
	text := func(s string) []byte { return merkle.AppendText(nil, s) }
	for _, c := range []struct {
		name  string
		block []byte
	}{
		{"null", merkle.AppendNull(nil)},
		{"false", merkle.AppendBool(nil, false)},
		{"true", merkle.AppendBool(nil, true)},
		{"0", merkle.AppendUint(nil, 0)},
		{"23", merkle.AppendUint(nil, 23)},
		{"24", merkle.AppendUint(nil, 24)},
		{"256", merkle.AppendUint(nil, 256)},
		{"65536", merkle.AppendUint(nil, 65536)},
		{"2^32", merkle.AppendUint(nil, 1<<32)},
		{"2^64-1", merkle.AppendUint(nil, math.MaxUint64)},
		{"-1", merkle.AppendInt(nil, -1)},
		{"-25", merkle.AppendInt(nil, -25)},
		{"-2^63", merkle.AppendInt(nil, math.MinInt64)},
		{"empty text", text("")},
		{"text z\u00e9 \u4f60\u597d", text("z\u00e9 \u4f60\u597d")},
		{"text of 24 x", text(strings.Repeat("x", 24))},
		{"empty bytes", merkle.AppendBytes(nil, "")},
		{"bytes 00 ff", merkle.AppendBytes(nil, []byte{0, 0xff})},
		{"empty list", merkle.AppendList(nil, 0)},
		{"list [1, [2]]", merkle.AppendUint(merkle.AppendList(merkle.AppendUint(merkle.AppendList(nil, 2), 1), 1), 2)},
		{"empty map", merkle.AppendMap(nil, 0)},
		{"map {b: 1, aa: null}", merkle.AppendNull(merkle.AppendText(merkle.AppendUint(merkle.AppendText(merkle.AppendMap(nil, 2), "b"), 1), "aa"))},
		{"link to the digest of no bytes", merkle.AppendLink(nil, none)},
	} {
		fmt.Fprintf(out, "value: %s\n  %x\n  %s\n", c.name, c.block, merkle.Sum(c.block))
	}
}

// tally is the number of emitted blocks and the digest of their digests in
// order of emission.
type tally struct {
	count int
	all   []byte
}

func (s *tally) emit(d merkle.Digest, _ []byte) error {
	s.count++
	s.all = append(s.all, d[:]...)
	return nil
}

func (s *tally) String() string { return fmt.Sprintf("%d blocks %s", s.count, merkle.Sum(s.all)) }

func goldenContents(t *testing.T, out *bytes.Buffer) {
	fmt.Fprintln(out, "content: byte i is i xor i>>8 xor i>>16; its value, the blocks beside it")
	for _, n := range []int{0, 1, 65535, 65536, 65537, 131072, 300 << 10, 16 << 20, 16<<20 + 1} {
		content := make([]byte, n)
		for i := range content {
			content[i] = byte(i ^ i>>8 ^ i>>16)
		}
		var s tally
		value, err := merkle.AppendContent(nil, string(content), s.emit)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(out, "  %d %s %s\n", n, merkle.Sum(value), &s)
	}
}

func goldenKids(t *testing.T, out *bytes.Buffer) {
	fmt.Fprintln(out, "kids: kid i is the digest of i in 4 bytes, big-endian; their value, the blocks beside it")
	kids := make([]merkle.Digest, 70_000)
	for i := range kids {
		kids[i] = merkle.Sum(binary.BigEndian.AppendUint32(nil, uint32(i)))
	}
	for _, n := range []int{0, 1, 256, 257, 65536, 65537, 70_000} {
		var s tally
		value, err := merkle.AppendKids(nil, kids[:n], s.emit)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(out, "  %d %s %s\n", n, merkle.Sum(value), &s)
	}
}

// numbered returns the leaf for a number.
type numbered int

func (n numbered) id() string         { return strconv.Itoa(int(n)) }
func (n numbered) Key() merkle.Digest { return merkle.Sum([]byte(n.id())) }
func (n numbered) AppendCanonical(dst []byte) []byte {
	return merkle.AppendUint(merkle.AppendText(merkle.AppendList(dst, 2), n.id()), uint64(n))
}

func goldenMaps(t *testing.T, out *bytes.Buffer) {
	fmt.Fprintln(out, "map: leaf i has the SHA-256 of the decimal digits of i as key and [digits, i] as value; its root, its blocks")
	for _, n := range []int{0, 1, 2, 16, 17, 1000, 20_000} {
		e := merkle.Map[numbered]{}.Edit()
		for i := range n {
			e.Set(numbered(i))
		}
		m := e.Map()
		var s tally
		var last []byte
		err := m.Blocks(func(d merkle.Digest, block []byte) error {
			last = slices.Clone(block)
			return s.emit(d, block)
		})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(out, "  %d %s %s\n", n, m.Root(), &s)
		if n < 3 {
			fmt.Fprintf(out, "    %x\n", last)
		}
	}
}
