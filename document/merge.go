// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package document

import (
	"errors"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/text"
)

// ConflictTag is the tag of nodes with a conflict drawer.
const ConflictTag = "conflict"

// Conflict is a field that two sides changed in different ways. The drawer of the node
// keeps both values.
type Conflict struct {
	ID   string `json:"id" jsonschema:"the id of the node"` // if known
	Path string `json:"path" jsonschema:"the file, below the memex"`
	// Field is "todo", "title", "property KEY", "scheduled", "body", "place", "deleted" and so on.
	Field string `json:"field" jsonschema:"the part of the node that both sides changed"`
	By    string `json:"by" jsonschema:"the author of the lost value"`
	Kept  string `json:"kept" jsonschema:"the value that was kept; empty for none"` // the value in the node, or lines
	Lost  string `json:"lost" jsonschema:"the value that was not kept"`             // the value of the other side
}

// Merging merges two versions of a part that share a base. Won wins conflicts.
type Merging struct {
	Won, Lost string // author of each side, in one line
	// Undo means that the lost side is an earlier version that is being restored: a task
	// that was done then does not become done.
	Undo bool
	// Secret means that the text is encrypted and merged as one value.
	Secret bool
}

// ErrMoved is wrapped by the error of Editor.Resolved if the kept value is no longer in
// the part, so that it cannot be replaced.
var ErrMoved = errors.New("it changed since; change it by hand and drop the conflict")

// FieldDeleted and FieldPlace are the fields of conflicts about a whole node: one side
// deleted it, or both moved it.
const (
	FieldDeleted = "deleted"
	FieldPlace   = "place"
)

// Fields merges the fields of one part and collects the conflicts.
type Fields struct {
	*Merging
	Conflicts []Conflict
}

// Pick returns the side that differs from base, or the result of resolve if both do.
func Pick[T comparable](base, won, lost T, resolve func() T) T {
	switch {
	case won == lost || base == lost:
		return won
	case base == won:
		return lost
	}
	return resolve()
}

// Field merges a value and records a conflict.
func (o *Fields) Field(name, base, won, lost string) string {
	return Pick(base, won, lost, func() string {
		o.Conflict(name, o.Lost, won, lost)
		return won
	})
}

// Conflict records a conflict: kept is the value in the result, lost the value of the author by.
func (o *Fields) Conflict(field, by, kept, lost string) {
	o.Conflicts = append(o.Conflicts, Conflict{Field: field, By: by, Kept: kept, Lost: lost})
}

// Lines merges a text by lines; a conflict keeps the lines of the winner.
func (o *Fields) Lines(field, base, won, lost string) string {
	var b strings.Builder
	for _, c := range text.Merge(base, won, lost) {
		if c.Conflict {
			o.Conflict(field, o.Lost, c.A, c.B)
		}
		b.WriteString(c.A)
	}
	return b.String()
}

// Union merges two lists as sets, with the removals and additions of both sides. The
// result has the order of won, then of lost.
func Union(base, won, lost []string) []string {
	gone := func(x string) bool { return slices.Contains(base, x) && !slices.Contains(lost, x) }
	known := func(x string) bool { return slices.Contains(base, x) || slices.Contains(won, x) }
	return slices.Concat(slices.DeleteFunc(slices.Clone(won), gone), slices.DeleteFunc(slices.Clone(lost), known))
}
