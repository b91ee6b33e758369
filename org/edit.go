// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/document"
)

// The errors that edits wrap.
var (
	// ErrNoHeadline: there is no headline with that index, it was deleted, or an edit
	// for headlines was requested for the document.
	ErrNoHeadline = errors.New("no such headline")
	// ErrKeyword: the file does not declare the TODO keyword.
	ErrKeyword = errors.New("unknown TODO keyword")
	// ErrPriority: the priority is outside the range of the file.
	ErrPriority = errors.New("priority out of range")
	// ErrTag: a tag has a character other than letters, digits and _@#%.
	ErrTag = errors.New("not a tag; use letters, digits, _, @, # and %")
	// ErrProperty: the key is not a valid property key, the value has a line break,
	// or the ID is invalid.
	ErrProperty = errors.New("not a property")
	// ErrTimestamp: the date or time does not exist or cannot be parsed.
	ErrTimestamp = errors.New("not a timestamp")
	// ErrStructure: the text would be parsed as something other than requested, such
	// as a headline inside a body.
	ErrStructure = errors.New("text would change the structure")
	// ErrItem: the line is not a list item whose checkbox can be set.
	ErrItem = errors.New("no checkbox to set")
	// ErrArchive: the archive location is not supported.
	ErrArchive = errors.New("archive location is not supported")
)

// detailedError wraps one of the Err values and has a message of its own.
type detailedError struct {
	kind error
	text string
}

func (r detailedError) Error() string { return r.text }

func (r detailedError) Unwrap() error { return r.kind }

// kindErrorf returns an error that wraps kind but has only the formatted message.
func kindErrorf(kind error, format string, values ...any) error {
	return detailedError{kind, fmt.Sprintf(format, values...)}
}

// Edit applies edits in order to headline i, or to the document if i is -1, and
// returns the changes as splices of d.Source, sorted and disjoint. d does not change.
// Edits use the date and time of now to the minute, in its own location.
//
// In addition to the headline's own text, an edit changes what Emacs would change: the
// statistics cookies of ancestors, and whole lines that it adds or removes. All other
// bytes are preserved, whatever the encoding and line ends. New lines get the line end
// of the line before them.
//
// If an edit fails, Edit returns no splices and an error that names the edit and
// wraps one of the Err values. Each change parses the outline again, so Edit takes
// time in proportion to the number of edits times the length of the source.
func (d *Document) Edit(i int, now time.Time, edits ...document.Edit) ([]document.Splice, error) {
	if i < -1 || i >= len(d.Headlines) {
		return nil, fmt.Errorf("edit headline %d of %d: %w", i, len(d.Headlines), ErrNoHeadline)
	}
	e := newEditor(d, i, now)
	for _, edit := range edits {
		if err := e.apply(edit); err != nil {
			return nil, err
		}
	}
	return e.draft.splices, nil
}

// editor applies edits to a text and keeps its outline current.
type editor struct {
	draft   draft
	doc     *Document // outline of draft.text
	at      int       // index of the edited headline; -1 for the document
	deleted bool      // the headline was deleted
	now     time.Time // wall clock time, stored as UTC, without seconds
}

func newEditor(d *Document, i int, now time.Time) *editor {
	wall := time.Date(now.Year(), now.Month(), now.Day(), now.Hour(), now.Minute(), 0, 0, time.UTC)
	return &editor{draft: draft{text: d.Source}, doc: d, at: i, now: wall}
}

// apply applies one edit.
func (e *editor) apply(edit document.Edit) error {
	if e.deleted {
		return fmt.Errorf("edit a deleted headline: %w", ErrNoHeadline)
	}
	if name := headlineEdit(edit); name != "" && e.at < 0 {
		return kindErrorf(ErrNoHeadline, "%s: not possible on the document itself; name a headline", name)
	}
	switch edit := edit.(type) {
	case document.SetTodo:
		return e.setTodo(edit)
	case document.SetPriority:
		return e.setPriority(edit)
	case document.SetTitle:
		return e.setTitle(edit)
	case document.AddTag:
		return e.addTag(edit)
	case document.RemoveTag:
		return e.setTags(slices.DeleteFunc(slices.Clone(e.headline().Tags), func(tag string) bool { return tag == edit.Tag }))
	case document.SetProperty:
		return e.setProperty(edit)
	case document.RemoveProperty:
		return e.removeProperty(edit)
	case document.Schedule:
		return e.setTimestamp("SCHEDULED", "schedule", edit.When)
	case document.Deadline:
		return e.setTimestamp("DEADLINE", "deadline", edit.When)
	case document.AppendBody:
		return e.appendBody(edit)
	case document.ReplaceBody:
		return e.replaceBody(edit)
	case document.InsertHeadline:
		return e.insertHeadline(edit)
	case document.CheckItem:
		return e.checkItem(edit)
	case document.Delete:
		e.removeLines(e.headline().Start, e.headline().End)
		e.deleted = true
		return nil
	default:
		return fmt.Errorf("unknown edit %T: %w", edit, ErrStructure)
	}
}

