// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "iter"

// A Tree is the syntax of one section below the outline: its elements and, where
// they were asked for, their objects. It is not changed after it was made and may
// be read by several goroutines.
//
// The elements stand in order of the document, each before its children: the
// children of Elements[i] lie between i+1 and Elements[i].Next.
type Tree struct {
	// Source is the text of the whole document.
	Source string
	// Elements holds the headline or the document at 0, and all below it.
	Elements []Element

	doc *Document // knows the abbreviations of links
}

// An Element is an element of a section or, inside a line of text, an object. It
// says what it is and where; what it holds is read from the bytes by the methods
// of its [Tree]. Offsets count bytes of Tree.Source.
type Element struct {
	Type Type
	// Secondary marks an object that stands in a headline's title or in the tag of
	// a list item, which org-element keeps apart from the contents.
	Secondary bool
	// Start and End are the whole of it. An element begins with its affiliated
	// keywords and ends behind the blank lines that follow it, an object behind
	// the blanks.
	Start, End int32
	// Body is where an element begins behind its affiliated keywords: Start when
	// it has none.
	Body int32
	// ContentsStart and ContentsEnd are what its children may lie in; both 0 when
	// it cannot have any or has none.
	ContentsStart, ContentsEnd int32
	// PostBlank counts the blank lines at the end of an element, the blanks at the
	// end of an object.
	PostBlank int32
	// Parent is the index of the parent; -1 for the first element.
	Parent int32
	// Next is the index behind the element's last descendant.
	Next int32
}

// Children returns the indexes of the children of element i, in order, secondary
// ones included.
func (t *Tree) Children(i int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for k := i + 1; k < int(t.Elements[i].Next); k = int(t.Elements[k].Next) {
			if !yield(k) {
				return
			}
		}
	}
}

// Text returns the bytes of element i, a part of Source.
func (t *Tree) Text(i int) string { return t.Source[t.Elements[i].Start:t.Elements[i].End] }

// A Type says what an element or object is. Its name is that of org-element.
type Type uint8

// The types of elements, in the order of greater elements, elements, objects.
const (
	TypeNone Type = iota
	TypeDocument
	TypeHeadline
	TypeSection
	TypeInlinetask

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
	TypeNone: "none", TypeDocument: "org-data", TypeHeadline: "headline", TypeSection: "section", TypeInlinetask: "inlinetask",
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

// String returns the name that org-element gives the type.
func (t Type) String() string {
	if int(t) < len(typeNames) {
		return typeNames[t]
	}
	return "none"
}

// IsObject reports whether the type is an object: it stands inside a line of text.
func (t Type) IsObject() bool { return t >= TypeBold }
