// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package notes

import (
	"strings"
	"time"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/node"
)

// fileEnd appends headlines to a file. Because an edit parses its document several times,
// doc holds only the text before the first headline and the last two top-level headlines with
// their descendants.
type fileEnd struct {
	first        string   // the text before the first headline
	middle       []string // the omitted text, in order
	omittedBytes int      // bytes of middle
	doc          document.Text
	parse        func(text string) document.Text
	whole        bool // nothing is omitted
	appends      bool // the last insert only appended text
}

// newFileEnd returns the end of a file with the given text and nodes; a new file has no nodes.
func newFileEnd(text string, nodes []*node.Node, format document.Format, parse func(text string) document.Text) *fileEnd {
	e := &fileEnd{parse: parse}
	if len(nodes) > 0 {
		e.first = nodes[0].Content
	}
	x, extends := format.(document.Extender)
	e.whole = !extends
	from, tops := len(text), 0
	for i := len(nodes) - 1; i > 0 && !e.whole; i-- {
		if !x.IsLocal(nodes[i].Content) {
			e.whole = true // a setting in the middle of the file may affect its end
			break
		}
		if tops < 2 {
			from -= len(nodes[i].Content)
		}
		if nodes[i].Parent == nodes[0].ID {
			tops++
		}
	}
	if e.whole || tops < 2 {
		e.doc = parse(text)
		return e
	}
	e.omit(text[len(e.first):from])
	e.doc = parse(e.first + text[from:])
	return e
}

// omitMiddle moves all but the last two top-level headlines into the middle.
func (e *fileEnd) omitMiddle() {
	if e.whole {
		return
	}
	if e.omittedBytes == 0 {
		_, end := e.doc.Own(-1)
		e.first = e.doc.Source()[:end]
	}
	tops, start := 0, 0
	for i := e.doc.Headlines() - 1; i >= 0 && tops < 2; i-- {
		if e.doc.IsTop(i) {
			tops++
			start, _ = e.doc.Own(i)
		}
	}
	if tops < 2 || start <= len(e.first) {
		return
	}
	src := e.doc.Source()
	e.omit(src[len(e.first):start])
	e.doc = e.parse(e.first + src[start:])
}

func (e *fileEnd) omit(text string) {
	e.middle, e.omittedBytes = append(e.middle, text), e.omittedBytes+len(text)
}

// insert adds a headline. After an error nothing has changed.
func (e *fileEnd) insert(now time.Time, h document.InsertHeadline) error {
	text, err := edited(e.doc, -1, now, h)
	if err != nil {
		return err
	}
	e.appends = strings.HasPrefix(text, e.doc.Source())
	e.doc = e.parse(text)
	e.omitMiddle()
	return nil
}

// size returns the length of the new text in bytes.
func (e *fileEnd) size() int { return len(e.doc.Source()) + e.omittedBytes }

// text returns the new text of the file.
func (e *fileEnd) text() string {
	if e.omittedBytes == 0 {
		return e.doc.Source()
	}
	var b strings.Builder
	b.Grow(e.size())
	b.WriteString(e.first)
	for _, part := range e.middle {
		b.WriteString(part)
	}
	b.WriteString(e.doc.Source()[len(e.first):])
	return b.String()
}
