// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ast

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/org"
)

// conflictAttr is the attribute with the conflicts of a node of a tree, written as
// drawer entries.
const conflictAttr = "CONFLICT"

// Merge merges two versions of a tree: type and attributes separately, content by lines.
// Children are matched by declared id, else by title, else by content. Conflicts are
// returned, and kept in the attribute CONFLICT with the tag conflict. A child that one
// side deleted and the other changed stays. base is nil if both sides added the tree.
// O(nodes times depth).
func Merge(m *document.Merging, base, won, lost *Tree) (*Tree, []document.Conflict) {
	tm := treeMerge{Merging: m}
	return tm.merge(base, won, lost, nil), tm.conflicts
}

type treeMerge struct {
	*document.Merging
	conflicts []document.Conflict
}

func (m *treeMerge) merge(base, won, lost *Tree, also []document.Conflict) *Tree {
	if base == nil {
		base = &Tree{Type: won.Type, Bare: true}
	}
	p, conflicts := Format{}.Merge(m.Merging, base.part(), won.part(), lost.part(), 0, also...)
	t := &Tree{Scope: won.Scope, Known: won.Known, Type: p.Type, Attrs: p.Attrs, Content: p.Content, Bare: p.Bare}
	t.Kids = m.children(base, won, lost)
	for _, c := range conflicts {
		c.ID = t.Known
		m.conflicts = append(m.conflicts, c)
	}
	return t
}

// part returns the root alone.
func (t *Tree) part() *document.Part {
	return &document.Part{Type: t.Type, Attrs: t.Attrs, Content: t.Content, Bare: t.Bare}
}

// Merge merges type and attributes separately, and the content by lines. Conflicts are
// kept in the attribute CONFLICT, with the tag conflict.
func (Format) Merge(m *document.Merging, base, won, lost *document.Part, _ int, also ...document.Conflict) (document.Part, []document.Conflict) {
	if base == nil {
		base = &document.Part{Type: won.Type, Bare: true}
	}
	o := fields{document.Fields{Merging: m, Conflicts: slices.Clone(also)}}
	p := document.Part{Type: o.Field("type", base.Type, won.Type, lost.Type), Attrs: o.attributes(base.Attrs, won.Attrs, lost.Attrs)}
	p.Content, p.Bare = o.content(base, won, lost)
	if len(o.Conflicts) > 0 {
		p.Attrs = withConflicts(p.Attrs, o.Conflicts)
	}
	return p, o.Conflicts
}

// fields merges the fields of one part of a tree.
type fields struct{ document.Fields }

// attributes merges by key. An absent attribute differs from one that is null.
func (o *fields) attributes(base, won, lost []document.Attr) []document.Attr {
	b, w, l := byKey(base), byKey(won), byKey(lost)
	var out []document.Attr
	for _, a := range document.Attributes(slices.Concat(base, won, lost)...) { // each key once, in order
		v := document.Pick(b[a.Key], w[a.Key], l[a.Key], func() optional {
			if a.Key == "TODO" && finished(lost) && !finished(won) && !o.Undo {
				o.Conflict("todo", o.Won, l[a.Key].String(), w[a.Key].String())
				return l[a.Key]
			}
			o.Conflict(strings.ToLower(a.Key), o.Lost, w[a.Key].String(), l[a.Key].String())
			return w[a.Key]
		})
		if v.there {
			out = append(out, document.Attr{Key: a.Key, Value: v.value})
		}
	}
	return out
}

// optional is the value of an attribute that may be absent.
type optional struct {
	value document.Value
	there bool
}

func (s optional) String() string { return s.value.String() }

func byKey(attrs []document.Attr) map[string]optional {
	out := make(map[string]optional, len(attrs))
	for _, a := range attrs {
		out[a.Key] = optional{a.Value, true}
	}
	return out
}

// finished reports whether attributes mark a task as done.
func finished(attrs []document.Attr) bool {
	return isDone(document.Lookup(attrs, "TODO").String(), document.Lower(document.Lookup(attrs, "TODO-TYPE").String()))
}

// content merges raw contents by lines. No content differs from empty content.
func (o *fields) content(base, won, lost *document.Part) (string, bool) {
	type raw struct {
		text string
		bare bool
	}
	got := document.Pick(raw{base.Content, base.Bare}, raw{won.Content, won.Bare}, raw{lost.Content, lost.Bare}, func() raw {
		if won.Bare || lost.Bare {
			o.Conflict("body", o.Lost, won.Content, lost.Content)
			return raw{won.Content, won.Bare}
		}
		return raw{o.Lines("body", base.Content, won.Content, lost.Content), false}
	})
	return got.text, got.bare
}

