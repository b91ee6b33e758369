// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
)

// appendBody keeps blank lines before the next headline after the text. A line that
// starts a headline is [ErrStructure] unless Children is set. A line that would be a
// setting of the file, or a planning line or property drawer in a position where Org
// looks for one, is always [ErrStructure], and so is the loss of a setting.
func (e *editor) appendBody(a document.AppendBody) error {
	start, end := e.bodyRange()
	if e.at < 0 {
		start = e.doc.DrawerEnd
	}
	at, before, after := e.appendPoint(start, end, a.Text)
	return e.writeBody("append body", at, at, before+wholeLines(a.Text)+after, a.Children)
}

// replaceBody keeps the log, see [editor.withoutLog], the blank lines around the body,
// and every byte if the text is the present one.
func (e *editor) replaceBody(r document.ReplaceBody) error {
	start, end := e.bodyRange()
	text := wholeLines(r.Text)
	text = e.withoutLog(text[:endOfText(text, 0, len(text))], start, end)
	if text == wholeLines(e.doc.Source[start:end]) {
		return nil
	}
	if e.at >= 0 && text != "" && skipBlankLines(text, 0, len(text)) == 0 {
		start = skipBlankLines(e.doc.Source, start, end)
	}
	return e.writeBody("replace body", start, end, text, r.Children)
}

