// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/node"
)

// ImageFormat is the version of the node and derived sections of an image
// (doc/format/nodes.md).
const ImageFormat = 0

// Part contains some documents of an image: a section of their nodes, and one of the
// derived fields of these.
type Part struct {
	Nodes   []byte
	Derived []byte
}

// Encode returns the state in parts, which are read concurrently: documents by path, with
// ids, times, shape and bytes, without digests. A part has about the given number of
// bytes, more if there would be more than maxParts. There is at least one. O(bytes).
func (s *State) Encode(bytes, maxParts int) []Part {
	paths, sizes, total := s.Paths(), make([]int, s.DocumentCount()), 0
	for i, p := range paths {
		sizes[i] = len(p) + 8
		for _, n := range s.Nodes(p) {
			sizes[i] += len(n.Content) + len(n.ID) + 32
		}
		total += sizes[i]
	}
	bytes = max(bytes, total/maxParts+1)
	parts := make([]Part, 0, total/bytes+1)
	begin, size := 0, 0
	for i := range paths {
		if size += sizes[i]; size >= bytes {
			parts = append(parts, s.part(paths[begin:i+1], size))
			begin, size = i+1, 0
		}
	}
	if begin < len(paths) || len(parts) == 0 {
		parts = append(parts, s.part(paths[begin:], size))
	}
	return parts
}

// part encodes some documents; bytes is the approximate size of their nodes. The contents
// are at the end, so that ids and paths, by which the maps are sorted, are close together
// in memory.
func (s *State) part(paths []string, bytes int) Part {
	count, contents, strings, properties := 0, 0, 0, 0
	for _, p := range paths {
		for _, n := range s.Nodes(p) {
			count, contents = count+1, contents+len(n.Content)
			strings += len(n.Derived.Tags) + len(n.Derived.Links) + len(n.Derived.Setup)
			for _, g := range n.Derived.TagGroups {
				strings += len(g.Members)
			}
			properties += len(n.Derived.Properties)
		}
	}
	b := make([]byte, 0, bytes+64)
	b = binary.AppendUvarint(b, ImageFormat)
	b = binary.AppendUvarint(b, uint64(len(paths)))
	b = binary.AppendUvarint(b, uint64(count))
	b = binary.AppendUvarint(b, uint64(contents))
	d := make([]byte, 0, count*64+16)
	d = binary.AppendUvarint(d, ImageFormat)
	d = binary.AppendUvarint(d, parserMark(s.formats))
	d = binary.AppendUvarint(d, uint64(count))
	d = binary.AppendUvarint(binary.AppendUvarint(d, uint64(strings)), uint64(properties))
	modified := int64(0)
	for _, p := range paths {
		nodes := s.Nodes(p)
		b = binary.AppendUvarint(appendString(b, p), uint64(len(nodes)))
		for _, n := range nodes {
			b, d = appendNode(b, n, modified), appendDerived(d, n)
			modified = n.Modified
		}
	}
	for _, p := range paths {
		for _, n := range s.Nodes(p) {
			b = append(b, n.Content...)
		}
	}
	return Part{Nodes: b, Derived: d}
}

// types are the node types that an image numbers from 1; 0 is followed by the name of
// another type.
var types = [...]string{document.TypeDocument, document.TypeHeadline}

// appendNode appends a node without its content; before is the time of modification of
// the previous node.
func appendNode(b []byte, n *node.Node, before int64) []byte {
	b = appendString(b, n.ID)
	number := slices.Index(types[:], n.Type) + 1
	b = binary.AppendUvarint(b, uint64(number))
	if number == 0 {
		b = appendString(b, n.Type)
	}
	b = binary.AppendVarint(b, n.Modified-before)
	b = binary.AppendUvarint(b, uint64(len(n.Kids)))
	marks := uint64(len(n.Attrs)) * 2
	if n.Bare {
		marks++
	}
	b = binary.AppendUvarint(b, marks)
	for _, a := range n.Attrs {
		b = appendString(appendString(b, a.Key), a.Value.Encoded())
	}
	return binary.AppendUvarint(b, uint64(len(n.Content)))
}

// Decode reads the parts of an image of documents of these formats, on all processors.
// Where a derived section is empty, damaged or of another parser, derived fields are read
// from the bytes, and derived is false. All digests are computed again; the caller
// compares the root. The state shares the memory of the parts, which must not change.
// Damaged input is an error, never a panic.
func Decode(parts []Part, formats document.Formats) (s *State, derived bool, err error) {
	if len(parts) == 0 {
		return nil, false, fmt.Errorf("image: no nodes section: %w", errShort)
	}
	whole, loaders, err := loadersOf(parts, formats)
	if err != nil {
		return nil, false, err
	}
	errs := make([]error, len(parts))
	bound.Each(len(parts), func(i int) { errs[i] = loaders[i].load() })
	derived = true
	lost := false
	for i := range loaders {
		if errs[i] != nil {
			return nil, false, partError(i, errs[i])
		}
		derived, lost = derived && loaders[i].whole, lost || loaders[i].lost
		whole.documents = append(whole.documents, loaders[i].documents...)
	}
	if !derived {
		if err := whole.rederive(); err != nil {
			return nil, false, err
		}
		lost = slices.ContainsFunc(whole.nodes, loses)
	}
	s = whole.state(lost)
	if s.DocumentCount() != len(whole.documents) {
		return nil, false, errors.New("image: nodes section: damaged: two documents of one path")
	}
	return s, derived, nil
}

func partError(part int, err error) error {
	return fmt.Errorf("image: part %d: nodes section: %w", part, err)
}

// stringOf returns bytes, which must not change, as a string without copying.
func stringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
