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

// headline is an entity or a relation in the memory. Its lists are replaced, never changed,
// so that lists handed out earlier stay valid.
type headline struct {
	key    any // what there is only once: an entity's name, a string, or a Relation
	entity Entity
	nodes  []string // ids of the nodes that have it: one, unless two writers created it at once
	order  int
	folded string // an entity's searched text, in lower case
}

// model is this process's copy of the graph.
type model struct {
	headlines map[any]*headline // by key
	all       []*headline       // in order of creation
	mirrored  int               // how many of all the mirror has as they are; 0 where any other changed
	last      int               // the highest order
	sizes     map[string]int    // of files, in bytes, by the id of their headlines; what entities gain later is not counted
}

func newModel() *model { return &model{headlines: map[any]*headline{}, sizes: map[string]int{}} }

// put adds a headline, or merges new observations into that of the same key. e is the zero
// value for a relation.
func (m *model) put(key any, e Entity, node string, order int) *headline {
	h := m.headlines[key]
	if h == nil {
		h = &headline{key: key, order: order, entity: Entity{Name: e.Name, EntityType: e.EntityType}}
		m.headlines[key], m.all = h, append(m.all, h)
		h.observe(e.Observations)
	} else {
		h.observe(h.entity.Observations, h.lacking(e.Observations))
	}
	m.last = max(m.last, order)
	h.nodes = append(h.nodes, node)
	return h
}

// lacking returns the observations that an entity does not have, each once.
func (h *headline) lacking(observations []string) []string {
	lacking := []string{}
	for _, o := range observations {
		if !slices.Contains(h.entity.Observations, o) && !slices.Contains(lacking, o) {
			lacking = append(lacking, o)
		}
	}
	return lacking
}

// observe sets the observations, and builds the searched text. A NUL between its parts keeps
// matches within one part.
func (h *headline) observe(all ...[]string) {
	e := &h.entity
	e.Observations = append([]string{}, slices.Concat(all...)...) // an empty list, never none
	h.folded = strings.ToLower(strings.Join(append([]string{e.Name, e.EntityType}, e.Observations...), "\x00"))
}

// graph returns the entities that keep selects, with the relations that touch one of them,
// or everything if keep is nil.
func (m *model) graph(keep func(*headline) bool) Graph {
	g := Graph{Entities: []Entity{}, Relations: []Relation{}}
	chosen := map[string]bool{}
	for _, h := range m.all {
		if name, isEntity := h.key.(string); isEntity && (keep == nil || keep(h)) {
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
		if h := m.headlines[e.Name]; h == nil || len(h.lacking(e.Observations)) > 0 {
			return false
		}
	}
	return !slices.ContainsFunc(g.Relations, func(r Relation) bool { return m.headlines[r] == nil })
}

// setOf returns the values of a list.
func setOf[T comparable](list []T) map[T]bool {
	set := map[T]bool{}
	for _, value := range list {
		set[value] = true
	}
	return set
}
