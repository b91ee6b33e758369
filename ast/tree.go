// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ast

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/merkle"
)

// TypePlainText is the type of a string in the contents of a tree.
const TypePlainText = "plain-text"

// Limits of a tree.
const (
	MaxTreeNodes = 1_000_000
	MaxTreeDepth = 10_000 // nodes on the path from the root to a leaf, both included
	maxType      = 64     // bytes of a type
)

// Tree is an element and all below it, received through the API and not from a file. It
// must not be changed after it has been passed to a function of this module. Trees may
// share parts.
type Tree struct {
	Type    string          // org-element's name, in lower case
	Attrs   []document.Attr // as Attributes returns them
	Content string          // the raw content, verbatim
	Bare    bool            // no raw content at all
	Scope   string          // set only for the root; "" for none
	Kids    []*Tree

	Known string // id of the node that this was made from, "" for none; not part of the tree
}

// ID returns the id that the tree's root declares, "" for none.
func (t *Tree) ID() string { return document.DeclaredID(t.Attrs) }

// Text returns an attribute of the root as text, "" if it has none.
func (t *Tree) Text(key string) string { return document.Lookup(t.Attrs, key).String() }

// Names reports whether the tree's root is the node with this id: it declares the id, or
// it was made from that node (Known).
func (t *Tree) Names(id string) bool { return t.Known == id || t.ID() == id }

// Check returns ErrTree, with the place and the reason, for an invalid tree. Decoded trees
// are valid. O(nodes).
func (t *Tree) Check() error {
	_, err := t.layout(0)
	return err
}

// layout lays out a tree that is below a number of parts, and checks each of its parts.
func (t *Tree) layout(above int) (*layout, error) {
	l := &layout{root: t, open: map[*Tree]bool{}}
	if err := l.add(t, -1, above+1); err != nil {
		return nil, err
	}
	l.declared = make(map[string]int, len(l.spots))
	for i, s := range l.spots {
		if key, err := l.check(s.tree, i); err != nil {
			return nil, fmt.Errorf("%s%w", where(l.parent, i, key), err)
		}
	}
	return l, nil
}

// parts returns the parts of a tree in document order, below a number of other parts.
func (t *Tree) parts(above int) ([]document.Part, error) {
	l, err := t.layout(above)
	if err != nil {
		return nil, err
	}
	parts := make([]document.Part, len(l.spots))
	for i, s := range l.spots {
		parts[i] = document.Part{Parent: s.parent, Type: s.tree.Type, Attrs: s.tree.Attrs, Content: s.tree.Content, Bare: s.tree.Bare}
	}
	return parts, nil
}

// layout lists the parts of a tree.
type layout struct {
	root     *Tree
	spots    []spot
	declared map[string]int // by id: the part that declares it
	open     map[*Tree]bool // the ancestors of the current part
}

// spot is a part of a tree and the index of its parent, -1 for the root.
type spot struct {
	tree   *Tree
	parent int
}

func (l *layout) parent(of int) int { return l.spots[of].parent }

