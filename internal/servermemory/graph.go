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

// headline is an entity or a relation in the memory. Its lists are replaced, never changed,
// so that lists handed out earlier stay valid.
type headline struct {
	Entity
	Relation
	isRelation bool
	// nodes holds the ids of the nodes that have it: one, unless two writers created it
	// concurrently.
	nodes  []string
	order  int
	folded string // an entity's searched text, in lower case
}

// model is this process's copy of the graph.
type model struct {
	entities  map[string]*headline
	relations map[Relation]*headline
	nodes     map[string]*headline // by node id
	last      int                  // the highest order
}

func newModel() *model {
	return &model{entities: map[string]*headline{}, relations: map[Relation]*headline{}, nodes: map[string]*headline{}}
}

// putEntity adds an entity, or merges new observations into the one of the same name.
func (m *model) putEntity(e Entity, node string, order int) *headline {
	have, ok := m.entities[e.Name]
	if !ok {
		have = &headline{Entity: e, order: order}
		m.entities[e.Name] = have
		e.Observations = nil
	}
	have.observe(slices.DeleteFunc(slices.Clone(e.Observations), func(o string) bool { return slices.Contains(have.Observations, o) }))
	return m.putNode(have, node, order)
}

// putRelation adds a relation.
func (m *model) putRelation(r Relation, node string, order int) *headline {
	have, ok := m.relations[r]
	if !ok {
		have = &headline{Relation: r, isRelation: true, order: order}
		m.relations[r] = have
	}
	return m.putNode(have, node, order)
}

func (m *model) putNode(h *headline, node string, order int) *headline {
	m.last = max(m.last, order)
	h.nodes = append(h.nodes, node)
	m.nodes[node] = h
	return h
}

// removeNode removes the content of a node.
func (m *model) removeNode(node string) {
	h, ok := m.nodes[node]
	if !ok {
		return
	}
	delete(m.nodes, node)
	h.nodes = slices.DeleteFunc(h.nodes, func(n string) bool { return n == node })
	switch {
	case len(h.nodes) > 0:
	case h.isRelation:
		delete(m.relations, h.Relation)
	default:
		delete(m.entities, h.Name)
	}
}

func (h *headline) observe(what []string) {
	h.Observations = append(slices.Clip(h.Observations), what...)
	h.fold()
}

// fold builds the searched text. A NUL between its parts keeps matches within one part.
func (h *headline) fold() {
	h.folded = strings.ToLower(strings.Join(append([]string{h.Name, h.EntityType}, h.Observations...), "\x00"))
}

// graph returns the entities that keep selects, all if keep is nil, with the relations that
// touch one of them.
func (m *model) graph(keep func(*headline) bool) Graph {
	entities := inOrder(m.entities, keep)
	g := Graph{Entities: make([]Entity, len(entities)), Relations: []Relation{}}
	chosen := map[string]bool{}
	for i, e := range entities {
		g.Entities[i] = e.Entity
		chosen[e.Name] = true
	}
	touching := func(r *headline) bool { return keep == nil || chosen[r.From] || chosen[r.To] }
	for _, r := range inOrder(m.relations, touching) {
		g.Relations = append(g.Relations, r.Relation)
	}
	return g
}

// inOrder returns the headlines that keep selects, all if keep is nil, in order of creation.
func inOrder[K comparable](all map[K]*headline, keep func(*headline) bool) []*headline {
	var out []*headline
	for _, h := range all {
		if keep == nil || keep(h) {
			out = append(out, h)
		}
	}
	slices.SortFunc(out, func(a, b *headline) int {
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.RelationType, b.RelationType))
	})
	return out
}

// search returns the entities with text in their name, type or an observation, ignoring
// case, with their relations.
func (m *model) search(text string) Graph {
	text = strings.ToLower(text)
	return m.graph(func(e *headline) bool { return strings.Contains(e.folded, text) })
}

// open returns the entities with exactly these names, with their relations.
func (m *model) open(names []string) Graph {
	wanted := map[string]bool{}
	for _, n := range names {
		wanted[n] = true
	}
	return m.graph(func(e *headline) bool { return wanted[e.Name] })
}