// headline returns the edited headline. The pointer is invalid after a change.
func (e *editor) headline() *Headline { return &e.doc.Headlines[e.at] }

// headlineEdit returns the name of an edit that only a headline can have, or "".
func headlineEdit(edit document.Edit) string {
	switch edit := edit.(type) {
	case document.SetTodo:
		return "set todo"
	case document.SetPriority:
		return "set priority"
	case document.SetTitle:
		return "set title"
	case document.AddTag:
		return "add tag"
	case document.RemoveTag:
		return "remove tag"
	case document.Schedule:
		return "schedule"
	case document.Deadline:
		return "deadline"
	case document.InsertHeadline:
		if edit.Sibling {
			return "insert sibling"
		}
	case document.Delete:
		return "delete"
	}
	return ""
}

// replace replaces the bytes from start to end and parses the outline again.
func (e *editor) replace(start, end int, text string) {
	if e.doc.Source[start:end] == text {
		return
	}
	e.draft.replace(start, end, text)
	e.doc = e.doc.reparse(e.draft.text)
}

// insertLines inserts lines, each ending in a line feed, before the line at the
// offset at, with the line end of the line before it. It returns the offset of the
// first inserted line.
func (e *editor) insertLines(at int, lines string) int {
	return e.insertText(at, withLineEnds(lines, e.lineEndAt(at)))
}

// insertText inserts whole lines, including their ends, before the line at the offset
// at, and returns their offset. If the text has no final line end, it has none
// afterwards either.
func (e *editor) insertText(at int, text string) int {
	if src := e.doc.Source; at < len(src) || at == e.doc.Start || src[at-1] == '\n' {
		e.replace(at, at, text)
		return at
	}
	end := e.lineEndAt(at)
	e.replace(at, at, end+strings.TrimSuffix(text, end))
	return at + len(end)
}

// withLineEnds replaces the line feeds in text by another line end.
func withLineEnds(text, end string) string {
	if end == "\n" {
		return text
	}
	return strings.ReplaceAll(text, "\n", end)
}

// lineEndAt returns the line end for a new line at the offset at: that of the line
// before, else of the first line, else a line feed.
func (e *editor) lineEndAt(at int) string {
	src := e.doc.Source
	i := strings.LastIndexByte(src[:at], '\n')
	if i < 0 {
		i = strings.IndexByte(src, '\n')
	}
	return lineEnd(src[:i+1])
}

// removeLines removes the whole lines from start to end. If the text has no final
// line end and its last line is removed, the new last line loses its line end.
func (e *editor) removeLines(start, end int) {
	src := e.doc.Source
	if end == len(src) && start < end && src[end-1] != '\n' {
		if rest, ok := strings.CutSuffix(src[:start], "\n"); ok {
			start = len(strings.TrimSuffix(rest, "\r"))
		}
	}
	e.replace(start, end, "")
}

// rawProperty returns the value of a property of headline i: its own, else that of
// the nearest ancestor that has it, else that of the file. Unlike
// [Document.Property], it returns the value nil, with which Org turns features off.
func (d *Document) rawProperty(i int, key string) (string, bool) {
	for drawer := range d.drawers(i) {
		if value, ok := lastValue(drawer, key); ok {
			return value, true
		}
	}
	return lastValue(d.FileProperties, key)
}

// lastValue returns the value of a key in one drawer. If the key occurs twice, the
// last line wins.
func lastValue(properties []Property, key string) (string, bool) {
	for _, p := range slices.Backward(properties) {
		if strings.EqualFold(p.Key, key) {
			return p.Value, true
		}
	}
	return "", false
}
