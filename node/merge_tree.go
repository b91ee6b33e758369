// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fovea-memory/fovea/internal/linediff"
	"github.com/fovea-memory/fovea/merkle"
)

// conflictAttr is the attribute in which a node of a tree keeps its conflicts, as
// the entries of a drawer are written.
const conflictAttr = "CONFLICT"

// Tree returns what two versions of a tree make of the one they came from: types and
// attributes each for itself, content by lines, children by the ids they declare,
// else by title, else by what they are. Conflicts are kept in the attribute CONFLICT,
// with the tag conflict, and returned; a child that one side took away and the other
// changed stays. base is nil where both brought the tree. O(nodes times depth).
func (m *Merging) Tree(base, won, lost *Tree) (*Tree, []Conflict) {
	tm := treeMerge{Merging: m}
	return tm.merge(base, won, lost, nil), tm.conflicts
}

type treeMerge struct {
	*Merging
	conflicts []Conflict
}

func (m *treeMerge) merge(base, won, lost *Tree, also []Conflict) *Tree {
	if base == nil {
		base = &Tree{Type: won.Type, Bare: true}
	}
	o := ownMerge{Merging: m.Merging, conflicts: also}
	t := &Tree{Scope: won.Scope, known: won.known, Type: o.field("type", base.Type, won.Type, lost.Type)}
	t.Attrs = o.attributes(base.Attrs, won.Attrs, lost.Attrs)
	t.Content, t.Bare = o.content(base, won, lost)
	t.Kids = m.children(base, won, lost)
	if len(o.conflicts) > 0 {
		t.Attrs = withConflicts(t.Attrs, o.conflicts)
		for _, c := range o.conflicts {
			c.ID = t.known
			m.conflicts = append(m.conflicts, c)
		}
	}
	return t
}

// attributes merges key by key. An absent attribute is not one of null.
func (o *ownMerge) attributes(base, won, lost []Attr) []Attr {
	b, w, l := byKey(base), byKey(won), byKey(lost)
	var out []Attr
	for _, a := range Attributes(slices.Concat(base, won, lost)...) { // each key once, in order
		v := pick(b[a.Key], w[a.Key], l[a.Key], func() said {
			if a.Key == "TODO" && finished(lost) && !finished(won) && !o.Undo {
				o.conflict("todo", o.Won, l[a.Key].String(), w[a.Key].String())
				return l[a.Key]
			}
			o.conflict(strings.ToLower(a.Key), o.Lost, w[a.Key].String(), l[a.Key].String())
			return w[a.Key]
		})
		if v.there {
			out = append(out, Attr{a.Key, v.value})
		}
	}
	return out
}

// said is the value of an attribute, or that there is none.
type said struct {
	value Value
	there bool
}

func (s said) String() string { return s.value.String() }

func byKey(attrs []Attr) map[string]said {
	out := make(map[string]said, len(attrs))
	for _, a := range attrs {
		out[a.Key] = said{a.Value, true}
	}
	return out
}

// finished reports whether attributes say that something is done.
func finished(attrs []Attr) bool {
	return isDone(attr(attrs, "TODO").String(), lower(attr(attrs, "TODO-TYPE").String()))
}

// content merges raw contents by lines; none at all is a value of its own.
func (o *ownMerge) content(base, won, lost *Tree) (string, bool) {
	type raw struct {
		text string
		bare bool
	}
	got := pick(raw{base.Content, base.Bare}, raw{won.Content, won.Bare}, raw{lost.Content, lost.Bare}, func() raw {
		if won.Bare || lost.Bare {
			o.conflict("body", o.Lost, won.Content, lost.Content)
			return raw{won.Content, won.Bare}
		}
		return raw{o.merged("body", base.Content, won.Content, lost.Content), false}
	})
	return got.text, got.bare
}

// children merges the lists of children by what each is known by, as lines are.
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
	for _, c := range linediff.Merge(b.names, w.names, l.names) {
		if c.Conflict && strings.Count(c.A, "\n") == 1 && strings.Count(c.B, "\n") == 1 && strings.Count(c.Base, "\n") == 1 {
			if x, y := w.of[c.A], l.of[c.B]; x.Type == y.Type && x.ID() == "" && y.ID() == "" { // one child, changed by both
				out = append(out, m.merge(b.of[c.Base], x, y, nil))
				continue
			}
		}
		put(c.A)
		put(c.B)
	}
	for name := range strings.Lines(b.names) { // what one side took away and the other changed
		if !done[name] && (w.of[name] == nil) != (l.of[name] == nil) && m.changed(b.of[name], w.of[name], l.of[name]) {
			put(name)
		}
	}
	return slices.DeleteFunc(out, func(t *Tree) bool { return t == nil })
}

// child merges one child; nil for one that goes.
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
	return m.merge(base, n, n, []Conflict{{Field: FieldDeleted, By: by}})
}

// changed reports whether a child that one side took away is otherwise on the other,
// and is to stay for it.
func (m *treeMerge) changed(base, won, lost *Tree) bool {
	n := won
	if won == nil {
		if n = lost; m.Undo {
			return false
		}
	}
	return string(n.JSON()) != string(base.JSON())
}

// siblings are the children of a tree by name, each name a line.
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
		if id, title := k.ID(), attr(k.Attrs, "TITLE"); id != "" {
			name = "id " + strconv.Quote(id)
		} else if title.Kind() == KindText {
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

// withConflicts adds entries to the attribute that keeps them, and the tag.
func withConflicts(attrs []Attr, conflicts []Conflict) []Attr {
	var kept []Value
	if v := attr(attrs, conflictAttr); v.Kind() != KindNull {
		kept = slices.Collect(v.each())
	}
	for _, c := range conflicts {
		if e := TextValue(c.entry()); !slices.Contains(kept, e) {
			kept = append(kept, e)
		}
	}
	var words []Value
	for _, tag := range append(tags(attr(attrs, "TAGS")), ConflictTag) {
		if v := TextValue(tag); !slices.Contains(words, v) {
			words = append(words, v)
		}
	}
	rest := slices.DeleteFunc(slices.Clone(attrs), func(a Attr) bool { return a.Key == conflictAttr || a.Key == "TAGS" })
	return Attributes(append(rest, Attr{conflictAttr, ListValue(kept...)}, Attr{"TAGS", ListValue(words...)})...)
}
