// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package write

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/node"
)

// fileEnd appends headlines to a file. Because an edit parses its document, doc holds only the
// text before the first headline and the last two top-level headlines with what is below them.
type fileEnd struct {
	whole strings.Builder // the text of the file, to whose end texts are added
	doc   document.Text
	first int // length of the text before the first headline
	parse func(text string) document.Text
	parts bool // doc may leave text out
	plain bool // the text is UTF-8

	appended bool // the inserts of the present change only added text to the end
}

// newFileEnd returns the end of a file with the given text and nodes; a new file has no nodes.
func newFileEnd(text string, nodes []*node.Node, format document.Format, parse func(text string) document.Text) *fileEnd {
	e := &fileEnd{parse: parse, plain: !document.IsUTF16(text) && document.IsUTF8(text)}
	e.whole.WriteString(text)
	if len(nodes) > 0 {
		e.first = len(nodes[0].Content)
	}
	x, extends := format.(document.Editor)
	e.parts = extends
	from, tops := len(text), 0
	for i := len(nodes) - 1; i > 0 && e.parts; i-- {
		e.parts = x.IsLocal(nodes[i].Content) // else a setting in the middle of the file may affect its end
		if tops < 2 {
			from -= len(nodes[i].Content)
		}
		if nodes[i].Parent == nodes[0].ID {
			tops++
		}
	}
	if e.parts && tops >= 2 {
		text = text[:e.first] + text[from:]
	}
	e.doc = parse(text)
	return e
}

// insert adds a headline. After an error the text is as before.
func (e *fileEnd) insert(now time.Time, h document.InsertHeadline) error {
	text, err := Edited(e.doc, -1, now, h)
	more, appended := strings.CutPrefix(text, e.doc.Source())
	if err == nil && !appended && len(e.doc.Source()) < e.whole.Len() { // it changes a place that the whole file tells
		text, err = Edited(e.parse(e.text()), -1, now, h)
		more, appended = strings.CutPrefix(text, e.text())
	}
	if err != nil {
		return err
	}
	if e.appended = e.appended && appended; !appended {
		e.whole.Reset()
		more = text
	}
	e.whole.WriteString(more)
	e.plain = e.plain && utf8.ValidString(more)
	e.shorten(e.parse(text))
	return nil
}

// shorten sets doc to a document that ends the text, but for all between the text before the first
// headline and the last two top-level headlines.
func (e *fileEnd) shorten(doc document.Text) {
	e.doc = doc
	if !e.parts || doc.Headlines() == 0 {
		return
	}
	_, e.first = doc.Own(-1)
	tops, start := 0, 0
	for i := doc.Headlines() - 1; i >= 0 && tops < 2; i-- {
		if doc.IsTop(i) {
			tops++
			start, _ = doc.Own(i)
		}
	}
	if src := doc.Source(); tops == 2 && start > e.first {
		e.doc = e.parse(src[:e.first] + src[start:])
	}
}

// text returns the text of the file.
func (e *fileEnd) text() string { return e.whole.String() }
