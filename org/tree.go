// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"iter"
	"slices"
	"strings"
)

// A Tree is the syntax tree of one section: its elements and, if requested, their
// objects. It does not change after its creation, so it is safe for concurrent use.
//
// Elements are in document order, parents before children: the descendants of
// Elements[i] are the elements from i+1 to Elements[i].Next.
type Tree struct {
	// Source is the text of the whole document.
	Source string
	// Elements holds the headline or the document at index 0, then its descendants.
	Elements []Element

	doc *Document // has the link abbreviations
}

// An Element is an element of a section or an object in a line of text. It has a type
// and a range; the methods of its [Tree] parse its details from the bytes. Offsets
// are byte offsets in Tree.Source.
type Element struct {
	Type Type
	// Secondary marks an object in a headline's title or in the tag of a list item,
	// which org-element keeps apart from the contents.
	Secondary bool
	// Start and End are the whole range. An element includes its affiliated keywords
	// and the blank lines after it, an object the blanks after it.
	Start, End int32
	// Body is the start of an element after its affiliated keywords.
	Body int32
	// ContentsStart and ContentsEnd are the range of its children; both are 0 if it
	// has none or cannot have any.
	ContentsStart, ContentsEnd int32
	// PostBlank is the number of blank lines at the end of an element, or of blanks
	// at the end of an object.
	PostBlank int32
	// Parent is the index of the parent; -1 for the first element.
	Parent int32
	// Next is the index after the element's last descendant.
	Next int32
}

// Children returns the indexes of the children of element i in order, including
// secondary ones.
func (t *Tree) Children(i int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for k := i + 1; k < int(t.Elements[i].Next); k = int(t.Elements[k].Next) {
			if !yield(k) {
				return
			}
		}
	}
}

// top returns the indexes of the outermost elements of the section.
func (t *Tree) top() []int {
	if len(t.Elements) < 2 {
		return nil
	}
	return slices.Collect(t.Children(1)) // of the section
}

// Text returns the bytes of element i, a substring of Source.
func (t *Tree) Text(i int) string { return t.Source[t.Elements[i].Start:t.Elements[i].End] }

// A Type is the type of an element or object. Its name is that of org-element.
type Type uint8

// The types: greater elements, then elements, then objects.
const (
	TypeNone Type = iota
	TypeDocument
	TypeHeadline
	TypeSection

	TypeCenterBlock
	TypeDrawer
	TypeDynamicBlock
	TypeFootnoteDefinition
	TypeItem
	TypePlainList
	TypePropertyDrawer
	TypeQuoteBlock
	TypeSpecialBlock
	TypeTable

	TypeBabelCall
	TypeClock
	TypeComment
	TypeCommentBlock
	TypeDiarySexp
	TypeExampleBlock
	TypeExportBlock
	TypeFixedWidth
	TypeHorizontalRule
	TypeKeyword
	TypeLatexEnvironment
	TypeNodeProperty
	TypeParagraph
	TypePlanning
	TypeSrcBlock
	TypeTableRow
	TypeVerseBlock

	TypeBold
	TypeCitation
	TypeCitationReference
	TypeCode
	TypeEntity
	TypeExportSnippet
	TypeFootnoteReference
	TypeInlineBabelCall
	TypeInlineSrcBlock
	TypeItalic
	TypeLatexFragment
	TypeLineBreak
	TypeLink
	TypeMacro
	TypeRadioTarget
	TypeStatisticsCookie
	TypeStrikeThrough
	TypeSubscript
	TypeSuperscript
	TypeTableCell
	TypeTarget
	TypeTimestamp
	TypeUnderline
	TypeVerbatim
)

var typeNames = [...]string{
	TypeNone: "none", TypeDocument: "org-data", TypeHeadline: "headline", TypeSection: "section",
	TypeCenterBlock: "center-block", TypeDrawer: "drawer", TypeDynamicBlock: "dynamic-block",
	TypeFootnoteDefinition: "footnote-definition", TypeItem: "item", TypePlainList: "plain-list",
	TypePropertyDrawer: "property-drawer", TypeQuoteBlock: "quote-block", TypeSpecialBlock: "special-block", TypeTable: "table",
	TypeBabelCall: "babel-call", TypeClock: "clock", TypeComment: "comment", TypeCommentBlock: "comment-block",
	TypeDiarySexp: "diary-sexp", TypeExampleBlock: "example-block", TypeExportBlock: "export-block",
	TypeFixedWidth: "fixed-width", TypeHorizontalRule: "horizontal-rule", TypeKeyword: "keyword",
	TypeLatexEnvironment: "latex-environment", TypeNodeProperty: "node-property", TypeParagraph: "paragraph",
	TypePlanning: "planning", TypeSrcBlock: "src-block", TypeTableRow: "table-row", TypeVerseBlock: "verse-block",
	TypeBold: "bold", TypeCitation: "citation", TypeCitationReference: "citation-reference", TypeCode: "code",
	TypeEntity: "entity", TypeExportSnippet: "export-snippet", TypeFootnoteReference: "footnote-reference",
	TypeInlineBabelCall: "inline-babel-call", TypeInlineSrcBlock: "inline-src-block", TypeItalic: "italic",
	TypeLatexFragment: "latex-fragment", TypeLineBreak: "line-break", TypeLink: "link", TypeMacro: "macro",
	TypeRadioTarget: "radio-target", TypeStatisticsCookie: "statistics-cookie", TypeStrikeThrough: "strike-through",
	TypeSubscript: "subscript", TypeSuperscript: "superscript", TypeTableCell: "table-cell", TypeTarget: "target",
	TypeTimestamp: "timestamp", TypeUnderline: "underline", TypeVerbatim: "verbatim",
}

// String returns the org-element name of the type.
func (t Type) String() string {
	if int(t) < len(typeNames) {
		return typeNames[t]
	}
	return "none"
}

// IsObject reports whether the type is an object, which is part of a line of text.
func (t Type) IsObject() bool { return t >= TypeBold }

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
