// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"slices"
	"strings"
)

// noteHeadings are the beginnings of the log lines that Org writes by default. Each is
// followed by a time.
var noteHeadings = []string{
	`State "`, "Note taken on ", "CLOSING NOTE ", "Rescheduled from ", "Not scheduled, was ", "New deadline from ",
	"Removed deadline, was ", "Refiled on ",
}

// logSpans returns the lines of the log in a section, from an offset on: drawers, log
// lines with their notes, and clocks with the notes of their ends, wherever they are. With
// inside set, it returns the entries in drawers instead of the drawers. The spans are in
// order and disjoint, without blank lines after them.
func (d *Document) logSpans(i, from int, inside bool) []span {
	if i < 0 {
		return nil
	}
	r := logReader{d.Elements(i), d.Todo.All, []string{DefaultLogDrawer, d.logging(i).drawer, strings.Trim(conflictDrawer, ":")}}
	if name, ok := d.rawProperty(i, "CLOCK_INTO_DRAWER"); ok {
		r.drawers = append(r.drawers, name)
	}
	var out []span
	for k := 1; k < len(r.Elements); {
		el := &r.Elements[k]
		if int(el.Start) < from || el.Type == TypePlainList || inside && el.Type == TypeDrawer || !r.isLog(k) {
			k++
			continue
		}
		out = append(out, span{int(el.Start), endOfText(d.Source, int(el.Start), int(el.End))})
		k = int(el.Next)
	}
	return out
}

// logEnd returns the end of the log at the beginning of a section, from an offset on.
func (d *Document) logEnd(i, from int) int {
	for _, s := range d.logSpans(i, from, false) {
		if skipBlankLines(d.Source, from, s.start) < s.start {
			break
		}
		from = s.end
	}
	return from
}

// logReader finds the log in the tree of a section.
type logReader struct {
	*Tree
	keywords []string // task keywords
	drawers  []string // names of log drawers
}

// isLog reports whether element k is a log drawer, a drawer or list that contains only a
// log, a log line, or a clock.
func (r *logReader) isLog(k int) bool {
	switch r.Elements[k].Type {
	case TypeClock:
		return true
	case TypeDrawer:
		name := r.Drawer(k)
		return slices.ContainsFunc(r.drawers, func(n string) bool { return strings.EqualFold(n, name) }) || r.isAllLog(k)
	case TypePlainList:
		return r.isAllLog(k)
	case TypeItem:
		outer := r.Elements[r.Elements[r.Elements[k].Parent].Parent].Type // of the list
		return (outer == TypeSection || outer == TypeDrawer) && (r.isNote(k) || r.endsClock(k))
	}
	return false
}

// isAllLog reports whether element k is not empty and contains only a log.
func (r *logReader) isAllLog(k int) bool {
	children := slices.Collect(r.Children(k))
	return len(children) > 0 && !slices.ContainsFunc(children, func(c int) bool { return !r.isLog(c) })
}

// isNote reports whether an item is a log line: it has a time, and a heading of Org or the
// backslashes before a note. Because headings can be configured, an old or new state or
// date in quotes is enough, too.
func (r *logReader) isNote(item int) bool {
	line := r.firstLine(item, TypeItem)
	text := line[itemParts(line).bulletEnd:]
	if lastStamp(text) == "" {
		return false
	}
	for i, word := range strings.Split(text, `"`) {
		if i%2 == 1 && (slices.Contains(r.keywords, word) || singleTimestampLength(word) > 0) {
			return true
		}
	}
	return strings.HasSuffix(text, `] \\`) || slices.ContainsFunc(noteHeadings, func(h string) bool { return strings.HasPrefix(text, h) })
}

// endsClock reports whether an item is the note of the end of a clock: the first item of a
// list directly below the clock, of which all other items are log lines.
func (r *logReader) endsClock(item int) bool {
	list := int(r.Elements[item].Parent)
	if above := &r.Elements[list-1]; above.Type != TypeClock || above.PostBlank > 0 {
		return false
	}
	for k := range r.Children(list) {
		if k < item || k > item && !r.isNote(k) {
			return false
		}
	}
	return true
}

// lastStamp returns the last timestamp in a line, or "".
func lastStamp(line string) string {
	for at := len(line) - 1; at >= 0; at-- {
		if n := singleTimestampLength(line[at:min(len(line), at+maxTimestamp)]); n > 0 {
			return line[at : at+n]
		}
	}
	return ""
}

// withoutLog returns a new text for the body from start to end without the lines that
// precede the body, such as the log: a caller that read them with the body may send them
// back. Log lines further down that the text lacks are put first.
func (e *editor) withoutLog(text string, start, end int) string {
	src, from, above := e.doc.Source, e.doc.bodyStart(), []int{e.doc.Start, e.doc.DrawerEnd, e.doc.bodyStart()}
	if e.at >= 0 {
		h := e.headline()
		from, above = h.metadataEnd(), []int{h.Start, h.TextEnd, h.PlanningEnd, h.DrawerEnd}
	}
	for _, at := range above {
		if rest, ok := strings.CutPrefix(text, wholeLines(src[min(at, start):start])); ok {
			text, from = rest, start
			break
		}
	}
	if e.at < 0 {
		return text
	}
	_, logged := e.doc.cutPieces(e.at, span{from, start}, nil)
	rest, sentBack := e.doc.reparse(src[:from]+text+src[end:]).cutPieces(e.at, span{from, from + len(text)}, logged)
	if len(rest) < len(text) {
		rest = rest[skipBlankLines(rest, 0, len(rest)):]
	}
	_, lost := e.doc.cutPieces(e.at, span{start, e.headline().SectionEnd}, sentBack)
	var b strings.Builder
	for _, p := range lost {
		b.WriteString(wholeLines(p.text))
	}
	return b.String() + rest
}

// cutPieces removes from a part of the section of headline i the pieces of its log that are
// also in others, each as often as there. It returns the rest, and the pieces of the log that
// are left. A drawer is removed with the last of its pieces.
func (d *Document) cutPieces(i int, part span, others []logPiece) (rest string, left []logPiece) {
	var b strings.Builder
	count, at, entries := map[string]int{}, part.start, d.logSpans(i, part.start, true)
	for _, p := range others {
		count[p.key]++
	}
	for _, s := range d.logSpans(i, part.start, false) {
		if s.end = min(s.end, part.end); s.start >= s.end {
			break
		}
		var all []logPiece
		all, entries = logPieces(d.Source, s, entries)
		pieces := slices.DeleteFunc(slices.Clone(all), func(p logPiece) bool {
			count[p.key]--
			return p.key != "" && count[p.key] >= 0
		})
		if slices.ContainsFunc(pieces, func(p logPiece) bool { return p.key != "" }) {
			left = append(left, pieces...)
		} else if len(pieces) < len(all) {
			pieces = nil
		}
		b.WriteString(d.Source[at:s.start])
		for _, p := range pieces {
			b.WriteString(p.text)
		}
		at = s.end
	}
	return b.String() + d.Source[at:part.end], left
}
