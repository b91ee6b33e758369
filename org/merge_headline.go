// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
)

// The fields of a headline's line before its tags: keyword, priority cookie, COMMENT and
// title.
const (
	headingTodo = iota
	headingPriority
	headingComment
	headingTitle
	headingFields
)

// headingNames are the names of the fields in conflicts. Two sides cannot differ in
// COMMENT if both changed it.
var headingNames = [headingFields]string{"todo", "priority", "comment", "title"}

// heading is a headline's line after the stars, split into fields and the blanks after
// each of them.
type heading struct {
	first         string // the blanks before the first field
	fields, after [headingFields]string
	tags          []string
	tail          string // after the tags, line end included
}

// readHeading splits a line by the fields that the parser found in it; ok is false if
// they are not in the line.
func readHeading(line string, d *document.Derived) (h heading, ok bool) {
	h.fields = [...]string{headingTodo: d.Todo, headingTitle: d.Title}
	if d.Priority != "" {
		h.fields[headingPriority] = "[#" + d.Priority + "]"
	}
	if d.Commented {
		h.fields[headingComment] = "COMMENT"
	}
	text, ok := strings.TrimRight(line, "\r\n"), true
	take := func(field string) (after string) {
		rest, found := strings.CutPrefix(text, field)
		after = indentOf(rest)
		text, ok = rest[len(after):], ok && found
		return after
	}
	h.first = take("")
	for i, field := range h.fields {
		h.after[i] = take(field)
	}
	if h.tags = d.Tags; len(h.tags) > 0 {
		h.tail = take(tagWord(d.Tags))
	}
	h.tail += text + ending(line)
	return h, ok && text == ""
}

func tagWord(tags []string) string { return ":" + strings.Join(tags, ":") + ":" }

// String returns the line, with one blank after a new field.
func (h heading) String() string {
	var line strings.Builder
	line.WriteString(h.first)
	for i, field := range h.fields {
		if field != "" {
			line.WriteString(field + cmp.Or(h.after[i], " "))
		}
	}
	if len(h.tags) > 0 {
		return line.String() + tagWord(h.tags) + h.tail
	}
	return cmp.Or(trimBlanksRight(line.String()), h.first) + trimBlanksLeft(h.tail)
}

// headline merges the fields of a headline's line. If the result would be parsed as
// other fields, the line is merged as one field.
func (o *ownMerge) headline() string {
	before := len(o.Conflicts)
	w, ok := readHeading(o.w.line, o.won.Derived)
	l, ok2 := readHeading(o.l.line, o.lost.Derived)
	if ok && ok2 {
		b, _ := readHeading(o.b.line, o.base.Derived)
		if line := o.mergeHeading(b, w, l); o.reads(line) {
			return line
		}
	}
	o.Conflicts = o.Conflicts[:before]
	return o.Field("headline", o.b.line, o.w.line, o.l.line)
}

func (o *ownMerge) mergeHeading(b, w, l heading) string {
	h := w
	for i, name := range headingNames {
		if i == headingTodo {
			h.fields[i] = document.Pick(b.fields[i], w.fields[i], l.fields[i], o.todo)
		} else {
			h.fields[i] = o.Field(name, b.fields[i], w.fields[i], l.fields[i])
		}
		if h.fields[i] != w.fields[i] && i != headingTitle {
			h.after[i] = l.after[i]
		}
	}
	h.tags = document.Union(b.tags, w.tags, l.tags)
	ends := func(h heading) bool { return strings.HasSuffix(h.tail, "\n") }
	if !ends(h) && document.Pick(ends(b), ends(w), ends(l), nil) {
		h.tail += "\n"
	}
	return h.String()
}

// todo decides between two keywords: done wins over open.
func (o *ownMerge) todo() string {
	w, l := o.won.Derived, o.lost.Derived
	if l.Done && !w.Done && !o.Undo {
		o.Conflict("todo", o.Won, l.Todo, w.Todo)
		return l.Todo
	}
	o.Conflict("todo", o.Lost, w.Todo, l.Todo)
	return w.Todo
}

// reads reports whether a line is parsed as fields of the sides.
func (o *ownMerge) reads(line string) bool {
	w, l := o.won.Derived, o.lost.Derived
	var words strings.Builder
	words.WriteString("#+TODO:")
	for _, d := range []*document.Derived{o.base.Derived, w, l} {
		if d.Todo != "" {
			words.WriteString(" " + d.Todo)
		}
	}
	doc := Parse(words.String()+" |\n*"+line, nil)
	if len(doc.Headlines) != 1 {
		return false
	}
	h := &doc.Headlines[0]
	return (h.Title == w.Title || h.Title == l.Title) && (h.Todo == w.Todo || h.Todo == l.Todo) &&
		(h.Priority == w.Priority || h.Priority == l.Priority) && (h.Commented == w.Commented || h.Commented == l.Commented) &&
		slices.Equal(h.Tags, document.Union(o.base.Derived.Tags, w.Tags, l.Tags))
}
