// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"fmt"
	"strings"
	"time"
)

// Refile moves headline i of from, with all below it, to the end of headline target
// of to, as its last child; with target = -1 to the end of the document, at its top
// level. The levels follow. The two documents may be the same one: then all splices
// are in fromSplices. Under #+STARTUP: logrefile the move is logged.
//
// It changes neither document. A target inside the subtree that moves, or an index
// out of range, is [ErrNoHeadline]. Time and now are as for [Document.Edit].
func Refile(from *Document, i int, to *Document, target int, now time.Time) (fromSplices, toSplices []Splice, err error) {
	if i == -1 {
		return nil, nil, kindErrorf(ErrNoHeadline, "a document is not refiled; move the file")
	}
	if i < 0 || i >= len(from.Headlines) || target < -1 || target >= len(to.Headlines) {
		return nil, nil, fmt.Errorf("refile: %w", ErrNoHeadline)
	}
	h := &from.Headlines[i]
	if from == to && target >= 0 && to.Headlines[target].Start >= h.Start && to.Headlines[target].Start < h.End {
		return nil, nil, kindErrorf(ErrNoHeadline, "a headline is not refiled below itself")
	}
	text := from.Source[h.Start:h.End]
	if from.logging(i).refile {
		text = withRefileLog(from, i, now)
	}
	source := newEditor(from, i, now)
	if from != to {
		destination := newEditor(to, target, now)
		destination.paste(destination.convertLineEnds(from.subtreeAtLevel(text, to.childLevel(target))))
		source.removeLines(h.Start, h.End)
		return source.draft.splices(), destination.draft.splices(), nil
	}
	source.moveWithin(i, target, from.subtreeAtLevel(text, to.childLevel(target)))
	return source.draft.splices(), nil, nil
}

// moveWithin takes out headline i with all below it and puts moved at the end of
// headline target, or with -1 of the document. Meanwhile the last line has an end.
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

// withRefileLog returns the text of headline i's subtree with a line in its log that tells
// of the move.
func withRefileLog(d *Document, i int, now time.Time) string {
	e := newEditor(d, i, now)
	e.addLogLine("- Refiled on " + e.stampNow())
	h := e.headline()
	return e.doc.Source[h.Start:h.End]
}

// convertLineEnds returns text with the line ends of the end of the document.
func (e *editor) convertLineEnds(text string) string {
	return withLineEnds(strings.ReplaceAll(text, "\r\n", "\n"), e.lineEndAt(len(e.doc.Source)))
}

// paste inserts a subtree at the end of the headline being edited or of the document.
// It returns where it begins.
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

// subtreeAtLevel returns a subtree, which begins with its headline, moved to a level. As in
// Emacs the tags of its headlines are aligned, or where the level stays those of the
// first alone.
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
