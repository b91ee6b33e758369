// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import (
	"cmp"
	"slices"
	"strings"
)

// Entity is a named thing and the observations about it.
type Entity struct {
	Name         string   `json:"name" jsonschema:"The name of the entity"`
	EntityType   string   `json:"entityType" jsonschema:"The type of the entity"`
	Observations []string `json:"observations" jsonschema:"An array of observation contents associated with the entity"`
}

// Relation connects two entities by name. Neither needs to exist.
type Relation struct {
	From         string `json:"from" jsonschema:"The name of the entity where the relation starts"`
	To           string `json:"to" jsonschema:"The name of the entity where the relation ends"`
	RelationType string `json:"relationType" jsonschema:"The type of the relation"`
}

// Graph holds entities and relations, each in order of creation.
type Graph struct {
	Entities  []Entity   `json:"entities"`
	Relations []Relation `json:"relations"`
}

// key is what there is only once: an entity's name, or a relation.
type key struct {
	name string
	Relation
	isRelation bool
}

func entityKey(name string) key { return key{name: name} }

func relationKey(r Relation) key { return key{Relation: r, isRelation: true} }

// headline is an entity or a relation in the memory. Its lists are replaced, never changed,
// so that lists handed out earlier stay valid.
type headline struct {
	key
	entity Entity
	nodes  []string // ids of the nodes that have it: one, unless two writers created it at once
	order  int
	folded string // an entity's searched text, in lower case
}

// model is this process's copy of the graph.
type model struct {
	headlines map[key]*headline
	nodes     map[string]*headline // by node id
	last      int                  // the highest order
}

func newModel() *model { return &model{headlines: map[key]*headline{}, nodes: map[string]*headline{}} }

// put adds a headline, or merges new observations into that of the same key. e is the zero
// value for a relation.
func (m *model) put(k key, e Entity, node string, order int) *headline {
	h := m.headlines[k]
	if h == nil {
		h = &headline{key: k, order: order, entity: Entity{e.Name, e.EntityType, []string{}}}
		m.headlines[k] = h
		h.observe(e.Observations)
	} else {
		h.observe(slices.DeleteFunc(slices.Clone(e.Observations), h.has))
	}
	m.last = max(m.last, order)
	h.nodes = append(h.nodes, node)
	m.nodes[node] = h
	return h
}

// remove removes the content of a node.
func (m *model) remove(node string) {
	h := m.nodes[node]
	if h == nil {
		return
	}
	delete(m.nodes, node)
	h.nodes = slices.DeleteFunc(slices.Clone(h.nodes), func(n string) bool { return n == node })
	if len(h.nodes) == 0 {
		delete(m.headlines, h.key)
	}
}

func (h *headline) has(observation string) bool {
	return slices.Contains(h.entity.Observations, observation)
}

// observe adds observations, and builds the searched text. A NUL between its parts keeps
// matches within one part.
func (h *headline) observe(what []string) {
	e := &h.entity
	e.Observations = append(slices.Clip(e.Observations), what...)
	h.folded = strings.ToLower(strings.Join(append([]string{e.Name, e.EntityType}, e.Observations...), "\x00"))
}

// graph returns the entities that keep selects, with the relations that touch one of them,
// or everything if keep is nil.
func (m *model) graph(keep func(*headline) bool) Graph {
	entities := m.inOrder(func(h *headline) bool { return !h.isRelation && (keep == nil || keep(h)) })
	chosen := map[string]bool{}
	for _, h := range entities {
		chosen[h.name] = true
	}
	relations := m.inOrder(func(h *headline) bool { return h.isRelation && (keep == nil || chosen[h.From] || chosen[h.To]) })
	return graphOf(append(entities, relations...))
}

// graphOf returns headlines as a graph.
func graphOf(headlines []*headline) Graph {
	g := Graph{Entities: []Entity{}, Relations: []Relation{}}
	for _, h := range headlines {
		if h.isRelation {
			g.Relations = append(g.Relations, h.Relation)
		} else {
			g.Entities = append(g.Entities, h.entity)
		}
	}
	return g
}

// inOrder returns the headlines that keep selects, in order of creation.
func (m *model) inOrder(keep func(*headline) bool) []*headline {
	var out []*headline
	for _, h := range m.headlines {
		if keep(h) {
			out = append(out, h)
		}
	}
	slices.SortFunc(out, func(a, b *headline) int {
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.name, b.name),
			cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.RelationType, b.RelationType))
	})
	return out
}

// holds reports whether m has every entity, observation and relation of g.
func (m *model) holds(g Graph) bool {
	for _, e := range g.Entities {
		have := m.headlines[entityKey(e.Name)]
		if have == nil || slices.ContainsFunc(e.Observations, func(o string) bool { return !have.has(o) }) {
			return false
		}
	}
	return !slices.ContainsFunc(g.Relations, func(r Relation) bool { return m.headlines[relationKey(r)] == nil })
}

// setOf returns the values of a list.
func setOf[T comparable](list []T) map[T]bool {
	set := map[T]bool{}
	for _, value := range list {
		set[value] = true
	}
	return set
}
