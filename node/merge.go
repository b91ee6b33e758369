// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/internal/linediff"
)

// ConflictTag is the tag of a node that has a conflict drawer.
const ConflictTag = "conflict"

// Conflict is a field that two sides changed in different ways, as it stands in
// the drawer of the node: nothing of either side is lost.
type Conflict struct {
	ID    string // of the node, where that is known
	Path  string // of its document, likewise
	Field string // "todo", "title", "property KEY", "scheduled", "body", "place", "deleted" and so on
	By    string // who made the value that was lost, and in which commit
	Kept  string // what stands in the node: a value, or lines; "" for none
	Lost  string // what the other side has there
}

// Merging brings the own texts of two versions of a node together that came from
// a third. Where they cannot both stand, Won does.
type Merging struct {
	Won, Lost string // who made each side, in one line
	// Undo says that the lost side is an earlier text that is brought back: that
	// something was done then is no reason to end it now.
	Undo bool
}

// Own returns the own text that two versions of a node make of the one they came
// from, with level stars, which are none for a document, and the fields in which they are in
// conflict, behind those that are given. base is nil where both brought the node.
// The fields are merged apart, and only the bytes of a field that changed differ
// from the side that has it: todo keyword, priority, COMMENT, title, each tag, each
// property, each planning time, then the text by lines. A done keyword stands before
// an open one. Conflicts are kept in the node's drawer, the node has the tag
// conflict then; an opaque file has no place for them. Complexity is that of reading
// the texts and of two line differences.
func (m *Merging) Own(base, won, lost *Node, level int, also ...Conflict) (string, []Conflict) {
	if base == nil {
		base = &Node{Type: won.Type, Derived: &Derived{}}
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
	o.b, o.w, o.l = partsOf(base), partsOf(won), partsOf(lost)
	p := parts{ // in this order: so the conflicts are told
		line:     pick(o.b.line, o.w.line, o.l.line, o.line),
		planning: pick(o.b.planning, o.w.planning, o.l.planning, o.planning),
		drawer:   pick(o.b.drawer, o.w.drawer, o.l.drawer, o.drawer),
		settings: pick(o.b.settings, o.w.settings, o.l.settings, o.settings),
		body:     pick(o.b.body, o.w.body, o.l.body, o.body),
	}
	p.kept = union(o.b.kept, o.w.kept, o.l.kept)
	if len(o.conflicts) > 0 {
		p.keep(o.conflicts, won)
	}
	return strings.Repeat("*", level) + p.join(), o.conflicts
}

// ownMerge is one call of Own: three versions of a node, and their parts.
type ownMerge struct {
	*Merging
	base, won, lost *Node
	b, w, l         parts
	conflicts       []Conflict
}

// pick is the rule for whatever can be compared: of two sides, the one that
// changed; where both did, what resolve makes of them.
func pick[T comparable](base, won, lost T, resolve func() T) T {
	switch {
	case won == lost || base == lost:
		return won
	case base == won:
		return lost
	}
	return resolve()
}

// field merges a value and notes the conflict.
func (o *ownMerge) field(name, base, won, lost string) string {
	return pick(base, won, lost, func() string {
		o.conflict(name, o.Lost, won, lost)
		return won
	})
}

func (o *ownMerge) conflict(field, by, kept, lost string) {
	o.conflicts = append(o.conflicts, Conflict{Field: field, By: by, Kept: kept, Lost: lost})
}

// union merges two lists as sets: what one side took away is gone, what one added
// is there, in the order of the first side, then of the second.
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

// body merges the text below the drawers. Encrypted text is one value.
func (o *ownMerge) body() string {
	if o.base.Derived.Encrypted || o.won.Derived.Encrypted || o.lost.Derived.Encrypted {
		return o.field("body", o.b.body, o.w.body, o.l.body)
	}
	return o.merged("body", o.b.body, o.w.body, o.l.body)
}

// line merges a headline's line, or what stands before a document's drawer.
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

// opaque merges files that are not Org, by lines; what is no text is one value.
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
