// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
)

// Merge returns the merged own text of two versions of a node, with level stars (0 for a
// document), and the conflicts: those in also, then the new ones. base is nil if both
// sides added the node. Fields are merged separately: todo keyword, priority, COMMENT,
// title, each tag, each property, each planning time, the log as a set of lines, then
// the text by lines. Bytes outside changed fields do not change. A done keyword wins over
// an open one. Conflicts are written into the node's drawer, and the node is tagged; an
// opaque file has no drawer. O(length of the texts), and two line differences.
func (Format) Merge(m *document.Merging, base, won, lost *document.Part, level int, also ...document.Conflict) (document.Part, []document.Conflict) {
	text := func(s string) document.Part { return document.Part{Type: won.Type, Content: s} }
	base = cmp.Or(base, &document.Part{Type: won.Type, Derived: &document.Derived{}})
	if len(also) == 0 {
		switch {
		case won.Content == lost.Content || base.Content == lost.Content:
			return text(SetLevel(won.Content, level)), nil
		case base.Content == won.Content:
			return text(SetLevel(lost.Content, level)), nil
		}
	}
	o := ownMerge{Fields: document.Fields{Merging: m, Conflicts: slices.Clone(also)}, base: base, won: won, lost: lost}
	o.b, o.w, o.l = fieldsOf(base), fieldsOf(won), fieldsOf(lost)
	p := fields{ // conflicts are reported in this order
		line:     document.Pick(o.b.line, o.w.line, o.l.line, o.line),
		planning: document.Pick(o.b.planning, o.w.planning, o.l.planning, o.planning),
		drawer:   document.Pick(o.b.drawer, o.w.drawer, o.l.drawer, o.drawer),
		settings: o.Lines("settings", o.b.settings, o.w.settings, o.l.settings),
		body:     document.Pick(o.b.body, o.w.body, o.l.body, o.body),
	}
	p.entries = document.Union(o.b.entries, o.w.entries, o.l.entries)
	if len(o.Conflicts) > 0 {
		p.addConflicts(o.Conflicts, won)
	}
	return text(strings.Repeat("*", level) + p.join()), o.Conflicts
}

// ownMerge is one call of Merge: three versions of a node and their fields.
type ownMerge struct {
	document.Fields
	base, won, lost *document.Part
	b, w, l         fields
}

// body merges the text after the drawers: the log, then the rest. Encrypted text is one
// value.
func (o *ownMerge) body() string {
	if o.base.Derived.Encrypted || o.won.Derived.Encrypted || o.lost.Derived.Encrypted {
		return o.Field("body", o.b.body, o.w.body, o.l.body)
	}
	b, w, l := cutLog(o.b.body), cutLog(o.w.body), cutLog(o.l.body)
	if o.won.Type != document.TypeHeadline || w.text == l.text && b.text == w.text || w.words != l.words && b.words != w.words && b.words != l.words {
		return o.Lines("body", o.b.body, o.w.body, o.l.body)
	}
	log, rest := mergeLogs(b, w, l), o.Lines("body", b.rest, w.rest, l.rest)
	if log != "" && rest != "" {
		log = wholeLines(log)
	}
	return log + rest
}

// line merges a headline's line, or the text before a document's drawer.
func (o *ownMerge) line() string {
	if o.won.Type == document.TypeHeadline {
		return o.headline()
	}
	return o.Lines("beginning", o.b.line, o.w.line, o.l.line)
}
