// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"slices"

	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/merkle"
)

// Shown is what the windows of a session have shown so far; see Session. The zero value is for
// a new session. A Shown must not be changed once a window has returned it. It has fingerprints of
// headings and passages: enough to know text again, not to read it.
type Shown struct {
	Nodes map[string]ShownNode // by id

	// Of a session whose windows append to one another.
	Text   string // the last window, without its tail
	Tokens int    // of Text
	Style  string // what Text was made with: policy, format and counter
}

// ShownNode is what a session has seen of one node.
type ShownNode struct {
	Name    string        // the handle or id that it was shown under
	Digest  merkle.Digest // of the node when last shown
	Heading uint64        // fingerprint of the heading
	Level   uint8         // the highest level at which it was shown
	Lines   []uint64      // sorted fingerprints of the passages
}

// Len returns the number of nodes shown.
func (r *Shown) Len() int { return len(r.Nodes) }

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

// AppendBinary appends the encoding of r. The error is always nil. It implements
// encoding.BinaryAppender.
func (r *Shown) AppendBinary(dst []byte) ([]byte, error) {
	dst = merkle.AppendList(dst, 4)
	dst = merkle.AppendBytes(dst, r.Text)
	dst = merkle.AppendUint(dst, uint64(r.Tokens))
	dst = merkle.AppendBytes(dst, r.Style)
	dst = merkle.AppendList(dst, len(r.Nodes))
	for _, id := range slices.Sorted(maps.Keys(r.Nodes)) {
		t := r.Nodes[id]
		var lines []byte
		for _, line := range t.Lines {
			lines = binary.LittleEndian.AppendUint64(lines, line)
		}
		dst = merkle.AppendList(dst, 6)
		dst = merkle.AppendBytes(dst, id)
		dst = merkle.AppendBytes(dst, t.Name)
		dst = merkle.AppendBytes(dst, t.Digest[:])
		dst = merkle.AppendUint(dst, t.Heading)
		dst = merkle.AppendUint(dst, uint64(t.Level))
		dst = merkle.AppendBytes(dst, lines)
	}
	return dst, nil
}

// UnmarshalBinary sets r to what AppendBinary has encoded. It implements
// encoding.BinaryUnmarshaler.
func (r *Shown) UnmarshalBinary(data []byte) error {
	in := merkle.NewReader(data)
	in.FixedList(4)
	out, before := Shown{Text: string(in.Bytes()), Tokens: int(in.Int()), Style: string(in.Bytes()), Nodes: map[string]ShownNode{}}, ""
	for i := range in.List() {
		in.FixedList(6)
		id, name, digest := string(in.Bytes()), string(in.Bytes()), in.Bytes()
		t := ShownNode{Name: name, Heading: in.Uint()}
		level, lines := in.Uint(), in.Bytes()
		if in.Err() != nil {
			break
		}
		if len(digest) != len(t.Digest) || level > math.MaxUint8 || len(lines)%8 != 0 || i > 0 && id <= before {
			return fmt.Errorf("window: what a session was shown: node %q: %w", id, merkle.ErrKind)
		}
		t.Digest, t.Level = merkle.Digest(digest), uint8(level)
		for chunk := range slices.Chunk(lines, 8) {
			t.Lines = append(t.Lines, binary.LittleEndian.Uint64(chunk))
		}
		if !slices.IsSorted(t.Lines) {
			return fmt.Errorf("window: what a session was shown: lines of node %q: %w", id, merkle.ErrCanonical)
		}
		out.Nodes[id], before = t, id
	}
	if err := in.Done(); err != nil {
		return fmt.Errorf("window: what a session was shown: %w", err)
	}
	*r = out
	return nil
}
