// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/query"
)

// idsOf returns the ids that have a handle.
func (v View) idsOf(handle string) []string {
	if v.IDs == nil {
		return nil
	}
	return v.IDs(handle)
}

// resolveHandle resolves a name that is the handle of ids, with or without the prefix
// "id:". A removed node keeps its handle, so another node with that name is ambiguous.
func (v View) resolveHandle(name, handle string, ids []string) (*node.Node, error) {
	var found []*node.Node
	add := func(n *node.Node, ok bool) {
		if ok && !slices.Contains(found, n) {
			found = append(found, n)
		}
	}
	for _, id := range ids {
		add(v.State.Get(id))
	}
	gone := len(ids) - len(found)
	if name == handle { // no prefix
		add(v.State.Get(name))
		add(v.State.Document(name))
		for n := range v.State.All() {
			if title := n.Title(); len(title) == len(name) && v.State.CopyOf(n.Path) == "" { // equal lengths: a handle is ASCII
				add(n, strings.EqualFold(title, name))
			}
		}
	}
	return v.one(name, found, gone)
}

// spanID returns the id of an element, whose node id may be written as a handle.
func (v View) spanID(id string) string {
	host, element, ok := cutLast(id, spanSeparator)
	if !ok {
		return id
	}
	if _, isID := v.State.Get(host); isID {
		return id
	}
	if ids := v.idsOf(host); len(ids) == 1 {
		return ids[0] + spanSeparator + element
	}
	return id
}

// withIDs returns a query whose conditions on ids also accept handles.
func (v View) withIDs(e query.Expr) query.Expr {
	switch e := e.(type) {
	case query.And:
		return query.And{Of: v.eachWithIDs(e.Of)}
	case query.Or:
		return query.Or{Of: v.eachWithIDs(e.Of)}
	case query.Not:
		return query.Not{Of: v.withIDs(e.Of)}
	case query.Pred:
		if e.Of != nil {
			e.Of = v.withIDs(e.Of)
		}
		if e.Name == "id" {
			ids := slices.Clone(e.Args)
			for _, arg := range e.Args {
				ids = append(ids, v.idsOf(arg)...)
				if id := v.spanID(arg); id != arg {
					ids = append(ids, id)
				}
			}
			e.Args = ids
		}
		return e
	}
	return e
}

func (v View) eachWithIDs(list []query.Expr) []query.Expr {
	out := make([]query.Expr, len(list))
	for i, e := range list {
		out[i] = v.withIDs(e)
	}
	return out
}
