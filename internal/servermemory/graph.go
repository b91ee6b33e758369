// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import (
	"cmp"
	"maps"
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

// entity is an Entity in the memory. Its lists are replaced, never changed, so that lists
// handed out earlier stay valid.
type entity struct {
	Entity
	// nodes holds the ids of its headlines: one, unless two writers created the entity
	// concurrently.
	nodes  []string
	order  int
	folded string // searched text, in lower case
}

// relation is a Relation in the memory.
type relation struct {
	Relation
	nodes []string
	order int
}

// model is this process's copy of the graph.
type model struct {
	entities  map[string]*entity
	relations map[Relation]*relation
	named     map[string]string   // node id -> name of the entity
	related   map[string]Relation // node id -> relation
	last      int                 // the highest order
}

func newModel() *model {
	return &model{entities: map[string]*entity{}, relations: map[Relation]*relation{}, named: map[string]string{}, related: map[string]Relation{}}
}

// putEntity adds an entity, or merges new observations into the one of the same name.
func (m *model) putEntity(e Entity, node string, order int) *entity {
	m.last = max(m.last, order)
	have, ok := m.entities[e.Name]
	if !ok {
		have = &entity{Entity: e, order: order}
		m.entities[e.Name] = have
	} else {
		have.observe(slices.DeleteFunc(slices.Clone(e.Observations), func(o string) bool { return slices.Contains(have.Observations, o) }))
	}
	have.nodes = append(have.nodes, node)
	m.named[node] = e.Name
	have.fold()
	return have
}

// putRelation adds a relation.
func (m *model) putRelation(r Relation, node string, order int) *relation {
	m.last = max(m.last, order)
	have, ok := m.relations[r]
	if !ok {
		have = &relation{Relation: r, order: order}
		m.relations[r] = have
	}
	have.nodes = append(have.nodes, node)
	m.related[node] = r
	return have
}

// knows reports whether the model holds the content of a headline.
func (m *model) knows(node string) bool {
	_, isEntity := m.named[node]
	_, isRelation := m.related[node]
	return isEntity || isRelation
}

// removeNode removes the content of a headline.
func (m *model) removeNode(node string) {
	if name, ok := m.named[node]; ok {
		delete(m.named, node)
		e := m.entities[name]
		if e.nodes = slices.DeleteFunc(e.nodes, func(n string) bool { return n == node }); len(e.nodes) == 0 {
			delete(m.entities, name)
		}
	}
	if r, ok := m.related[node]; ok {
		delete(m.related, node)
		have := m.relations[r]
		if have.nodes = slices.DeleteFunc(have.nodes, func(n string) bool { return n == node }); len(have.nodes) == 0 {
			delete(m.relations, r)
		}
	}
}

func (e *entity) observe(what []string) {
	e.Observations = append(slices.Clip(e.Observations), what...)
	e.fold()
}

// fold builds the searched text. A NUL between its parts keeps matches within one part.
func (e *entity) fold() {
	e.folded = strings.ToLower(strings.Join(append([]string{e.Name, e.EntityType}, e.Observations...), "\x00"))
}

// graph returns the entities that keep selects, all if keep is nil, with the relations that
// touch one of them.
func (m *model) graph(keep func(*entity) bool) Graph {
	var entities []*entity
	if keep == nil {
		entities = slices.Collect(maps.Values(m.entities))
	} else {
		for _, e := range m.entities {
			if keep(e) {
				entities = append(entities, e)
			}
		}
	}
	slices.SortFunc(entities, func(a, b *entity) int { return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.Name, b.Name)) })
	g := Graph{Entities: make([]Entity, len(entities)), Relations: []Relation{}}
	chosen := map[string]bool{}
	for i, e := range entities {
		g.Entities[i] = e.Entity
		chosen[e.Name] = true
	}
	var relations []*relation
	for _, r := range m.relations {
		if keep == nil || chosen[r.From] || chosen[r.To] {
			relations = append(relations, r)
		}
	}
	slices.SortFunc(relations, func(a, b *relation) int {
		return cmp.Or(cmp.Compare(a.order, b.order), compareRelations(a.Relation, b.Relation))
	})
	for _, r := range relations {
		g.Relations = append(g.Relations, r.Relation)
	}
	return g
}

func compareRelations(a, b Relation) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.RelationType, b.RelationType))
}

// search returns the entities with text in their name, type or an observation, ignoring
// case, with their relations.
func (m *model) search(text string) Graph {
	text = strings.ToLower(text)
	return m.graph(func(e *entity) bool { return strings.Contains(e.folded, text) })
}

// open returns the entities with exactly these names, with their relations.
func (m *model) open(names []string) Graph {
	wanted := map[string]bool{}
	for _, n := range names {
		wanted[n] = true
	}
	return m.graph(func(e *entity) bool { return wanted[e.Name] })
}
