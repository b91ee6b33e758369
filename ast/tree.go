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
	MaxTreeDepth = 10_000 // nodes on the way from the root to a leaf, both counted
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
	Scope   string          // of the root alone; "" for none
	Kids    []*Tree

	Known string // id of the node that this was made of, "" for none; not a part of the tree
}

// ID returns the id that the tree's root declares, "" for none.
func (t *Tree) ID() string { return document.DeclaredID(t.Attrs) }

// Text returns an attribute of the root as text, "" if it has none.
func (t *Tree) Text(key string) string {
	for _, a := range t.Attrs {
		if a.Key == key {
			return a.Value.String()
		}
	}
	return ""
}

// Names reports whether the tree's root is the node with this id: it declares the id, or
// it was made of that node (Known).
func (t *Tree) Names(id string) bool { return t.Known == id || t.ID() == id }

// spot is a part of a tree in document order.
type spot struct {
	tree   *Tree
	id     string // that the part declares, once checked
	parent int    // index of the parent's spot; -1 for the root
	index  int    // which of the parent's children
	level  int
}

// spots returns the parts of a tree in document order, its root first, and checks its
// shape: no cycle, not too deep, not too many nodes.
func (t *Tree) spots() ([]spot, error) {
	all := []spot{{tree: t, parent: -1}}
	open := []int{0} // path to the current spot
	next := []int{0} // the next child of each of them
	above := map[*Tree]bool{t: true}
	for len(open) > 0 {
		top := len(open) - 1
		at := open[top]
		parent := all[at].tree
		if next[top] == len(parent.Kids) {
			delete(above, parent)
			open, next = open[:top], next[:top]
			continue
		}
		kid := parent.Kids[next[top]]
		if len(all) == cap(all) {
			all = slices.Grow(all, len(all)) // doubles: a tree is large or soon complete
		}
		all = append(all, spot{tree: kid, parent: at, index: next[top], level: top + 1})
		next[top]++
		if err := refuse(kid, above, len(all), top+2); err != nil {
			return nil, fmt.Errorf("%s%w", where(all, len(all)-1, ""), err)
		}
		if len(kid.Kids) > 0 {
			above[kid] = true
			open, next = append(open, len(all)-1), append(next, 0)
		}
	}
	return all, nil
}

// refuse returns an error for an invalid child.
func refuse(kid *Tree, above map[*Tree]bool, count, depth int) error {
	switch {
	case kid == nil:
		return fmt.Errorf("no tree: %w", document.ErrTree)
	case above[kid]:
		return fmt.Errorf("the tree contains itself: %w", document.ErrTree)
	case count > MaxTreeNodes:
		return fmt.Errorf("more than %d nodes: %w", MaxTreeNodes, document.ErrTree)
	case depth > MaxTreeDepth:
		return fmt.Errorf("deeper than %d: %w", MaxTreeDepth, document.ErrTree)
	}
	return nil
}

// where returns a place in a tree for a message: "contents[3].contents[0].type: ". A long
// path is shortened in the middle.
func where(all []spot, at int, key string) string {
	var steps []string
	for ; at > 0; at = all[at].parent {
		steps = append(steps, "contents["+strconv.Itoa(all[at].index)+"]")
	}
	slices.Reverse(steps)
	return place(steps, key)
}

func place(steps []string, key string) string {
	const maxSteps = 20
	if len(steps) > maxSteps {
		steps = slices.Concat(steps[:maxSteps/2], []string{"…"}, steps[len(steps)-maxSteps/2:])
	}
	if key != "" {
		steps = append(steps, key)
	}
	if len(steps) == 0 {
		return ""
	}
	return strings.Join(steps, ".") + ": "
}

// Check returns ErrTree, with the place and the fault, for an invalid tree. Decoded trees
// are valid. O(nodes).
func (t *Tree) Check() error {
	_, err := t.layout()
	return err
}

// layout is spots with all other checks.
func (t *Tree) layout() ([]spot, error) {
	if t == nil {
		return nil, fmt.Errorf("no tree: %w", document.ErrTree)
	}
	all, err := t.spots()
	if err != nil {
		return nil, err
	}
	first := make(map[string]int, len(all))
	for i := range all {
		k := all[i].tree
		if err := k.checkAlone(); err != nil {
			return nil, fmt.Errorf("%s%w", where(all, i, ""), err)
		}
		id, key, err := document.CheckAttrs(k.Attrs)
		if err != nil {
			return nil, fmt.Errorf("%s%w", where(all, i, "properties."+key), err)
		}
		if k.Scope != "" && k.Scope != t.Scope {
			return nil, fmt.Errorf("%sa part is of its root's scope, %s, not of %s: %w", where(all, i, "scope"), document.Quote(t.Scope),
				document.Quote(k.Scope), document.ErrTree)
		}
		given := document.Lookup(k.Attrs, "ID").String()
		if id != given || strings.ContainsFunc(given, unicode.IsControl) {
			return nil, fmt.Errorf("%san ID has no control characters, and no blank at either end, as %s does: %w", where(all, i, "properties.ID"),
				document.Quote(given), document.ErrTree)
		}
		if all[i].id = id; id != "" {
			if at, twice := first[id]; twice {
				return nil, fmt.Errorf("%sthe ID %s stands in the tree twice, first at %q: %w",
					where(all, i, "properties.ID"), document.Quote(id), strings.TrimSuffix(where(all, at, "properties.ID"), ": "), document.ErrTree)
			}
			first[id] = i
		}
	}
	return all, nil
}

