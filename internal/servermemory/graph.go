// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import (
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

// item is an Entity or a Relation. Each key, the name of an entity or a relation, is unique.
type item interface{ key() any }

func (e Entity) key() any   { return e.Name }
func (r Relation) key() any { return r }

// headline is an item in the memory, and a line of server-memory's file. Its lists are replaced,
// never changed, so that lists handed out earlier stay valid.
type headline struct {
	Type string `json:"type"`
	*Entity
	*Relation
	nodes []string // ids of its nodes: one, unless two writers created it at once
	order int
}

// key returns the key of the item.
func (h *headline) key() any {
	if h.Relation != nil {
		return *h.Relation
	}
	return h.Name
}

// model is this process's copy of the graph.
type model struct {
	headlines map[any]*headline // by key
	all       []*headline       // in order of creation
	mirrored  int               // number of headlines in the file; -1 if it must be replaced
	last      int               // the highest order
}

func newModel() *model { return &model{headlines: map[any]*headline{}, mirrored: -1} }

// put adds an item, or merges new observations into the item with the same key.
func (m *model) put(value item, node string, order int) *headline {
	h := m.headlines[value.key()]
	if h == nil {
		h = &headline{order: order}
		m.headlines[value.key()], m.all = h, append(m.all, h)
	}
	switch value := value.(type) {
	case Relation:
		h.Type, h.Relation = "relation", &value
	case Entity:
		if h.Entity == nil {
			h.Type, h.Entity = "entity", &Entity{value.Name, value.EntityType, append([]string{}, value.Observations...)} // never null
		} else {
			h.Observations = append(slices.Clip(h.Observations), lacking(h.Observations, value.Observations)...)
		}
	}
	m.last = max(m.last, order)
	h.nodes = append(h.nodes, node)
	return h
}

// lacking returns the values that are not in a list, each once.
func lacking(list, values []string) []string {
	lacking := []string{}
	for _, v := range values {
		if !slices.Contains(list, v) && !slices.Contains(lacking, v) {
			lacking = append(lacking, v)
		}
	}
	return lacking
}

// graph returns the entities that keep selects, with the relations that touch one of them,
// or everything if keep is nil.
func (m *model) graph(keep func(Entity) bool) Graph {
	g := Graph{Entities: []Entity{}, Relations: []Relation{}}
	chosen := map[string]bool{}
	for _, h := range m.all {
		if h.Entity != nil && (keep == nil || keep(*h.Entity)) {
			chosen[h.Name] = true
			g.Entities = append(g.Entities, *h.Entity)
		}
	}
	for _, h := range m.all {
		if h.Relation != nil && (keep == nil || chosen[h.From] || chosen[h.To]) {
			g.Relations = append(g.Relations, *h.Relation)
		}
	}
	return g
}

// search returns the entities with a text in their name, type or an observation, ignoring case.
func (m *model) search(text string) Graph {
	text = strings.ToLower(text)
	has := func(value string) bool { return strings.Contains(strings.ToLower(value), text) }
	return m.graph(func(e Entity) bool {
		return has(e.Name) || has(e.EntityType) || slices.ContainsFunc(e.Observations, has)
	})
}

// open returns the entities with exactly these names.
func (m *model) open(names []string) Graph {
	slices.Sort(names)
	return m.graph(func(e Entity) bool {
		_, isNamed := slices.BinarySearch(names, e.Name)
		return isNamed
	})
}

// holds reports whether m has every entity, observation and relation of g.
func (m *model) holds(g Graph) bool {
	for _, e := range g.Entities {
		if h := m.headlines[e.Name]; h == nil || len(lacking(h.Observations, e.Observations)) > 0 {
			return false
		}
	}
	return !slices.ContainsFunc(g.Relations, func(r Relation) bool { return m.headlines[r] == nil })
}