// children merges the lists of children by name, like lines of text.
func (m *treeMerge) children(base, won, lost *Tree) []*Tree {
	b, w, l := listed(base.Kids), listed(won.Kids), listed(lost.Kids)
	var out []*Tree
	done := map[string]bool{}
	put := func(names string) {
		for name := range strings.Lines(names) {
			if !done[name] {
				done[name] = true
				out = append(out, m.child(b.of[name], w.of[name], l.of[name]))
			}
		}
	}
	for _, c := range text.Merge(b.names, w.names, l.names) {
		if c.Conflict && strings.Count(c.A, "\n") == 1 && strings.Count(c.B, "\n") == 1 && strings.Count(c.Base, "\n") == 1 {
			if x, y := w.of[c.A], l.of[c.B]; x.Type == y.Type && x.ID() == "" && y.ID() == "" { // one child, changed by both sides
				out = append(out, m.merge(b.of[c.Base], x, y, nil))
				continue
			}
		}
		put(c.A)
		put(c.B)
	}
	for name := range strings.Lines(b.names) { // deleted by one side and changed by the other
		if !done[name] && (w.of[name] == nil) != (l.of[name] == nil) && m.changed(b.of[name], w.of[name], l.of[name]) {
			put(name)
		}
	}
	return slices.DeleteFunc(out, func(t *Tree) bool { return t == nil })
}

// child merges one child; nil if it is deleted.
func (m *treeMerge) child(base, won, lost *Tree) *Tree {
	n, by := won, m.Lost
	switch {
	case won != nil && lost != nil:
		return m.merge(base, won, lost, nil)
	case won == nil:
		n, by = lost, m.Won
	}
	if base == nil || n == nil {
		return n
	}
	if !m.changed(base, won, lost) {
		return nil
	}
	return m.merge(base, n, n, []document.Conflict{{Field: document.FieldDeleted, By: by}})
}

// changed reports whether a child that one side deleted stays because the other side
// changed it.
func (m *treeMerge) changed(base, won, lost *Tree) bool {
	n := won
	if won == nil {
		if n = lost; m.Undo {
			return false
		}
	}
	return string(n.JSON()) != string(base.JSON())
}

// siblings are the children of a tree by name. Each name is a line of names.
type siblings struct {
	names string
	of    map[string]*Tree
}

func listed(kids []*Tree) siblings {
	s := siblings{of: make(map[string]*Tree, len(kids))}
	var b strings.Builder
	count := map[string]int{}
	for _, k := range kids {
		name := "is " + merkle.Sum(k.JSON()).String()
		if id, title := k.ID(), document.Lookup(k.Attrs, "TITLE"); id != "" {
			name = "id " + strconv.Quote(id)
		} else if title.Kind() == document.KindText {
			name = "title " + k.Type + " " + strconv.Quote(title.String())
		}
		count[name]++
		name += " " + strconv.Itoa(count[name]) + "\n"
		b.WriteString(name)
		s.of[name] = k
	}
	s.names = b.String()
	return s
}

// withConflicts returns attributes with conflicts and the tag added.
func withConflicts(attrs []document.Attr, conflicts []document.Conflict) []document.Attr {
	var kept []document.Value
	if v := document.Lookup(attrs, conflictAttr); v.Kind() != document.KindNull {
		kept = slices.Collect(v.Each())
	}
	for _, c := range conflicts {
		if e := document.TextValue(org.ConflictEntry(c)); !slices.Contains(kept, e) {
			kept = append(kept, e)
		}
	}
	var words []document.Value
	for _, tag := range append(tags(document.Lookup(attrs, "TAGS")), document.ConflictTag) {
		if v := document.TextValue(tag); !slices.Contains(words, v) {
			words = append(words, v)
		}
	}
	rest := slices.DeleteFunc(slices.Clone(attrs), func(a document.Attr) bool { return a.Key == conflictAttr || a.Key == "TAGS" })
	return document.Attributes(append(rest, document.Attr{Key: conflictAttr, Value: document.ListValue(kept...)}, document.Attr{Key: "TAGS",
		Value: document.ListValue(words...)})...)
}
