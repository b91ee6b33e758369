// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/text"
)

// The drawer of conflicts is at the beginning of the body. Each entry is a list item
// that names the field and the author of the lost value. The kept and the lost value
// follow as fixed-width lines, so that none of their lines can end the drawer or begin a
// headline:
//
//	:CONFLICT:
//	- title :: by anne, commit bafy…
//	: -the kept value
//	: +the lost value
//	:END:
const (
	conflictDrawer = ":CONFLICT:"
	entryItem      = "- "
	entryBy        = " :: by "
	entryKept      = ": -"
	entryLost      = ": +"
)

// conflictSetting is the line that tags a document.
const conflictSetting = "#+FILETAGS: :" + document.ConflictTag + ":"

// addConflicts adds new conflicts and the tag.
func (p *fields) addConflicts(conflicts []document.Conflict, n *document.Part) {
	for _, c := range conflicts {
		if e := ConflictEntry(c); !slices.Contains(p.entries, e) {
			p.entries = append(p.entries, e)
		}
	}
	if n.Type == document.TypeHeadline {
		p.line = withTag(p.line, document.ConflictTag)
		return
	}
	if !strings.Contains(p.settings, conflictSetting) {
		if p.settings != "" && !strings.HasSuffix(p.settings, "\n") {
			p.settings += "\n"
		}
		p.settings += conflictSetting + lineEnd(p.settings)
	}
}

// ConflictEntry returns a conflict as an entry of the drawer of conflicts.
func ConflictEntry(c document.Conflict) string {
	var b strings.Builder
	b.WriteString(entryItem + text.Line(c.Field) + entryBy + text.Line(c.By) + "\n")
	for _, v := range []struct{ mark, text string }{{entryKept, c.Kept}, {entryLost, c.Lost}} {
		if v.text == "" {
			continue
		}
		for line := range strings.SplitSeq(strings.TrimSuffix(v.text, "\n"), "\n") {
			b.WriteString(v.mark + strings.TrimSuffix(line, "\r") + "\n")
		}
	}
	return b.String()
}

// cutConflicts splits the conflict drawer from the beginning of a body. A drawer with that
// name but another form is part of the body.
func cutConflicts(text string) (entries []string, body string) {
	first := lineAt(text, 0, len(text))
	if first.text(text) != conflictDrawer {
		return nil, text
	}
	for l := range linesOf(text, first.next, len(text)) {
		switch line := l.text(text); {
		case line == drawerClose && len(entries) > 0:
			return entries, text[l.next:]
		case strings.HasPrefix(line, entryItem) && strings.Contains(line, entryBy):
			entries = append(entries, line+"\n")
		case len(entries) > 0 && (strings.HasPrefix(line, entryKept) || strings.HasPrefix(line, entryLost)):
			entries[len(entries)-1] += line + "\n"
		default:
			return nil, text
		}
	}
	return nil, text
}

// readEntry parses a drawer entry. Values that are not empty end in a line feed.
func readEntry(text string) document.Conflict {
	var c document.Conflict
	head := lineAt(text, 0, len(text))
	c.Field, c.By, _ = strings.Cut(strings.TrimPrefix(head.text(text), entryItem), entryBy)
	for l := range linesOf(text, head.next, len(text)) {
		if v, ok := strings.CutPrefix(l.text(text), entryKept); ok {
			c.Kept += v + "\n"
		} else if v, ok := strings.CutPrefix(l.text(text), entryLost); ok {
			c.Lost += v + "\n"
		}
	}
	return c
}

// Conflicts returns the conflicts in the drawer of a node, in order; nil without a
// drawer. Values that are not empty end in a line feed.
func (Format) Conflicts(n *document.Part) []document.Conflict {
	if n.Derived.Opaque || !strings.Contains(n.Content, conflictDrawer) {
		return nil
	}
	var out []document.Conflict
	for _, e := range fieldsOf(n).entries {
		out = append(out, readEntry(e))
	}
	return out
}

// withTag returns a headline's line, without stars, with a tag added.
func withTag(line, tag string) string {
	text := strings.TrimRight(line, " \t\r\n")
	switch tags := tagsOf(line); {
	case len(tags) == 0:
		text += " :" + tag + ":"
	case !slices.Contains(tags, tag):
		text += tag + ":"
	}
	return text + ending(line)
}

// withoutTag returns a headline's line, without stars, with a tag removed.
func withoutTag(line, tag string) string {
	tags := tagsOf(line)
	if !slices.Contains(tags, tag) {
		return line
	}
	text := strings.TrimSuffix(strings.TrimRight(line, " \t\r\n"), tagWord(tags))
	if rest := slices.DeleteFunc(slices.Clone(tags), func(t string) bool { return t == tag }); len(rest) > 0 {
		return text + tagWord(rest) + ending(line)
	}
	if text = strings.TrimRight(text, " \t"); text == "" {
		text = " "
	}
	return text + ending(line)
}

// tagsOf returns the tags of a headline's line without stars.
func tagsOf(line string) []string {
	tags, _ := splitTags(lineAt(line, 0, len(line)).text(line))
	return tags
}

// ending returns the line end of a line, "" if it has none.
func ending(line string) string { return line[len(strings.TrimRight(line, "\r\n")):] }
