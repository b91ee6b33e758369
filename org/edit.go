// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// The errors that edits wrap.
var (
	// ErrNoHeadline: there is no headline of that index, it was deleted, or the edit
	// is one of headlines and the document was named.
	ErrNoHeadline = errors.New("no such headline")
	// ErrKeyword: the file does not declare the TODO keyword.
	ErrKeyword = errors.New("unknown TODO keyword")
	// ErrPriority: the priority is outside the range of the file.
	ErrPriority = errors.New("priority out of range")
	// ErrTag: a tag holds something else than letters, digits and _@#%.
	ErrTag = errors.New("not a tag; use letters, digits, _, @, # and %")
	// ErrProperty: a key is no property's, a value has a line break, or an ID names
	// nothing.
	ErrProperty = errors.New("not a property")
	// ErrTimestamp: a date or time that does not exist or cannot be read.
	ErrTimestamp = errors.New("not a timestamp")
	// ErrStructure: the text would be read as something else than was asked for,
	// such as a headline inside a body.
	ErrStructure = errors.New("text would change the structure")
	// ErrItem: the line is no list item with a checkbox that can be set.
	ErrItem = errors.New("no checkbox to set")
	// ErrArchive: an archive location that is not supported.
	ErrArchive = errors.New("archive location is not supported")
)

// detailedError is an error that is one of the Err values in words of its own.
type detailedError struct {
	kind error
	text string
}

func (r detailedError) Error() string { return r.text }

func (r detailedError) Unwrap() error { return r.kind }

// kindErrorf returns an error of a kind that says only what is formatted.
func kindErrorf(kind error, format string, values ...any) error {
	return detailedError{kind, fmt.Sprintf(format, values...)}
}

// An Edit is one typed change of a headline: [SetTodo], [SetPriority], [SetTitle],
// [AddTag], [RemoveTag], [SetProperty], [RemoveProperty], [Schedule], [Deadline],
// [AppendBody], [ReplaceBody], [InsertHeadline], [CheckItem] and [Delete]. Each does
// what the command of Emacs does under its default settings and those of the file.
type Edit interface {
	apply(e *editor) error
}

// Edit applies edits in order to headline i, or with i = -1 to the document, and
// returns the changes as splices of d.Source, sorted and apart. It changes neither d
// nor anything else. Of now the date and time of day count, to the minute, as the
// wall clock of its location shows them.
//
// Besides the headline's own text an edit changes what Emacs changes with it: the
// statistics cookies of ancestors, and lines that it adds or removes whole. Bytes
// that no edit asks for stay, whatever the encoding and line ends; new lines end as
// the line before them does.
//
// The error names the edit and wraps one of the Err values; there are no splices
// then. Each change reads the outline anew: the time is in proportion to the edits
// times the source.
func (d *Document) Edit(i int, now time.Time, edits ...Edit) ([]Splice, error) {
	if i < -1 || i >= len(d.Headlines) {
		return nil, fmt.Errorf("edit headline %d of %d: %w", i, len(d.Headlines), ErrNoHeadline)
	}
	e := newEditor(d, i, now)
	for _, edit := range edits {
		if err := e.apply(edit); err != nil {
			return nil, err
		}
	}
	return e.draft.splices(), nil
}

// editor applies edits to a text and keeps its outline up to date.
type editor struct {
	draft   draft
	doc     *Document // the outline of draft.text
	at      int       // the index of the headline being edited; -1 for the document
	deleted bool      // it was deleted
	now     time.Time // in UTC with the digits of the wall clock, without seconds
}

func newEditor(d *Document, i int, now time.Time) *editor {
	wall := time.Date(now.Year(), now.Month(), now.Day(), now.Hour(), now.Minute(), 0, 0, time.UTC)
	return &editor{draft: newDraft(d.Source), doc: d, at: i, now: wall}
}

// apply applies one edit.
func (e *editor) apply(edit Edit) error {
	if e.deleted {
		return fmt.Errorf("edit a deleted headline: %w", ErrNoHeadline)
	}
	return edit.apply(e)
}

// headline returns the headline being edited, as it stands. It is not to be kept
// over a change.
func (e *editor) headline() *Headline { return &e.doc.Headlines[e.at] }

// onHeadline fails for the edit called name when the document is being edited.
func (e *editor) onHeadline(name string) error {
	if e.at < 0 {
		return kindErrorf(ErrNoHeadline, "%s: not on the document itself; name a headline", name)
	}
	return nil
}

// replace puts text for the bytes start to end and reads the outline again.
func (e *editor) replace(start, end int, text string) {
	if e.doc.Source[start:end] == text {
		return
	}
	e.draft.replace(start, end, text)
	e.doc = e.doc.reparse(e.draft.text)
}

// insertLines puts lines, each ended by a line feed, before the line that begins at
// the offset at. They end as the line before them does. It returns where they begin.
func (e *editor) insertLines(at int, lines string) int {
	return e.insertText(at, withLineEnds(lines, e.lineEndAt(at)))
}

// insertText puts whole lines, with their ends, before the line that begins at the
// offset at, and returns where they begin. At the end of a text without a final line
// end there is none afterwards either.
func (e *editor) insertText(at int, text string) int {
	if src := e.doc.Source; at < len(src) || at == e.doc.Start || src[at-1] == '\n' {
		e.replace(at, at, text)
		return at
	}
	end := e.lineEndAt(at)
	e.replace(at, at, end+strings.TrimSuffix(text, end))
	return at + len(end)
}

// withLineEnds gives the lines of a text, which end in line feeds, another end.
func withLineEnds(text, end string) string {
	if end == "\n" {
		return text
	}
	return strings.ReplaceAll(text, "\n", end)
}

// lineEndAt returns the line end that a new line at the offset at takes: that of the
// line before, else of the first line, else a line feed.
func (e *editor) lineEndAt(at int) string {
	src := e.doc.Source
	i := strings.LastIndexByte(src[:at], '\n')
	if i < 0 {
		i = strings.IndexByte(src, '\n')
	}
	if i > 0 && src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// removeLines removes the whole lines from start to end. Where they end a text
// without a final line end, the line before them becomes the last and loses its own.
func (e *editor) removeLines(start, end int) {
	src := e.doc.Source
	if end == len(src) && start < end && src[end-1] != '\n' {
		if rest, ok := strings.CutSuffix(src[:start], "\n"); ok {
			start = len(strings.TrimSuffix(rest, "\r"))
		}
	}
	e.replace(start, end, "")
}

// rawProperty returns the value of a property at headline i: its own, else that of the
// nearest ancestor that has it, else that of the file. Unlike [Document.Property] it
// takes nil for a value, as Org does where nil turns something off.
func (d *Document) rawProperty(i int, key string) (string, bool) {
	for ; i >= 0; i = int(d.Headlines[i].Parent) {
		if value, ok := lastValue(d.Headlines[i].Properties, key); ok {
			return value, true
		}
	}
	if value, ok := lastValue(d.Properties, key); ok {
		return value, true
	}
	return lastValue(d.FileProperties, key)
}

// lastValue returns the value of a key in one drawer: of two lines with that key the
// last counts.
func lastValue(properties []Property, key string) (string, bool) {
	for _, p := range slices.Backward(properties) {
		if strings.EqualFold(p.Key, key) {
			return p.Value, true
		}
	}
	return "", false
}
