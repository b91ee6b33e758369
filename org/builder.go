// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "strings"

// builder makes a tree in the order of the document: an element is opened, its
// children are added, and it is closed.
type builder struct {
	doc      *Document
	src      string
	elements []Element
	open     int32         // the innermost element that is not closed; -1 for none
	objects  bool          // objects are wanted too
	radio    *radioTargets // what radio links lead to; nil for no such links
}

// beginElement opens an element and returns its index.
func (b *builder) beginElement(kind Type, start int) int32 {
	i := int32(len(b.elements))
	b.elements = append(b.elements, Element{Type: kind, Start: int32(start), Body: int32(start), Parent: b.open})
	b.open = i
	return i
}

// endElement closes element i, the innermost one that is open.
func (b *builder) endElement(i int32, end int) {
	e := &b.elements[i]
	e.End, e.Next = int32(end), int32(len(b.elements))
	b.open = e.Parent
}

// countLines counts the lines from the offset start to end.
func (b *builder) countLines(start, end int) int32 {
	n := strings.Count(b.src[start:end], "\n")
	if end > start && b.src[end-1] != '\n' {
		n++
	}
	return int32(n)
}
