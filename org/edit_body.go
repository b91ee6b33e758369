// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"fmt"
	"slices"
	"strings"
)

// AppendBody adds text, in lines of its own, to the end of a headline's own text, or
// of the text before the first headline. Blank lines before the next headline stay
// behind it.
//
// Unless Children is set, a line of the text that begins a headline is
// [ErrStructure]; with it the headlines must lie below the edited one. A line that
// would be a setting of the file, a planning line or a property drawer where Org
// looks for one is [ErrStructure] in any case, and so is the loss of a setting.
type AppendBody struct {
	Text     string
	Children bool
}

// ReplaceBody is [AppendBody] in the place of the own text behind planning line,
// property drawer and log drawer, which stay. "" removes that text.
type ReplaceBody struct {
	Text     string
	Children bool
}

func (a AppendBody) apply(e *editor) error {
	_, end := e.bodyRange()
	return e.writeBody("append body", end, end, a.Text, a.Children)
}

func (r ReplaceBody) apply(e *editor) error {
	start, end := e.bodyRange()
	return e.writeBody("replace body", start, end, r.Text, r.Children)
}

// bodyRange returns where the own text begins behind planning, properties and log,
// and where it ends before the blank lines at its end.
func (e *editor) bodyRange() (start, end int) {
	src := e.doc.Source
	if e.at < 0 {
		start, end = max(e.doc.Start, e.doc.DrawerEnd), e.doc.SectionEnd
	} else {
		h := e.headline()
		start, end = max(h.TextEnd, h.PlanningEnd, h.DrawerEnd), h.SectionEnd
		start = e.skipLog(start, end)
	}
	return start, max(start, endOfText(src, start, end))
}

// skipLog returns the offset behind the log drawer that begins at the offset at; at
// when there is none.
func (e *editor) skipLog(at, limit int) int {
	src := e.doc.Source
	open := lineAt(src, at, limit)
	name := e.doc.logging(e.at).drawer
	if text := trimBlanks(src[open.start:open.end]); !strings.EqualFold(text, ":"+name+":") && !strings.EqualFold(text, ":LOGBOOK:") {
		return at
	}
	for l := lineAt(src, open.next, limit); l.start < limit; l = lineAt(src, l.next, limit) {
		if strings.EqualFold(trimBlanks(src[l.start:l.end]), drawerClose) {
			return l.next
		}
	}
	return at
}

// endOfText returns the end of the last line before limit, and not before start,
// that is not blank.
func endOfText(src string, start, limit int) int {
	text := strings.TrimRight(src[start:limit], " \t\r\n")
	if text == "" {
		return start
	}
	return lineAt(src, start+len(text), limit).next
}

// writeBody puts text for the bytes start to end and checks that nothing but the
// body has changed.
func (e *editor) writeBody(name string, start, end int, text string, children bool) error {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if err := e.checkBody(text, children); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	before := e.doc
	if start < end {
		e.replaceLines(start, end, text)
	} else {
		e.insertLines(start, text)
	}
	if !sameBut(before, e.doc, e.at, children) {
		return fmt.Errorf("%s: it would be read as more than text: %w", name, ErrStructure)
	}
	return nil
}

// replaceLines puts lines for the whole lines from start to end.
func (e *editor) replaceLines(start, end int, lines string) {
	if lines == "" {
		e.removeLines(start, end)
		return
	}
	lines = withEnds(lines, e.lineEnd(start))
	if src := e.doc.Source; end == len(src) && src[end-1] != '\n' {
		lines = strings.TrimRight(lines, "\r\n")
	}
	e.replace(start, end, lines)
}

// checkBody fails for headlines in text that do not belong there.
func (e *editor) checkBody(text string, children bool) error {
	level := 0
	if e.at >= 0 {
		level = e.headline().Level
	}
	for at := 0; at < len(text); {
		switch n := starsAt(text, at); {
		case n > 0 && !children:
			return fmt.Errorf("a line begins a headline: %w", ErrStructure)
		case n > 0 && n <= level:
			return fmt.Errorf("a headline of level %d is not below level %d: %w", n, level, ErrStructure)
		}
		at = lineAt(text, at, len(text)).next
	}
	return nil
}

// sameBut reports whether the outline after an edit of headline i's body equals that
// before it, apart from offsets and, with children, from headlines below i.
func sameBut(before, after *Document, i int, children bool) bool {
	extra := len(after.Headlines) - len(before.Headlines)
	if extra < 0 || extra > 0 && !children {
		return false
	}
	for k := range before.Headlines {
		n := k
		if k > i {
			n += extra
		}
		a, b := &before.Headlines[k], &after.Headlines[n]
		if a.Level != b.Level || a.Todo != b.Todo || a.Title != b.Title || a.Priority != b.Priority ||
			!slices.Equal(a.Tags, b.Tags) || !sameMeta(a, b) {
			return false
		}
	}
	return sameProperties(before.Properties, after.Properties) &&
		slices.EqualFunc(before.Keywords, after.Keywords, func(a, b Keyword) bool { return a.Key == b.Key && a.Value == b.Value })
}

func sameMeta(a, b *Headline) bool {
	return a.Scheduled == b.Scheduled && a.Deadline == b.Deadline && a.Closed == b.Closed && sameProperties(a.Properties, b.Properties)
}

func sameProperties(a, b []Property) bool {
	return slices.EqualFunc(a, b, func(a, b Property) bool { return a.Key == b.Key && a.Value == b.Value })
}
