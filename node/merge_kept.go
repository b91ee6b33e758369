// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"slices"
	"strings"
	"unicode"

	"github.com/fovea-memory/fovea/org"
)

// The drawer of conflicts stands where the body begins. Each entry is a list item
// that names the field and who made the lost value, then as fixed-width lines, so
// that no line of theirs can end the drawer or begin a headline, what stands in the
// node and what was lost:
//
//	:CONFLICT:
//	- title :: by anne, commit bafy…
//	: -what stands
//	: +what was lost
//	:END:
const (
	keptBegin = ":CONFLICT:"
	keptEnd   = ":END:"
	keptItem  = "- "
	keptBy    = " :: by "
	keptStays = ": -"
	keptLost  = ": +"
)

// conflictSetting gives a document the tag.
const conflictSetting = "#+FILETAGS: :" + ConflictTag + ":"

// keep adds conflicts that are not there yet, and the tag.
func (p *parts) keep(conflicts []Conflict, n *Node) {
	for _, c := range conflicts {
		if e := c.entry(); !slices.Contains(p.kept, e) {
			p.kept = append(p.kept, e)
		}
	}
	if n.Type == TypeHeadline {
		p.line = withTag(p.line, ConflictTag)
		return
	}
	if !strings.Contains(p.settings, conflictSetting) {
		if p.settings != "" && !strings.HasSuffix(p.settings, "\n") {
			p.settings += "\n"
		}
		p.settings += conflictSetting + lineEnd(p.settings)
	}
}

// entry writes a conflict as the drawer has it.
func (c Conflict) entry() string {
	var b strings.Builder
	b.WriteString(keptItem + oneLine(c.Field) + keptBy + oneLine(c.By) + "\n")
	for _, v := range []struct{ mark, text string }{{keptStays, c.Kept}, {keptLost, c.Lost}} {
		if v.text == "" {
			continue
		}
		for line := range strings.SplitSeq(strings.TrimSuffix(v.text, "\n"), "\n") {
			b.WriteString(v.mark + strings.TrimSuffix(line, "\r") + "\n")
		}
	}
	return b.String()
}

// oneLine makes a name fit into one line.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

// cutKept cuts the conflict drawer off the beginning of a body. A drawer of that
// name in any other form is text.
func cutKept(text string) (entries []string, body string) {
	line, rest := cutLine(text)
	if line != keptBegin {
		return nil, text
	}
	for rest != "" {
		line, rest = cutLine(rest)
		switch {
		case line == keptEnd && len(entries) > 0:
			return entries, rest
		case strings.HasPrefix(line, keptItem) && strings.Contains(line, keptBy):
			entries = append(entries, line+"\n")
		case len(entries) > 0 && (strings.HasPrefix(line, keptStays) || strings.HasPrefix(line, keptLost)):
			entries[len(entries)-1] += line + "\n"
		default:
			return nil, text
		}
	}
	return nil, text
}

// cutLine returns the first line without its end, and what follows it.
func cutLine(text string) (line, rest string) {
	line, rest, _ = strings.Cut(text, "\n")
	return strings.TrimSuffix(line, "\r"), rest
}

// readEntry reads what entry wrote; values end in a line feed where they are not
// empty.
func readEntry(text string) Conflict {
	head, rest := cutLine(text)
	var c Conflict
	c.Field, c.By, _ = strings.Cut(strings.TrimPrefix(head, keptItem), keptBy)
	for rest != "" {
		var line string
		line, rest = cutLine(rest)
		if v, ok := strings.CutPrefix(line, keptStays); ok {
			c.Kept += v + "\n"
		} else if v, ok := strings.CutPrefix(line, keptLost); ok {
			c.Lost += v + "\n"
		}
	}
	return c
}

// Conflicts returns what the conflict drawer of a node keeps, in order; nil without
// one. Values end in a line feed where they are not empty.
func (n *Node) Conflicts() []Conflict {
	if n.Derived.Opaque || !strings.Contains(n.Content, keptBegin) {
		return nil
	}
	var out []Conflict
	for _, e := range partsOf(n).kept {
		out = append(out, readEntry(e))
	}
	return out
}

// withTag adds a tag to a headline's line behind the stars.
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

// withoutTag takes a tag away from such a line.
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

// tagsOf reads the tags of a headline's line behind the stars.
func tagsOf(line string) []string {
	if doc := org.Parse("*"+line, nil); len(doc.Headlines) == 1 {
		return doc.Headlines[0].Tags
	}
	return nil
}

// ending is the line end of a line, "" where it has none.
func ending(line string) string { return line[len(strings.TrimRight(line, "\r\n")):] }
