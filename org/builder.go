// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "strings"

// builder builds a tree in document order: open an element, add its children, close
// it.
type builder struct {
	doc      *Document
	src      string
	elements []Element
	open     int32         // the innermost open element; -1 for none
	objects  bool          // also parse objects
	radio    *radioTargets // targets of radio links; nil to find no such links
}

// beginElement opens an element and returns its index.
func (b *builder) beginElement(kind Type, start int) int32 {
	i := int32(len(b.elements))
	b.elements = append(b.elements, Element{Type: kind, Start: int32(start), Body: int32(start), Parent: b.open})
	b.open = i
	return i
}

// endElement closes element i, the innermost open one.
func (b *builder) endElement(i int32, end int) {
	e := &b.elements[i]
	e.End, e.Next = int32(end), int32(len(b.elements))
	b.open = e.Parent
}

// countLines returns the number of lines between two offsets.
func (b *builder) countLines(start, end int) int32 {
	n := strings.Count(b.src[start:end], "\n")
	if end > start && b.src[end-1] != '\n' {
		n++
	}
	return int32(n)
}
