// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/fovea-memory/fovea/node"
)

// ImageFormat is the version of the node and derived sections of an image
// (doc/format/nodes.md).
const ImageFormat = 0

// Part is some of the documents of an image, whole ones: a section of their
// nodes, and one of what the parser derived from these.
type Part struct {
	Nodes   []byte
	Derived []byte
}

// Encode returns the state in parts, which readers take side by side: documents
// by path, with ids, times, shape and bytes, and no digest. A part has about so
// many bytes of them, more where there would be more than most parts. There is
// at least one. O(bytes).
func (s *State) Encode(bytes, most int) []Part {
	paths, sizes, total := s.Paths(), make([]int, s.DocumentCount()), 0
	for i, p := range paths {
		sizes[i] = len(p) + 8
		for _, n := range s.Nodes(p) {
			sizes[i] += len(n.Content) + len(n.ID) + 32
		}
		total += sizes[i]
	}
	bytes = max(bytes, total/most+1)
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

// part encodes some documents; bytes is about what their nodes take.
func (s *State) part(paths []string, bytes int) Part {
	count := 0
	for _, p := range paths {
		count += len(s.Nodes(p))
	}
	b := make([]byte, 0, bytes+64)
	b = binary.AppendUvarint(b, ImageFormat)
	b = binary.AppendUvarint(b, uint64(len(paths)))
	b = binary.AppendUvarint(b, uint64(count))
	d := make([]byte, 0, count*128+16)
	d = binary.AppendUvarint(d, ImageFormat)
	d = binary.AppendUvarint(d, node.ParserVersion)
	d = binary.AppendUvarint(d, uint64(count))
	for _, p := range paths {
		nodes := s.Nodes(p)
		b = binary.AppendUvarint(appendString(b, p), uint64(len(nodes)))
		for _, n := range nodes {
			b, d = appendNode(b, n), appendDerived(d, n.Derived)
		}
	}
	return Part{Nodes: b, Derived: d}
}

func appendNode(b []byte, n *node.Node) []byte {
	b = appendString(b, n.ID)
	b = appendString(b, n.Type)
	b = binary.AppendVarint(b, n.Modified)
	b = binary.AppendUvarint(b, uint64(len(n.Kids)))
	b = binary.AppendUvarint(b, uint64(len(n.Attrs)))
	for _, a := range n.Attrs {
		b = appendString(appendString(b, a.Key), a.Value)
	}
	return appendString(b, n.Content)
}

// Decode reads the parts of an image, on all processors. Where a derived
// section is empty, damaged or of another parser, derived fields are read from
// the bytes. All digests are computed anew; who calls compares the root. The
// state shares the memory of the parts, which must not change. Damaged input is
// an error, never a panic.
func Decode(parts []Part) (*State, error) {
	if len(parts) == 0 {
		return nil, fmt.Errorf("image: no nodes section: %w", errShort)
	}
	loaders := make([]loader, len(parts))
	errs := make([]error, len(parts))
	sideBySide(len(parts), func(i int) {
		l := &loaders[i]
		if errs[i] = l.readNodes(text(parts[i].Nodes)); errs[i] == nil {
			l.derived = l.readDerived(text(parts[i].Derived))
			l.hash()
		}
	})
	derived, count := true, 0
	for i, l := range loaders {
		if errs[i] != nil {
			return nil, fmt.Errorf("image: part %d: nodes section: %w", i, errs[i])
		}
		derived, count = derived && l.derived, count+len(l.documents)
	}
	documents := make([][]*node.Node, 0, count)
	for _, l := range loaders {
		documents = append(documents, l.documents...)
	}
	if !derived {
		if err := rederive(documents); err != nil {
			return nil, err
		}
	}
	s := assemble(documents)
	if s.DocumentCount() != len(documents) {
		return nil, errors.New("image: nodes section: damaged: two documents of one path")
	}
	return s, nil
}

// text gives bytes that nobody changes as a string without copying them.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// sideBySide calls do with each number below n, on all processors.
func sideBySide(n int, do func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wg.Wait()
}
