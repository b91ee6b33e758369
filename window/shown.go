// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/merkle"
)

// Shown is what the windows of a session have shown so far; see Session. The zero value is for a new
// session. A Shown must not be changed once a window has returned it. It has fingerprints of headings
// and passages: they identify a text, but do not reveal it.
type Shown struct {
	Nodes map[string]ShownNode // by id

	// For LayoutSticky only.
	Text   string // the last window, without its tail
	Tokens int    // of Text
	Style  string // policy, format and counter of Text
}

// ShownNode is what a session has seen of one node.
type ShownNode struct {
	Name    string        // the handle or id that it was shown under
	Digest  merkle.Digest // of the node when last shown
	Heading uint64        // fingerprint of the heading
	Level   uint8         // the highest level at which it was shown
	Lines   []uint64      // sorted fingerprints of the passages
}

// fingerprint hashes texts, the same in every process.
func fingerprint(texts ...string) uint64 {
	h := fnv.New64a()
	for _, text := range texts {
		_, _ = h.Write([]byte(text))
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
}

// has reports whether a passage was shown.
func (n *ShownNode) has(passage string) bool {
	_, found := slices.BinarySearch(n.Lines, fingerprint(passage))
	return found
}

// linesOf returns the sorted fingerprints of the chosen passages of an excerpt.
func linesOf(x *text.Excerpt) (lines []uint64) {
	for passage := range x.Chosen() {
		lines = append(lines, fingerprint(passage))
	}
	slices.Sort(lines)
	return lines
}

// still returns the shown lines that are among the chosen passages of an excerpt.
func (n *ShownNode) still(x *text.Excerpt) []uint64 {
	lines := linesOf(x)
	return slices.DeleteFunc(slices.Clone(n.Lines), func(line uint64) bool {
		_, found := slices.BinarySearch(lines, line)
		return !found
	})
}

// AppendBinary appends the encoding of r. The error is always nil. It implements encoding.BinaryAppender.
func (r *Shown) AppendBinary(dst []byte) ([]byte, error) {
	c := merkle.Codec{Out: dst}
	r.code(&c)
	return c.Out, nil
}

// UnmarshalBinary decodes what AppendBinary encoded. It implements encoding.BinaryUnmarshaler.
func (r *Shown) UnmarshalBinary(data []byte) error {
	out := Shown{Nodes: map[string]ShownNode{}}
	if err := merkle.Decode(data, out.code); err != nil {
		return fmt.Errorf("window: what a session was shown: %w", err)
	}
	*r = out
	return nil
}

func (r *Shown) code(c *merkle.Codec) {
	before := ""
	c.Record(merkle.Bytes(&r.Text), func(c *merkle.Codec) { c.Number(&r.Tokens, math.MaxInt) }, merkle.Bytes(&r.Style),
		merkle.Entries(r.Nodes, strings.Compare, func(id *string, n *ShownNode, c *merkle.Codec) {
			err := n.code(id, c)
			if err == nil && len(r.Nodes) > 0 && *id <= before && c.In != nil {
				err = merkle.ErrKind
			}
			if before = *id; err != nil {
				c.Fail(fmt.Errorf("node %q: %w", *id, err))
			}
		}))
}

func (n *ShownNode) code(id *string, c *merkle.Codec) error {
	digest, level := n.Digest[:], uint64(n.Level)
	lines, _ := binary.Append(nil, binary.LittleEndian, n.Lines) // numbers have a size
	c.Record(merkle.Bytes(id), merkle.Bytes(&n.Name), &digest, &n.Heading, &level, &lines)
	switch {
	case c.In == nil || c.Fail(nil):
		return nil
	case len(digest) != len(n.Digest) || level > math.MaxUint8 || len(lines)%8 != 0:
		return merkle.ErrKind
	}
	n.Digest, n.Level = merkle.Digest(digest), uint8(level)
	for chunk := range slices.Chunk(lines, 8) {
		n.Lines = append(n.Lines, binary.LittleEndian.Uint64(chunk))
	}
	if !slices.IsSorted(n.Lines) {
		return merkle.ErrCanonical
	}
	return nil
}