// checkAlone checks type and content.
func (t *Tree) checkAlone() error {
	switch {
	case t.Type == "":
		return fmt.Errorf("no type: %w", document.ErrTree)
	case len(t.Type) > maxType || strings.ContainsFunc(t.Type, notOfType):
		return fmt.Errorf("type %s: a type is up to %d letters, digits and dashes: %w", document.Quote(t.Type), maxType, document.ErrTree)
	case t.Bare && t.Content != "":
		return fmt.Errorf("content where there is said to be none: %w", document.ErrTree)
	case len(t.Content) > merkle.MaxContent:
		return fmt.Errorf("raw-content of more than %d bytes: %w", merkle.MaxContent, document.ErrTree)
	}
	return nil
}

// notOfType reports whether a rune is invalid in a type.
func notOfType(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' }

// All yields the parts of a valid tree in document order, its root first. O(nodes).
func (t *Tree) All() iter.Seq[*Tree] {
	return func(yield func(*Tree) bool) {
		for stack := []*Tree{t}; len(stack) > 0; {
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if !yield(top) {
				return
			}
			for _, k := range slices.Backward(top.Kids) {
				stack = append(stack, k)
			}
		}
	}
}

// Equal reports whether two trees are equal, scopes included. O(nodes).
func (t *Tree) Equal(o *Tree) bool {
	type pair struct{ a, b *Tree }
	for stack := []pair{{t, o}}; len(stack) > 0; {
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if p.a == p.b {
			continue
		}
		if p.a == nil || p.b == nil || p.a.Type != p.b.Type || p.a.Content != p.b.Content || p.a.Bare != p.b.Bare ||
			p.a.Scope != p.b.Scope || len(p.a.Kids) != len(p.b.Kids) || !slices.Equal(p.a.Attrs, p.b.Attrs) {
			return false
		}
		for i := range p.a.Kids {
			stack = append(stack, pair{p.a.Kids[i], p.b.Kids[i]})
		}
	}
	return true
}

// Find returns the part of a valid tree that is the node with this id, nil for none.
// O(nodes).
func (t *Tree) Find(id string) *Tree {
	all, err := t.spots()
	if err != nil {
		return nil
	}
	if i := slices.IndexFunc(all, func(s spot) bool { return s.tree.Names(id) }); i >= 0 {
		return all[i].tree
	}
	return nil
}

// With returns a valid tree in which change has replaced the part that is the node with
// this id; change returns nil to remove the part. Other parts are shared. The result is
// nil if the root is removed, and ok false if there is no such part. O(nodes).
func (t *Tree) With(id string, change func(*Tree) *Tree) (*Tree, bool) {
	all, err := t.spots()
	if err != nil {
		return t, false
	}
	at := slices.IndexFunc(all, func(s spot) bool { return s.tree.Names(id) })
	if at < 0 {
		return t, false
	}
	part := change(all[at].tree)
	for ; at > 0; at = all[at].parent {
		up := *all[all[at].parent].tree
		i := all[at].index
		if part == nil {
			up.Kids = slices.Concat(up.Kids[:i], up.Kids[i+1:])
		} else {
			up.Kids = slices.Concat(up.Kids[:i], []*Tree{part}, up.Kids[i+1:])
		}
		part = &up
	}
	return part, true
}

// Without returns a valid tree without the parts that are nodes with these ids and all
// below them; nil if the root is one. Unchanged parts are shared. O(nodes).
func (t *Tree) Without(ids map[string]bool) *Tree {
	all, err := t.spots()
	if err != nil {
		return t
	}
	kids := make([][]*Tree, len(all)) // the remaining children, last first
	changed := make([]bool, len(all))
	for i, s := range slices.Backward(all) {
		now := s.tree
		switch {
		case ids[s.tree.Known] || ids[s.tree.ID()]:
			now = nil
		case changed[i]:
			part := *s.tree
			slices.Reverse(kids[i])
			part.Kids, now = kids[i], &part
		}
		if i == 0 {
			return now
		}
		changed[s.parent] = changed[s.parent] || now != s.tree
		if now != nil {
			kids[s.parent] = append(kids[s.parent], now)
		}
	}
	return t
}
