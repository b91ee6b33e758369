// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"fmt"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/document"
)

// Refile moves the subtree of headline i of from to the end of headline target of to,
// as its last child, or to the top level at the end of the document if target is -1.
// Levels are adjusted. from and to may be the same document; all splices are then in
// fromSplices. Under #+STARTUP: logrefile the move is logged.
//
// Neither document changes. A target inside the moved subtree and an index out of
// range are [ErrNoHeadline]. For time and now see [Document.Edit].
func Refile(from *Document, i int, to *Document, target int, now time.Time) (fromSplices, toSplices []document.Splice, err error) {
	if i == -1 {
		return nil, nil, kindErrorf(ErrNoHeadline, "a document cannot be refiled; move the file")
	}
	if i < 0 || i >= len(from.Headlines) || target < -1 || target >= len(to.Headlines) {
		return nil, nil, fmt.Errorf("refile: %w", ErrNoHeadline)
	}
	h := &from.Headlines[i]
	if from == to && target >= 0 && to.Headlines[target].Start >= h.Start && to.Headlines[target].Start < h.End {
		return nil, nil, kindErrorf(ErrNoHeadline, "a headline cannot be refiled below itself")
	}
	text := from.Source[h.Start:h.End]
	if from.logging(i).refile {
		e := newEditor(from, i, now)
		e.addLogLine("- Refiled on " + e.stampNow())
		text = e.doc.Source[e.headline().Start:e.headline().End]
	}
	source := newEditor(from, i, now)
	if from != to {
		destination := newEditor(to, target, now)
		destination.paste(destination.convertLineEnds(from.subtreeAtLevel(text, to.childLevel(target))))
		source.removeLines(h.Start, h.End)
		return source.draft.splices, destination.draft.splices, nil
	}
	source.moveWithin(i, target, from.subtreeAtLevel(text, to.childLevel(target)))
	return source.draft.splices, nil, nil
}

// moveWithin removes the subtree of headline i and inserts moved at the end of
// headline target, or of the document for -1. In between, the last line has a line
// end.
func (e *editor) moveWithin(i, target int, moved string) {
	ending := ""
	if n := len(e.doc.Source); e.doc.Source[n-1] != '\n' {
		ending = e.lineEndAt(n)
		e.replace(n, n, ending)
	}
	h := e.doc.Headlines[i]
	e.at = -1
	at := 0
	if target >= 0 {
		if at = e.doc.Headlines[target].Start; at > h.Start {
			at -= h.End - h.Start
		}
	}
	if !strings.HasSuffix(moved, "\n") {
		moved += ending
	}
	e.replace(h.Start, h.End, "")
	if target >= 0 {
		e.at = e.doc.headlineAt(at)
	}
	e.paste(moved)
	n := len(e.doc.Source)
	e.replace(n-len(ending), n, "")
}

// convertLineEnds returns text with the line ends used at the end of the document.
func (e *editor) convertLineEnds(text string) string {
	return withLineEnds(strings.ReplaceAll(text, "\r\n", "\n"), e.lineEndAt(len(e.doc.Source)))
}

// paste inserts a subtree at the end of the edited headline or document and returns
// its offset.
func (e *editor) paste(text string) int {
	at := len(e.doc.Source)
	if e.at >= 0 {
		at = e.headline().End
	}
	if !strings.HasSuffix(text, "\n") {
		text += e.lineEndAt(at)
	}
	return e.insertText(at, text)
}

// subtreeAtLevel returns a subtree, which starts with its headline, at another level.
// As in Emacs, the tags of its headlines are aligned; if the level stays the same,
// only those of the first headline.
func (d *Document) subtreeAtLevel(text string, level int) string {
	part := (&Document{Todo: d.Todo, Settings: d.Settings}).reparse(text)
	shift := level - part.Headlines[0].Level
	var b strings.Builder
	for i := range part.Headlines {
		h := &part.Headlines[i]
		if i > 0 && shift == 0 {
			b.WriteString(text[h.Start:])
			break
		}
		b.WriteString(part.lineAtLevel(i, h.Level+shift))
		b.WriteString(text[part.parts(i).lineEnd:h.SectionEnd])
	}
	return b.String()
}
