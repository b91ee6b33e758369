// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"github.com/fovea-memory/fovea/document"
)

// tagsColumn is the column in which the tags of an edited headline end, as Emacs
// aligns them. Under #+STARTUP: indent, hidden stars are added.
const tagsColumn = 77

// setPriority returns [ErrPriority] for a priority outside the range of #+PRIORITIES, by
// default A to C.
func (e *editor) setPriority(s document.SetPriority) error {
	priority := strings.ToUpper(s.Priority)
	if err := e.doc.checkPriority(priority); err != nil {
		return err
	}
	h, p := e.headline(), e.doc.parts(e.at)
	start, end, text := p.priority, p.priorityEnd, "[#"+priority+"]"
	switch {
	case priority == "":
		text = ""
		if h.Priority != "" && end < p.lineEnd && e.doc.Source[end] == ' ' {
			end++
		}
	case h.Priority != "":
	case h.Todo != "":
		start, end, text = p.keywordEnd, p.keywordEnd, " "+text
	default:
		start, end, text = p.comment, p.comment, text+" "
	}
	e.replaceInLine(e.at, start, end, text)
	if got := e.headline().Priority; got != priority {
		return kindErrorf(ErrStructure, "set priority %q: it would be read as %q; change the title first", priority, got)
	}
	return nil
}

// checkPriority returns an error for a priority outside the range of the file.
func (d *Document) checkPriority(priority string) error {
	if priority == "" {
		return nil
	}
	highest, lowest := "A", "C"
	for _, k := range d.Settings {
		if words := strings.Fields(k.Value); k.Key == "PRIORITIES" && len(words) >= 2 {
			highest, lowest = words[0], words[1]
		}
	}
	rank := func(s string) int {
		if n, err := strconv.Atoi(s); err == nil {
			return n
		}
		if len(s) == 1 {
			return int(s[0])
		}
		return -1
	}
	if r := rank(priority); r < rank(highest) || r > rank(lowest) || priorityCookie("[#"+priority+"]") == 0 {
		return fmt.Errorf("set priority %q: not between %s and %s: %w", priority, highest, lowest, ErrPriority)
	}
	return nil
}

// setTitle keeps COMMENT. It returns [ErrStructure] for a title that would not be parsed as
// a title.
func (e *editor) setTitle(s document.SetTitle) error {
	title := trimBlanks(s.Title)
	if strings.ContainsAny(title, "\r\n") {
		return kindErrorf(ErrStructure, "set title %q: a title is one line; leave out the line break", title)
	}
	before, p := *e.headline(), e.doc.parts(e.at)
	if title != "" && !isBlank(e.doc.Source[p.title-1]) {
		title = " " + title
	}
	if len(before.Tags) > 0 {
		title += " "
	}
	e.replaceInLine(e.at, p.title, p.tags, title)
	after := e.headline()
	if after.Title != trimBlanks(title) || after.Todo != before.Todo || after.Priority != before.Priority ||
		after.Commented != before.Commented || !slices.Equal(after.Tags, before.Tags) {
		return kindErrorf(ErrStructure, "set title %q: it would be read as more than a title; leave out keyword, priority and tags", s.Title)
	}
	return nil
}

// addTag returns [ErrTag] for an invalid tag.
func (e *editor) addTag(s document.AddTag) error {
	if s.Tag == "" || strings.Contains(s.Tag, ":") || !isTagGroup(s.Tag) {
		return fmt.Errorf("add tag %q: %w", s.Tag, ErrTag)
	}
	tags := e.headline().Tags
	if !slices.Contains(tags, s.Tag) {
		tags = append(slices.Clone(tags), s.Tag)
	}
	return e.setTags(tags)
}

// setTags writes the non-empty tags of the headline and aligns them.
func (e *editor) setTags(tags []string) error {
	if slices.Equal(tags, e.headline().Tags) {
		e.alignTags(e.at)
		return nil
	}
	tags = slices.DeleteFunc(slices.Clone(tags), func(tag string) bool { return tag == "" })
	text := ""
	if len(tags) > 0 {
		text = " " + tagWord(tags)
	}
	p := e.doc.parts(e.at)
	e.replaceInLine(e.at, max(p.titleEnd, p.priorityEnd, p.keywordEnd), p.lineEnd, text)
	if got := e.headline().Tags; !slices.Equal(got, tags) {
		return kindErrorf(ErrStructure, "set tags %q: the headline would be read with %q; change the title first", tags, got)
	}
	return nil
}

// replaceInLine replaces bytes in the line of headline i and moves its tags to the
// column where Emacs puts them.
func (e *editor) replaceInLine(i, start, end int, text string) {
	e.replace(start, end, text)
	e.alignTags(i)
}

func (e *editor) alignTags(i int) {
	if h := &e.doc.Headlines[i]; len(h.Tags) > 0 {
		e.replace(h.Start, e.doc.parts(i).lineEnd, e.doc.lineAtLevel(i, h.Level))
	}
}

// lineAtLevel returns the line of headline i, without its end, at another level. It
// aligns the tags as Emacs does, unless they end in the right column already.
func (d *Document) lineAtLevel(i, level int) string {
	h, p := &d.Headlines[i], d.parts(i)
	stars := strings.Repeat("*", level)
	if len(h.Tags) == 0 {
		return stars + d.Source[h.Start+h.Level:p.lineEnd]
	}
	tags := tagsColumn - displayColumn(d.Source[p.tags:p.tagsEnd])
	if d.startupOption("indent", "noindent") {
		tags -= level - 1
	}
	text := stars + d.Source[h.Start+h.Level:p.tags]
	if displayColumn(text) != tags {
		text = trimBlanksRight(text)
		text += strings.Repeat(" ", max(tags-displayColumn(text), 1))
	}
	return text + d.Source[p.tags:p.lineEnd]
}

// displayColumn returns the column after s, displayed by Emacs from the first column on.
func displayColumn(s string) int {
	at := 0
	for i, r := range s {
		switch {
		case r == '\t':
			at += tabWidth - at%tabWidth
		case r < ' ' || r == 0x7f: // ^A
			at += 2
		case r < utf8.RuneSelf:
			at++
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"): // \377
			at += 4
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		default:
			at++
			if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
				at++
			}
		}
	}
	return at
}

func padRight(s string, n int) string { return s + strings.Repeat(" ", max(n-displayColumn(s), 0)) }
