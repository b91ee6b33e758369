// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
)

// insertHeadline also inserts a blank line if one precedes the headline before, as Emacs does.
func (e *editor) insertHeadline(s document.InsertHeadline) error {
	edited, start := e.at, e.insertEmptyHeadline(s.Sibling)
	e.at = e.doc.headlineAt(start)
	for _, edit := range s.Edits() {
		if err := e.apply(edit); err != nil {
			return fmt.Errorf("insert headline: %w", err)
		}
	}
	e.at = edited
	return nil
}

// insertEmptyHeadline inserts an empty headline and returns its offset.
func (e *editor) insertEmptyHeadline(sibling bool) int {
	after, level := e.at, 0
	if !sibling {
		after, level = e.doc.lastChild(e.at)
	} else {
		level = e.headline().Level
	}
	start, limit, blank := e.doc.Start, len(e.doc.Source), false
	if after >= 0 {
		h := &e.doc.Headlines[after]
		start, limit, blank = h.Start, h.End, e.doc.hasBlankBefore(after)
	}
	place, empty := e.doc.insertionPoint(start, limit)
	lines := strings.Repeat("*", level) + " \n"
	switch {
	case blank && empty > 1: // one empty line separates the two headlines
		place = lineAt(e.doc.Source, place, limit).next
	case blank && !endsWithBlankLine(e.doc.Source[:place]):
		at := e.insertLines(place, "\n"+lines)
		return lineAt(e.doc.Source, at, len(e.doc.Source)).next
	}
	return e.insertLines(place, lines)
}

// insertionPoint returns the offset and number of the empty lines at the end of a
// text. A line of blanks is not empty, as in Emacs.
func (d *Document) insertionPoint(start, limit int) (offset, empty int) {
	text := strings.TrimRight(d.Source[start:limit], "\r\n")
	if text == "" {
		return start, 0
	}
	offset = lineAt(d.Source, start+len(text), limit).next
	return offset, strings.Count(d.Source[offset:limit], "\n")
}

// lastChild returns the last child of headline i, or i itself if it has none, and the
// level of a new child. For i = -1 it is the last headline of the document, or -1 if
// there is none.
func (d *Document) lastChild(i int) (after, level int) {
	after, level = i, d.childLevel(i)
	for k := i + 1; k < len(d.Headlines) && (i < 0 || d.Headlines[k].Start < d.Headlines[i].End); k++ {
		if int(d.Headlines[k].Parent) == i {
			after, level = k, d.Headlines[k].Level
		}
	}
	return after, level
}

// childLevel returns the level of a child of headline i. Under #+STARTUP: odd only
// odd levels are used.
func (d *Document) childLevel(i int) int {
	level := 0
	if i >= 0 {
		level = d.Headlines[i].Level
	}
	if i >= 0 && d.startupOption("odd", "oddeven") {
		return 1 + (level+1)/2*2
	}
	return level + 1
}

// startupOption reports whether the last of the words on and off in the #+STARTUP
// lines is on.
func (d *Document) startupOption(on, off string) bool {
	is := false
	for _, k := range d.Settings {
		if k.Key == "STARTUP" {
			for word := range strings.FieldsSeq(k.Value) {
				is = word == on || is && word != off
			}
		}
	}
	return is
}

// hasBlankBefore reports whether a blank line precedes headline i or, if the text
// starts with headline i, the next one.
func (d *Document) hasBlankBefore(i int) bool {
	if d.Headlines[i].Start == d.Start {
		if i++; i == len(d.Headlines) {
			return false
		}
	}
	return endsWithBlankLine(d.Source[:d.Headlines[i].Start])
}

// endsWithBlankLine reports whether the last line of text is blank.
func endsWithBlankLine(text string) bool {
	text = strings.TrimSuffix(text, "\n")
	return strings.Trim(text[strings.LastIndexByte(text, '\n')+1:], " \t\r") == ""
}

// headlineAt returns the index of the headline at an offset.
func (d *Document) headlineAt(offset int) int {
	return slices.IndexFunc(d.Headlines, func(h Headline) bool { return h.Start == offset })
}