// wholeLines returns text with line feeds as line ends, also after the last line.
func wholeLines(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

// bodyRange returns the start of the body, after planning, properties and log, and
// its end, before trailing blank lines.
func (e *editor) bodyRange() (start, end int) {
	if e.at < 0 {
		start, end = max(e.doc.bodyStart(), e.doc.settingsEnd()), e.doc.SectionEnd
	} else {
		h := e.headline()
		start, end = h.metadataEnd(), h.SectionEnd
		start = e.doc.logEnd(e.at, start)
	}
	return start, max(start, endOfText(e.doc.Source, start, end))
}

// appendPoint returns the offset at which text is appended to the body from start to end,
// and the lines that separate it from the text before and after. The offset is before
// footnote definitions, file variables and keywords of the element below them, which would
// absorb the text, and not inside a paragraph that has such a keyword.
func (e *editor) appendPoint(start, end int, text string) (at int, before, after string) {
	at = end
	tree := e.doc.Elements(e.at)
	for _, i := range slices.Backward(tree.top()) {
		el, line := &tree.Elements[i], tree.firstLine(i, tree.Elements[i].Type)
		belongsBelow := el.Type == TypeKeyword && isAffiliated(line)
		switch {
		case int(el.Start) < start:
			return at, before, after
		case belongsBelow && hasPrefixFold(line, "#+results"):
			return at, "\n", after // a block of code stays next to its results
		case belongsBelow, el.Type == TypeFootnoteDefinition && footnoteLabel(text) == 0,
			el.Type == TypeComment && strings.Contains(tree.Text(i), "Local Variables:"):
			if at, after = endOfText(e.doc.Source, start, int(el.Start)), ""; at == int(el.Start) {
				after = "\n"
			}
		case el.Type == TypeParagraph && el.Body > el.Start:
			return at, "\n", after
		default:
			return at, before, after
		}
	}
	return at, before, after
}

// settingsEnd returns the end of the last setting before the first headline,
// including the drawer or block around it; 0 if there are no settings.
func (d *Document) settingsEnd() int {
	last := -1
	for _, k := range d.Keywords {
		if k.Start < d.SectionEnd {
			last = k.Start
		}
	}
	if last < 0 {
		return 0
	}
	tree := d.Elements(-1)
	for i := range tree.Elements {
		el := &tree.Elements[i]
		if start, end := int(el.Start), int(el.End); i > 0 && tree.Elements[el.Parent].Type == TypeSection && start <= last && last < end {
			return endOfText(d.Source, start, end)
		}
	}
	return 0
}

// writeBody replaces the bytes from start to end by text and checks that only the
// body has changed.
func (e *editor) writeBody(name string, start, end int, text string, children bool) error {
	if reason := e.misplacedHeadline(text, children); reason != "" {
		return kindErrorf(ErrStructure, "%s: %s", name, reason)
	}
	before, at := e.doc, start
	if start < end {
		e.replaceLines(start, end, text)
	} else {
		at = e.insertLines(start, text)
	}
	if !sameExceptBody(before, e.doc, e.at, children) {
		after := len(e.doc.Source) - (len(before.Source) - end)
		return kindErrorf(ErrStructure, "%s: %s", name, e.bodyProblem(before, at, after))
	}
	return nil
}

// replaceLines replaces the whole lines from start to end.
func (e *editor) replaceLines(start, end int, lines string) {
	if lines == "" {
		e.removeLines(start, end)
		return
	}
	lines = withLineEnds(lines, e.lineEndAt(start))
	if src := e.doc.Source; end == len(src) && src[end-1] != '\n' {
		lines = strings.TrimRight(lines, "\r\n")
	}
	e.replace(start, end, lines)
}

// misplacedHeadline returns a message, with a remedy, about a headline in text that is not
// allowed there, or "".
func (e *editor) misplacedHeadline(text string, children bool) string {
	level := 0
	if e.at >= 0 {
		level = e.headline().Level
	}
	line := 0
	for l := range linesOf(text, 0, len(text)) {
		line++
		switch n := starsAt(text, l.start); {
		case n > 0 && !children:
			return fmt.Sprintf("line %d of the text begins a headline; escape it with a comma, or allow subheadings", line)
		case n > 0 && n <= level:
			return fmt.Sprintf("line %d of the text begins a headline of level %d; give it at least %d stars", line, n, level+1)
		}
	}
	return ""
}

// bodyProblem returns a message about text in the bytes from start to end that is
// parsed as more than text, or about another change since before, with a remedy; ""
// if there is none.
func (e *editor) bodyProblem(before *Document, start, end int) string {
	line := func(offset int) int { return strings.Count(e.doc.Source[start:offset], "\n") + 1 }
	inside := func(from, to int) bool { return from < to && from >= start && from < end }
	if e.at >= 0 && inside(e.headline().PlanningStart, e.headline().PlanningEnd) {
		return fmt.Sprintf("line %d of the text is a planning line; set the date by an edit of its own", line(e.headline().PlanningStart))
	}
	if drawer := e.drawer(); inside(drawer.DrawerStart, drawer.DrawerEnd) {
		return fmt.Sprintf("line %d of the text begins a property drawer; set properties by edits of their own", line(drawer.DrawerStart))
	}
	if k := firstMissing(e.doc.Keywords, before.Keywords); k != nil && inside(k.Start, k.End) {
		return fmt.Sprintf("line %d of the text sets #+%s for the file; escape it with a comma", line(k.Start), k.Key)
	}
	if k := firstMissing(before.Keywords, e.doc.Keywords); k != nil {
		return fmt.Sprintf("the line #+%s of the file would be lost; keep it, and close the blocks of the text", k.Key)
	}
	return "the lines around the text would be read differently; close its blocks and drawers"
}

// firstMissing returns the first keyword in some that others lacks, or nil.
func firstMissing(some, others []Keyword) *Keyword {
	for i := range some {
		if !slices.ContainsFunc(others, func(k Keyword) bool { return sameProperty(some[i], k) }) {
			return &some[i]
		}
	}
	return nil
}

// sameExceptBody reports whether the outlines before and after an edit of the body of
// headline i are equal, apart from offsets and, with children, the headlines below i.
func sameExceptBody(before, after *Document, i int, children bool) bool {
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
			a.Scheduled != b.Scheduled || a.Deadline != b.Deadline || a.Closed != b.Closed ||
			!slices.Equal(a.Tags, b.Tags) || !sameProperties(a.Properties, b.Properties) {
			return false
		}
	}
	return sameProperties(before.Properties, after.Properties) && sameProperties(before.Keywords, after.Keywords)
}

func sameProperties(a, b []Property) bool { return slices.EqualFunc(a, b, sameProperty) }

func sameProperty(a, b Property) bool { return a.Key == b.Key && a.Value == b.Value }
