// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode"

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
	markKey     = "mark" // the characters of the text that elements of some types need
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
		more := true
		add := func(key string, values ...string) {
			for _, v := range values {
				more = more && yield(key, v)
			}
		}
		d := n.Derived
		add(typeKey, n.Type)
		add(tagKey, d.Tags...)
		add(linkKey, d.Links...)
		add(markKey, rareMarksOf(n)...)
		if d.Todo != "" {
			add(todoKey, d.Todo)
		}
		for name, present := range map[string]bool{
			"scheduled": d.Scheduled != "", "deadline": d.Deadline != "", "closed": d.Closed != "",
			"priority": d.Priority != "", "link": len(d.Links) > 0,
		} {
			if present {
				add(hasKey, name)
			}
		}
		for _, p := range d.Properties {
			key := propertyKey + foldKey(strings.TrimSuffix(p.Key, "+"))
			add(hasKey, key)
			add(key, p.Value)
		}
		for _, g := range d.TagGroups {
			add(groupKey, g.Name)
		}
	}
}

// candidates yields, in document order, a superset of the matches: the nodes with an
// attribute that the query requires, or all nodes.
func (v View) candidates(e query.Expr) iter.Seq[*node.Node] {
	if v.Attributes == nil {
		return v.State.All()
	}
	x := v.Attributes()
	best := v.State.Len()/8 + 1 // sorting more ids costs more than visiting every node
	var ids []string
	for _, p := range requiredPreds(e) {
		lookups, ok := indexLookups(p, x)
		if !ok {
			continue
		}
		if found, ok := v.collect(lookups, x, best); ok {
			best, ids = len(found), found
		}
	}
	if ids == nil {
		return v.State.All()
	}
	return v.inDocumentOrder(ids)
}

// collect returns what some lookups find, not nil, if they are fewer ids than limit.
func (v View) collect(l lookups, x index.Attributes, limit int) (ids []string, ok bool) {
	n := len(l.ids)
	for _, pair := range l.pairs {
		n += x.Count(pair[0], pair[1])
	}
	if n >= limit {
		return nil, false
	}
	ids = append(make([]string, 0, n), l.ids...)
	for _, pair := range l.pairs {
		ids = slices.AppendSeq(ids, x.Lookup(pair[0], pair[1]))
	}
	if !l.below {
		return ids, true
	}
	seen := make(map[string]bool, n)
	for i := 0; i < len(ids); i++ { // ids grows
		if n, found := v.State.Get(ids[i]); found && !seen[n.ID] {
			seen[n.ID] = true
			ids = append(ids, n.Kids...)
		}
		if len(seen) >= limit {
			return nil, false
		}
	}
	return ids, true
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

// lookups are the places where every match of a predicate is; for an element, its node
// is there.
type lookups struct {
	pairs [][2]string // a match has at least one of these keys and values
	ids   []string    // or has one of these ids
	below bool        // or is below a match
}

// indexLookups returns where the matches of p are found. ok is false if the index cannot
// answer it.
func indexLookups(p query.Pred, x index.Attributes) (l lookups, ok bool) {
	add := func(key string, values ...string) {
		for _, v := range values {
			l.pairs = append(l.pairs, [2]string{key, v})
		}
	}
	switch p.Name {
	case "id":
		for _, id := range p.Args {
			host, _, _ := cutLast(id, spanSeparator) // of an element, else the id
			l.ids = append(l.ids, id, host)
		}
	case "todo":
		add(todoKey, p.Args...)
	case "tags-local", "tags", "tags-inherited", "tags-all":
		if slices.ContainsFunc(p.Args, func(tag string) bool { return x.Count(groupKey, tag) > 0 }) {
			return l, false // members of the group match too
		}
		add(tagKey, p.Args...)
		if l.below = p.Name != "tags-local"; p.Name == "tags-all" && len(l.pairs) > 0 {
			l.pairs = l.pairs[:1] // every match has the first
		}
	case "type":
		for _, arg := range p.Args {
			name := query.TypeName(arg)
			if t, element := elementNames[name]; element {
				if !slices.Contains(rareMarks, marksByType[t]) {
					return l, false
				}
				add(markKey, marksByType[t])
			}
			add(typeKey, name) // an AST may have nodes of this type
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
			return l, false
		}
		key, value, hasValue := strings.Cut(p.Args[0], "=")
		if hasValue {
			add(propertyKey+foldKey(key), value)
		}
		add(propertyKey+foldKey(key), p.Args[1:]...)
		if len(l.pairs) == 0 {
			add(hasKey, propertyKey+foldKey(key))
		}
	}
	return l, len(l.pairs)+len(l.ids) > 0
}

// inDocumentOrder yields the nodes with these ids by path and position. O(nodes of their documents).
func (v View) inDocumentOrder(ids []string) iter.Seq[*node.Node] {
	wanted, paths := map[string]bool{}, map[string]bool{}
	for _, id := range ids {
		if n, ok := v.State.Get(id); ok {
			wanted[id], paths[n.Path] = true, true
		}
	}
	return func(yield func(*node.Node) bool) {
		for _, path := range slices.Sorted(maps.Keys(paths)) {
			for _, n := range v.State.Nodes(path) {
				if wanted[n.ID] && !yield(n) {
					return
				}
			}
		}
	}
}
