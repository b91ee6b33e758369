// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/query"
)

// Keys of the attribute index. Properties stand under propertyKey and their
// name in upper case.
const (
	typeKey     = "type"
	todoKey     = "todo"
	tagKey      = "tag"
	linkKey     = "link"
	propertyKey = "property:"
)

// Attributes yields what a node can be looked up by: key and value.
func Attributes(n *node.Node) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		d := n.Derived
		if !yield(typeKey, n.Type) || d.Todo != "" && !yield(todoKey, d.Todo) {
			return
		}
		for _, t := range d.Tags {
			if !yield(tagKey, t) {
				return
			}
		}
		for _, l := range d.Links {
			if !yield(linkKey, l) {
				return
			}
		}
		for _, p := range d.Properties {
			if !yield(propertyKey+strings.ToUpper(strings.TrimSuffix(p.Key, "+")), p.Value) {
				return
			}
		}
	}
}

// candidates yields, in document order, nodes among which all matches are:
// those that have an attribute the query demands, else all.
func (v View) candidates(e query.Expr) iter.Seq[*node.Node] {
	if v.Attributes == nil {
		return v.State.All()
	}
	x := v.Attributes()
	best := -1
	var ids []string
	for _, p := range demanded(e) {
		keys, values, ok := lookup(p)
		if !ok {
			continue
		}
		n := 0
		for i := range keys {
			n += x.Count(keys[i], values[i])
		}
		if best >= 0 && n >= best {
			continue
		}
		best, ids = n, ids[:0]
		for i := range keys {
			ids = slices.AppendSeq(ids, x.Lookup(keys[i], values[i]))
		}
	}
	if best < 0 || best > v.State.Len()/8 { // sorting many costs more than a walk
		return v.State.All()
	}
	return v.inOrder(ids)
}

// demanded lists the predicates that every match satisfies.
func demanded(e query.Expr) []query.Pred {
	switch e := e.(type) {
	case query.Pred:
		return []query.Pred{e}
	case query.And:
		var out []query.Pred
		for _, of := range e.Of {
			out = append(out, demanded(of)...)
		}
		return out
	}
	return nil
}

// lookup gives the keys and values of which a match has at least one.
func lookup(p query.Pred) (keys, values []string, ok bool) {
	key := map[string]string{"todo": todoKey, "tags-local": tagKey, "type": typeKey}[p.Name]
	if key == "" || len(p.Args) == 0 {
		return nil, nil, false
	}
	for _, a := range p.Args {
		if p.Name == "type" {
			a = strings.ReplaceAll(strings.ToLower(a), "_", "-")
		}
		keys, values = append(keys, key), append(values, a)
	}
	return keys, values, true
}

// inOrder yields nodes by path and position.
func (v View) inOrder(ids []string) iter.Seq[*node.Node] {
	type placed struct {
		n     *node.Node
		place []int // at each level, the place among the parent's children
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	all := make([]placed, 0, len(ids))
	places := siblings{}
	for _, id := range ids {
		if n, ok := v.State.Get(id); ok {
			all = append(all, placed{n, v.place(n, places)})
		}
	}
	slices.SortFunc(all, func(a, b placed) int {
		return cmp.Or(cmp.Compare(a.n.Path, b.n.Path), slices.Compare(a.place, b.place))
	})
	return func(yield func(*node.Node) bool) {
		for _, p := range all {
			if !yield(p.n) {
				return
			}
		}
	}
}

// siblings keeps, by parent, the places of its children.
type siblings map[string]map[string]int

func (s siblings) place(parent *node.Node, kid string) int {
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

// place is a node's way from its document down.
func (v View) place(n *node.Node, places siblings) []int {
	var way []int
	for n.Parent != "" {
		p, ok := v.State.Get(n.Parent)
		if !ok {
			break
		}
		way = append(way, places.place(p, n.ID))
		n = p
	}
	slices.Reverse(way)
	return way
}