// add adds a part and all below it. It stops with an error if the shape of the tree is invalid.
func (l *layout) add(t *Tree, parent, depth int) error {
	at := len(l.spots)
	l.spots = append(l.spots, spot{t, parent})
	if err := l.shape(t, depth); err != nil {
		return fmt.Errorf("%s%w", where(l.parent, at, ""), err)
	}
	if len(t.Kids) == 0 {
		return nil
	}
	l.open[t] = true
	defer delete(l.open, t)
	for _, kid := range t.Kids {
		if err := l.add(kid, at, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// shape returns an error if the last part makes the shape of the tree invalid.
func (l *layout) shape(t *Tree, depth int) error {
	switch {
	case t == nil:
		return invalid("no tree")
	case l.open[t]:
		return invalid("the tree contains itself")
	case len(l.spots) > MaxTreeNodes:
		return invalid("more than %d nodes", MaxTreeNodes)
	case depth > MaxTreeDepth:
		return invalid("deeper than %d", MaxTreeDepth)
	}
	return nil
}

// check returns the error of a part, and the key that it is about.
func (l *layout) check(t *Tree, at int) (key string, err error) {
	switch {
	case t.Type == "":
		return "", invalid("no type")
	case len(t.Type) > maxType || strings.ContainsFunc(t.Type, notOfType):
		return "", invalid("type %s: a type is up to %d letters, digits and dashes", document.Quote(t.Type), maxType)
	case t.Bare && t.Content != "":
		return "", invalid("content in a tree that is marked as having none")
	case len(t.Content) > merkle.MaxContent:
		return "", invalid("raw-content of more than %d bytes", merkle.MaxContent)
	case t.Scope != "" && t.Scope != l.root.Scope:
		return "scope", invalid("a part has the scope of its root, %s, not %s", document.Quote(l.root.Scope), document.Quote(t.Scope))
	}
	id, key, err := document.CheckAttrs(t.Attrs)
	if err != nil {
		return "properties." + key, err
	}
	given := t.Text("ID")
	if id != given || strings.ContainsFunc(given, unicode.IsControl) {
		return "properties.ID", invalid("an ID has no control characters, and no blank at either end, as %s does", document.Quote(given))
	}
	if id == "" {
		return "", nil
	}
	if first, twice := l.declared[id]; twice {
		return "properties.ID", invalid("the ID %s occurs twice in the tree, first at %q", document.Quote(id),
			strings.TrimSuffix(where(l.parent, first, "properties.ID"), ": "))
	}
	l.declared[id] = at
	return "", nil
}

// invalid returns an error that wraps ErrTree.
func invalid(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), document.ErrTree)
}

// where returns the place of a part for a message: "contents[3].contents[0].type: ".
// O(parts for each level).
func where(parent func(of int) int, at int, key string) string {
	var steps []string
	for up := parent(at); up >= 0; at, up = up, parent(up) {
		index := 0
		for i := up + 1; i < at; i++ {
			if parent(i) == up {
				index++
			}
		}
		steps = append(steps, "contents["+strconv.Itoa(index)+"]")
	}
	slices.Reverse(steps)
	if key != "" {
		steps = append(steps, key)
	}
	return place(steps)
}

// place joins steps to a place for a message. A long path is shortened in the middle.
func place(steps []string) string {
	const maxSteps = 20
	if len(steps) > maxSteps {
		steps = slices.Concat(steps[:maxSteps/2], []string{"…"}, steps[len(steps)-maxSteps/2:])
	}
	if len(steps) == 0 {
		return ""
	}
	return strings.Join(steps, ".") + ": "
}

// notOfType reports whether a rune is invalid in a type.
func notOfType(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' }

// All yields the parts of a valid tree in document order, its root first. O(nodes).
func (t *Tree) All() iter.Seq[*Tree] {
	return func(yield func(*Tree) bool) { t.each(yield) }
}

// each yields the parts and reports whether to continue.
func (t *Tree) each(yield func(*Tree) bool) bool {
	return yield(t) && !slices.ContainsFunc(t.Kids, func(kid *Tree) bool { return !kid.each(yield) })
}

// Equal reports whether two valid trees are equal, scopes included. O(nodes).
func (t *Tree) Equal(o *Tree) bool {
	if t == o || t == nil || o == nil {
		return t == o
	}
	return t.Type == o.Type && t.Content == o.Content && t.Bare == o.Bare && t.Scope == o.Scope && slices.Equal(t.Attrs, o.Attrs) &&
		slices.EqualFunc(t.Kids, o.Kids, (*Tree).Equal)
}

// Find returns the part of a valid tree that is the node with this id, nil for none.
// O(nodes).
func (t *Tree) Find(id string) *Tree {
	for part := range t.All() {
		if part.Names(id) {
			return part
		}
	}
	return nil
}

// With returns a valid tree in which change has replaced the part that is the node with
// this id; change returns nil to remove the part. Other parts are shared. The result is
// nil if the root is removed, and ok false if there is no such part. O(nodes).
func (t *Tree) With(id string, change func(*Tree) *Tree) (*Tree, bool) {
	if t.Names(id) {
		return change(t), true
	}
	for i, kid := range t.Kids {
		part, ok := kid.With(id, change)
		if !ok {
			continue
		}
		up := *t
		up.Kids = slices.Clone(t.Kids)
		up.Kids[i] = part
		if part == nil {
			up.Kids = slices.Delete(up.Kids, i, i+1)
		}
		return &up, true
	}
	return t, false
}

// Without returns a valid tree without the parts that are nodes with these ids and all
// below them; nil if the root is one. Unchanged parts are shared. O(nodes).
func (t *Tree) Without(ids map[string]bool) *Tree {
	if ids[t.Known] || ids[t.ID()] {
		return nil
	}
	var kids []*Tree
	changed := false
	for _, kid := range t.Kids {
		now := kid.Without(ids)
		changed = changed || now != kid
		if now != nil {
			kids = append(kids, now)
		}
	}
	if !changed {
		return t
	}
	part := *t
	part.Kids = kids
	return &part
}
