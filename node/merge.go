// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/linediff"
)

// ConflictTag is the tag of nodes with a conflict drawer.
const ConflictTag = "conflict"

// Conflict is a field that two sides changed in different ways. The drawer of the node
// keeps both values.
type Conflict struct {
	ID   string `json:"id" jsonschema:"the id of the node"` // if known
	Path string `json:"path" jsonschema:"the file, below the memex"`
	// Field is "todo", "title", "property KEY", "scheduled", "body", "place", "deleted" and so on.
	Field string `json:"field" jsonschema:"the part of it that two sides changed"`
	By    string `json:"by" jsonschema:"who made what was lost"`
	Kept  string `json:"kept" jsonschema:"what stands; empty for nothing"` // the value in the node, or lines
	Lost  string `json:"lost" jsonschema:"what does not stand"`            // the value of the other side
}

// Merging merges two versions of a node that share a base. Won wins conflicts.
type Merging struct {
	Won, Lost string // author of each side, in one line
	// Undo says that the lost side is an earlier version that is restored: that a task
	// was done then does not make it done now.
	Undo bool
}

// Own returns the merged own text of two versions of a node, with level stars (0 for a
// document), and the conflicts: those in also, then the new ones. base is nil if both
// sides added the node. Fields are merged separately: todo keyword, priority, COMMENT,
// title, each tag, each property, each planning time, then the text by lines. Bytes
// outside changed fields stay as they are. A done keyword wins over an open one.
// Conflicts are written into the node's drawer, and the node is tagged; an opaque file
// has no drawer. O(length of the texts), and two line differences.
func (m *Merging) Own(base, won, lost *Node, level int, also ...Conflict) (string, []Conflict) {
	if base == nil {
		base = &Node{Type: won.Type, Derived: &document.Derived{}}
	}
	if len(also) == 0 {
		switch {
		case won.Content == lost.Content || base.Content == lost.Content:
			return SetLevel(won.Content, level), nil
		case base.Content == won.Content:
			return SetLevel(lost.Content, level), nil
		}
	}
	o := ownMerge{Merging: m, base: base, won: won, lost: lost, conflicts: slices.Clone(also)}
	if won.Derived.Opaque || lost.Derived.Opaque {
		return o.opaque(), o.conflicts
	}
	o.b, o.w, o.l = fieldsOf(base), fieldsOf(won), fieldsOf(lost)
	p := fields{ // conflicts are reported in this order
		line:     pick(o.b.line, o.w.line, o.l.line, o.line),
		planning: pick(o.b.planning, o.w.planning, o.l.planning, o.planning),
		drawer:   pick(o.b.drawer, o.w.drawer, o.l.drawer, o.drawer),
		settings: pick(o.b.settings, o.w.settings, o.l.settings, o.settings),
		body:     pick(o.b.body, o.w.body, o.l.body, o.body),
	}
	p.entries = union(o.b.entries, o.w.entries, o.l.entries)
	if len(o.conflicts) > 0 {
		p.addConflicts(o.conflicts, won)
	}
	return strings.Repeat("*", level) + p.join(), o.conflicts
}

// ownMerge is one call of Own: three versions of a node and their fields.
type ownMerge struct {
	*Merging
	base, won, lost *Node
	b, w, l         fields
	conflicts       []Conflict
}

// pick returns the side that differs from base, or the result of resolve if both do.
func pick[T comparable](base, won, lost T, resolve func() T) T {
	switch {
	case won == lost || base == lost:
		return won
	case base == won:
		return lost
	}
	return resolve()
}

// field merges a value and records a conflict.
func (o *ownMerge) field(name, base, won, lost string) string {
	return pick(base, won, lost, func() string {
		o.conflict(name, o.Lost, won, lost)
		return won
	})
}

func (o *ownMerge) conflict(field, by, kept, lost string) {
	o.conflicts = append(o.conflicts, Conflict{Field: field, By: by, Kept: kept, Lost: lost})
}

// union merges two lists as sets: removals and additions of both sides count. The
// result has the order of the first side, then of the second.
func union(base, won, lost []string) []string {
	var out []string
	for _, x := range won {
		if slices.Contains(lost, x) || !slices.Contains(base, x) {
			out = append(out, x)
		}
	}
	for _, x := range lost {
		if !slices.Contains(won, x) && !slices.Contains(base, x) {
			out = append(out, x)
		}
	}
	return out
}

// body merges the text after the drawers. Encrypted text is one value.
func (o *ownMerge) body() string {
	if o.base.Derived.Encrypted || o.won.Derived.Encrypted || o.lost.Derived.Encrypted {
		return o.field("body", o.b.body, o.w.body, o.l.body)
	}
	return o.merged("body", o.b.body, o.w.body, o.l.body)
}

// line merges a headline's line, or the text before a document's drawer.
func (o *ownMerge) line() string {
	if o.won.Type == TypeHeadline {
		return o.headline()
	}
	return o.merged("beginning", o.b.line, o.w.line, o.l.line)
}

func (o *ownMerge) settings() string {
	return o.merged("settings", o.b.settings, o.w.settings, o.l.settings)
}

func (o *ownMerge) merged(field, base, won, lost string) string {
	var b strings.Builder
	for _, c := range linediff.Merge(base, won, lost) {
		if c.Conflict {
			o.conflict(field, o.Lost, c.A, c.B)
		}
		b.WriteString(c.A)
	}
	return b.String()
}

// opaque merges files that are not Org: text by lines, binary files as one value.
func (o *ownMerge) opaque() string {
	for _, n := range []*Node{o.base, o.won, o.lost} {
		if IsEncrypted(n.Path) || !utf8.ValidString(n.Content) || strings.Contains(n.Content, "\x00") {
			return o.field("text", o.base.Content, o.won.Content, o.lost.Content)
		}
	}
	return pick(o.base.Content, o.won.Content, o.lost.Content, func() string {
		return o.merged("text", o.base.Content, o.won.Content, o.lost.Content)
	})
}
