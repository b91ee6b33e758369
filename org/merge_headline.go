// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
)

// heading is a headline's line after the stars, split into fields and the blanks after
// each of them.
type heading struct {
	first                                              string // the blanks before the first field
	todo, priority, comment, title                     string
	afterTodo, afterPriority, afterComment, afterTitle string
	tags                                               []string
	tail                                               string // after the tags, line end included
}

// readHeading splits a line by the fields that the parser found in it; ok is false if
// they are not in the line.
func readHeading(line string, d *document.Derived) (h heading, ok bool) {
	text := strings.TrimRight(line, "\r\n")
	ok = true
	blanks := func() string {
		n := len(text) - len(strings.TrimLeft(text, " \t"))
		b := text[:n]
		text = text[n:]
		return b
	}
	take := func(field string) (string, string) {
		if field == "" {
			return "", ""
		}
		rest, found := strings.CutPrefix(text, field)
		ok, text = ok && found, rest
		return field, blanks()
	}
	h.first = blanks()
	h.todo, h.afterTodo = take(d.Todo)
	if d.Priority != "" {
		h.priority, h.afterPriority = take("[#" + d.Priority + "]")
	}
	if d.Commented {
		h.comment, h.afterComment = take("COMMENT")
	}
	h.title, h.afterTitle = take(d.Title)
	if h.tags = d.Tags; len(h.tags) > 0 {
		_, h.tail = take(tagWord(d.Tags))
	}
	h.tail += text + line[len(strings.TrimRight(line, "\r\n")):]
	return h, ok && text == ""
}

func tagWord(tags []string) string { return ":" + strings.Join(tags, ":") + ":" }

// String returns the line, with one blank after a new field.
func (h heading) String() string {
	var b strings.Builder
	put := func(field, after string) {
		if field == "" {
			return
		}
		b.WriteString(field)
		if after == "" {
			after = " "
		}
		b.WriteString(after)
	}
	b.WriteString(h.first)
	put(h.todo, h.afterTodo)
	put(h.priority, h.afterPriority)
	put(h.comment, h.afterComment)
	put(h.title, h.afterTitle)
	line := b.String()
	if len(h.tags) == 0 {
		if line = strings.TrimRight(line, " \t"); line == "" {
			line = h.first
		}
		return line + strings.TrimLeft(h.tail, " \t")
	}
	return line + tagWord(h.tags) + h.tail
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
	if h.todo = document.Pick(b.todo, w.todo, l.todo, o.todo); h.todo == l.todo && h.todo != w.todo {
		h.afterTodo = l.afterTodo
	}
	if h.priority = o.Field("priority", b.priority, w.priority, l.priority); h.priority != w.priority {
		h.afterPriority = l.afterPriority
	}
	if h.comment = document.Pick(b.comment, w.comment, l.comment, nil); h.comment != w.comment {
		h.afterComment = l.afterComment
	}
	h.title = o.Field("title", b.title, w.title, l.title)
	h.tags = document.Union(b.tags, w.tags, l.tags)
	if document.Pick(strings.HasSuffix(b.tail, "\n"), strings.HasSuffix(w.tail, "\n"), strings.HasSuffix(l.tail, "\n"), nil) && !strings.HasSuffix(h.tail, "\n") {
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
