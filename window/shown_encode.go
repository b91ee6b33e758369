// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/fovea-memory/fovea/merkle"
)

// AppendBinary appends the encoding of s. The error is always nil. It implements
// encoding.BinaryAppender.
func (s *Shown) AppendBinary(dst []byte) ([]byte, error) {
	dst = merkle.AppendList(dst, 4)
	dst = merkle.AppendBytes(dst, s.text)
	dst = merkle.AppendUint(dst, uint64(s.tokens))
	dst = merkle.AppendBytes(dst, s.style)
	dst = merkle.AppendList(dst, len(s.nodes))
	for _, id := range slices.Sorted(maps.Keys(s.nodes)) {
		t := s.nodes[id]
		var lines []byte
		for _, line := range t.lines {
			lines = binary.LittleEndian.AppendUint64(lines, line)
		}
		dst = merkle.AppendList(dst, 5)
		dst = merkle.AppendBytes(dst, id)
		dst = merkle.AppendBytes(dst, t.digest[:])
		dst = merkle.AppendUint(dst, t.heading)
		dst = merkle.AppendUint(dst, uint64(t.level))
		dst = merkle.AppendBytes(dst, lines)
	}
	return dst, nil
}

// UnmarshalBinary sets s to what AppendBinary has encoded. It implements
// encoding.BinaryUnmarshaler.
func (s *Shown) UnmarshalBinary(data []byte) error {
	r := merkle.NewReader(data)
	r.FixedList(4)
	out := Shown{text: string(r.Bytes()), tokens: int(r.Int()), style: string(r.Bytes()), nodes: map[string]shownNode{}}
	for range r.List() {
		r.FixedList(5)
		id, digest := string(r.Bytes()), r.Bytes()
		t := shownNode{heading: r.Uint()}
		level, lines := r.Uint(), r.Bytes()
		if r.Err() != nil {
			break
		}
		if len(digest) != len(t.digest) || level > uint64(Full) || len(lines)%8 != 0 {
			return fmt.Errorf("window: what a session was shown: node %q: %w", id, merkle.ErrKind)
		}
		t.digest, t.level = merkle.Digest(digest), Level(level)
		for chunk := range slices.Chunk(lines, 8) {
			t.lines = append(t.lines, binary.LittleEndian.Uint64(chunk))
		}
		if !slices.IsSorted(t.lines) {
			slices.Sort(t.lines)
		}
		out.nodes[id] = t
	}
	if err := r.Done(); err != nil {
		return fmt.Errorf("window: what a session was shown: %w", err)
	}
	*s = out
	return nil
}
