// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
)

// Resolved returns the node's own text without some conflicts, given by their indexes in
// Conflicts. With take, lost values replace the kept ones. The drawer and the tag are
// removed with the last conflict. Conflicts about the whole node cannot be taken here.
// Errors: document.ErrMoved. O(length of the text).
func (Format) Resolved(n *document.Part, take bool, which ...int) (string, error) {
	p := fieldsOf(n)
	if take {
		for _, i := range which {
			c := readEntry(p.entries[i])
			if err := p.exchange(c, n); err != nil {
				return "", fmt.Errorf("%s: %w", c.Field, err)
			}
		}
	}
	rest := p.entries[:0:0]
	for i, e := range p.entries {
		if !slices.Contains(which, i) {
			rest = append(rest, e)
		}
	}
	if p.entries = rest; len(rest) == 0 {
		if n.Type == document.TypeHeadline {
			p.line = withoutTag(p.line, document.ConflictTag)
		} else {
			p.settings = dropLine(p.settings, conflictSetting)
		}
	}
	text := p.join()
	if n.Type == document.TypeHeadline {
		text = strings.Repeat("*", n.Derived.Level) + text
	}
	return text, nil
}

// dropLine removes the first occurrence of a line.
func dropLine(text, dropped string) string {
	for l := range linesOf(text, 0, len(text)) {
		if l.text(text) == dropped {
			return text[:l.start] + text[l.next:]
		}
	}
	return text
}

// exchange replaces the kept value by the lost one.
func (p *fields) exchange(c document.Conflict, n *document.Part) error {
	kept, lost := strings.TrimSuffix(c.Kept, "\n"), strings.TrimSuffix(c.Lost, "\n")
	field, key, _ := strings.Cut(c.Field, " ")
	switch field {
	case "todo", "priority", "title":
		return p.exchangeHeading(n, field, kept, lost)
	case "headline", "beginning":
		return swap(&p.line, c, lineEnd(p.line))
	case "closed", "deadline", "scheduled":
		keyword := strings.ToUpper(field)
		if *p.head.planned(keyword) != kept {
			return document.ErrMoved
		}
		p.planning = replan(p.planning, keyword, kept, lost, lineEnd(p.line))
		return nil
	case "property":
		return p.exchangeProperty(key, kept, lost)
	case "body":
		return swap(&p.body, c, lineEnd(p.line))
	case "settings":
		return swap(&p.settings, c, lineEnd(p.settings))
	}
	return errors.New("this cannot be taken here; move or forget the node, and drop the conflict")
}

func (p *fields) exchangeHeading(n *document.Part, field, kept, lost string) error {
	h, ok := readHeading(p.line, n.Derived)
	i := slices.Index(headingNames[:], field)
	if !ok || h.fields[i] != kept {
		return document.ErrMoved
	}
	h.fields[i] = lost
	p.line = h.String()
	return nil
}

func (p *fields) exchangeProperty(key, kept, lost string) error {
	d := propertyLines(p.drawer)
	if d.value(key) != kept {
		return document.ErrMoved
	}
	end := lineEnd(p.line)
	var with []drawerLine
	if lost != "" {
		with = []drawerLine{{key: key, text: withLineEnds(lost, end) + end}}
	}
	if d.begin == "" {
		d.begin, d.end = drawerOpen+end, drawerClose+end
	}
	d.lines = putProperty(d.lines, key, with)
	p.drawer = d.String()
	return nil
}

// swap replaces the kept lines in a text by the lost ones. If no line was kept, it appends
// the lost ones.
func swap(text *string, c document.Conflict, end string) error {
	kept, lost := withLineEnds(c.Kept, end), withLineEnds(c.Lost, end)
	whole := *text
	if whole != "" && !strings.HasSuffix(whole, "\n") {
		whole += end
	}
	switch at := strings.Index("\n"+whole, "\n"+kept); {
	case kept == "":
		whole += lost
	case at < 0:
		return document.ErrMoved
	default:
		whole = whole[:at] + lost + whole[at+len(kept):]
	}
	*text = whole
	return nil
}
