// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/index"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/query"
)

// Keys of the attribute index. The values of a property are under propertyKey followed
// by its folded name.
const (
	typeKey     = "type"
	todoKey     = "todo"
	tagKey      = "tag"
	linkKey     = "link"
	groupKey    = "group" // tag groups that a document declares
	hasKey      = "has"   // which fields a node has: a date, a link, a property
	propertyKey = "property:"
)

// foldKey returns the same string for names that are equal under strings.EqualFold.
func foldKey(s string) string {
	return strings.Map(func(r rune) rune {
		smallest := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			smallest = min(smallest, f)
		}
		return smallest
	}, s)
}

// Attributes yields the keys and values under which a node is indexed. A pair may come
// twice.
func Attributes(n *node.Node) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for key, values := range attributeLists(n) {
			for _, v := range values {
				if !yield(key, v) {
					return
				}
			}
		}
	}
}

func attributeLists(n *node.Node) iter.Seq2[string, []string] {
	return func(yield func(string, []string) bool) {
		d := n.Derived
		ok := yield(typeKey, []string{n.Type}) && yield(tagKey, d.Tags) && yield(linkKey, d.Links) && yield(hasKey, presentFields(d)) &&
			(d.Todo == "" || yield(todoKey, []string{d.Todo}))
		for _, p := range d.Properties {
			ok = ok && yield(propertyKey+foldKey(strings.TrimSuffix(p.Key, "+")), []string{p.Value})
		}
		for _, g := range d.TagGroups {
			ok = ok && yield(groupKey, []string{g.Name})
		}
	}
}

// presentFields returns the names of the fields that a node has.
func presentFields(d *document.Derived) []string {
	var out []string
	for name, present := range map[string]bool{
		"scheduled": d.Scheduled != "", "deadline": d.Deadline != "", "closed": d.Closed != "",
		"priority": d.Priority != "", "link": len(d.Links) > 0,
	} {
		if present {
			out = append(out, name)
		}
	}
	for _, p := range d.Properties {
		out = append(out, propertyKey+foldKey(strings.TrimSuffix(p.Key, "+")))
	}
	return out
}

// candidates yields, in document order, a superset of the matches: the nodes with an
// attribute that the query requires, or all nodes.
func (v View) candidates(e query.Expr) iter.Seq[*node.Node] {
	if v.Attributes == nil {
		return v.State.All()
	}
	x := v.Attributes()
	best := v.State.Len()/8 + 1 // sorting more ids costs more than visiting every node
	var keys, values []string
	for _, p := range requiredPreds(e) {
		k, val, ok := indexLookups(p, x)
		if !ok {
			continue
		}
		n := 0
		for i := range k {
			n += x.Count(k[i], val[i])
		}
		if n < best {
			best, keys, values = n, k, val
		}
	}
	if keys == nil {
		return v.State.All()
	}
	var ids []string
	for i := range keys {
		ids = slices.AppendSeq(ids, x.Lookup(keys[i], values[i]))
	}
	return v.inDocumentOrder(ids)
}

// requiredPreds returns the predicates that every match satisfies.
func requiredPreds(e query.Expr) []query.Pred {
	switch e := e.(type) {
	case query.Pred:
		return []query.Pred{e}
	case query.And:
		var out []query.Pred
		for _, of := range e.Of {
			out = append(out, requiredPreds(of)...)
		}
		return out
	}
	return nil
}

// indexLookups returns keys and values of which every match has at least one; for an
// element, the node that contains it has it. ok is false if the index cannot answer p.
func indexLookups(p query.Pred, x index.Attributes) (keys, values []string, ok bool) {
	add := func(key string, list ...string) {
		for _, v := range list {
			keys, values = append(keys, key), append(values, v)
		}
	}
	switch p.Name {
	case "todo":
		add(todoKey, p.Args...)
	case "tags-local":
		add(tagKey, p.Args...)
		for _, tag := range p.Args {
			if x.Count(groupKey, tag) > 0 { // members of the group match too
				return nil, nil, false
			}
		}
	case "type":
		for _, arg := range p.Args {
			name := query.TypeName(arg)
			if _, element := elementNames[name]; element {
				return nil, nil, false
			}
			add(typeKey, name)
		}
	case "scheduled", "deadline", "closed", "priority", "link":
		add(hasKey, p.Name)
	case "planning":
		add(hasKey, "scheduled", "deadline", "closed")
	case "effort":
		add(hasKey, propertyKey+foldKey("EFFORT"))
	case "habit":
		add(propertyKey+foldKey("STYLE"), "habit")
	case "property":
		if slices.ContainsFunc(p.Args, func(a string) bool { return strings.HasPrefix(a, "inherit=") }) {
			return nil, nil, false
		}
		key, _, _ := strings.Cut(p.Args[0], "=")
		add(hasKey, propertyKey+foldKey(key))
	}
	return keys, values, len(keys) > 0
}

// inDocumentOrder yields the nodes by path and position.
func (v View) inDocumentOrder(ids []string) iter.Seq[*node.Node] {
	type positioned struct {
		n    *node.Node
		path []int // index among the parent's children at each level
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	all := make([]positioned, 0, len(ids))
	indexes := childIndexes{}
	for _, id := range ids {
		if n, ok := v.State.Get(id); ok {
			all = append(all, positioned{n, v.childPath(n, indexes)})
		}
	}
	slices.SortFunc(all, func(a, b positioned) int {
		return cmp.Or(cmp.Compare(a.n.Path, b.n.Path), slices.Compare(a.path, b.path))
	})
	return func(yield func(*node.Node) bool) {
		for _, p := range all {
			if !yield(p.n) {
				return
			}
		}
	}
}

// childIndexes caches, by parent id, the indexes of the children.
type childIndexes map[string]map[string]int

func (s childIndexes) index(parent *node.Node, kid string) int {
	at, ok := s[parent.ID]
	if !ok {
		at = make(map[string]int, len(parent.Kids))
		for i, k := range parent.Kids {
			at[k] = i
		}
		s[parent.ID] = at
	}
	return at[kid]
}

// childPath returns the child indexes from the document down to a node.
func (v View) childPath(n *node.Node, indexes childIndexes) []int {
	var path []int
	for n.Parent != "" {
		p, ok := v.State.Get(n.Parent)
		if !ok {
			break
		}
		path = append(path, indexes.index(p, n.ID))
		n = p
	}
	slices.Reverse(path)
	return path
}
