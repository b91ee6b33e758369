// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import "slices"

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
	key    any // what there is only once: an entity's name, a string, or a Relation
	entity Entity
	nodes  []string // ids of the nodes that have it: one, unless two writers created it at once
	order  int
}

// model is this process's copy of the graph.
type model struct {
	headlines map[any]*headline // by key
	all       []*headline       // in order of creation
	mirrored  int               // how many of all the mirror has as they are; 0 where any other changed
	last      int               // the highest order
}

func newModel() *model { return &model{headlines: map[any]*headline{}} }

// keyOf returns the key of an Entity or a Relation, and the entity, empty for a relation.
func keyOf(value any) (key any, e Entity) {
	if e, isEntity := value.(Entity); isEntity {
		return e.Name, e
	}
	return value, e
}

// put adds an Entity or a Relation, or merges new observations into that of the same key.
func (m *model) put(value any, node string, order int) *headline {
	key, e := keyOf(value)
	h := m.headlines[key]
	if h == nil {
		h = &headline{key: key, entity: e, order: order}
		h.entity.Observations = append([]string{}, e.Observations...) // an empty list, never none
		m.headlines[key], m.all = h, append(m.all, h)
	} else {
		h.entity.Observations = slices.Concat(h.entity.Observations, lacking(h.entity.Observations, e.Observations))
	}
	m.last = max(m.last, order)
	h.nodes = append(h.nodes, node)
	return h
}

// observe gives an entity other observations.
func (m *model) observe(h *headline, observations []string) {
	h.entity.Observations, m.mirrored = observations, 0
}

// setOf returns the values of a list.
func setOf[T comparable](list []T) map[T]bool {
	set := make(map[T]bool, len(list))
	for _, v := range list {
		set[v] = true
	}
	return set
}

// lacking returns the values that a list does not have, each once.
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
		if name, isEntity := h.key.(string); isEntity && (keep == nil || keep(h.entity)) {
			chosen[name] = true
			g.Entities = append(g.Entities, h.entity)
		}
	}
	for _, h := range m.all {
		if r, isRelation := h.key.(Relation); isRelation && (keep == nil || chosen[r.From] || chosen[r.To]) {
			g.Relations = append(g.Relations, r)
		}
	}
	return g
}

// holds reports whether m has every entity, observation and relation of g.
func (m *model) holds(g Graph) bool {
	for _, e := range g.Entities {
		if h := m.headlines[e.Name]; h == nil || len(lacking(h.entity.Observations, e.Observations)) > 0 {
			return false
		}
	}
	return !slices.ContainsFunc(g.Relations, func(r Relation) bool { return m.headlines[r] == nil })
}
