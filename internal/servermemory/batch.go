// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import (
	"fmt"
	"slices"

	"github.com/google/uuid"
)

// batch is a model with changes applied, and the writes that make them durable.
type batch struct {
	*model
	created   []*headline
	observed  map[string][]string // node id -> observations to add
	dropped   map[string][]string // node id -> observations to remove
	forgotten []string            // node ids
	fresh     map[string]bool     // ids of created nodes
}

func newBatch(m *model) *batch {
	return &batch{model: m, observed: map[string][]string{}, dropped: map[string][]string{}, fresh: map[string]bool{}}
}

// empty reports whether there is nothing to write.
func (b *batch) empty() bool {
	return len(b.created)+len(b.observed)+len(b.dropped)+len(b.forgotten) == 0
}

// onlyAdds reports whether the batch leaves all existing nodes unchanged.
func (b *batch) onlyAdds() bool { return len(b.observed)+len(b.dropped)+len(b.forgotten) == 0 }

func (b *batch) node() string {
	id := uuid.NewString()
	b.fresh[id] = true
	return id
}

// createEntities adds and returns the entities with new names.
func (b *batch) createEntities(list []Entity) []Entity {
	created := []Entity{}
	for _, e := range list {
		if _, ok := b.entities[e.Name]; ok {
			continue
		}
		e.Observations = slices.Clone(e.Observations)
		b.created = append(b.created, b.putEntity(e, b.node(), b.last+1))
		created = append(created, e)
	}
	return created
}

// createRelations adds and returns the new relations.
func (b *batch) createRelations(list []Relation) []Relation {
	created := []Relation{}
	for _, r := range list {
		if _, ok := b.relations[r]; ok {
			continue
		}
		b.created = append(b.created, b.putRelation(r, b.node(), b.last+1))
		created = append(created, r)
	}
	return created
}

// Observed lists the observations added to an entity.
type Observed struct {
	EntityName        string   `json:"entityName"`
	AddedObservations []string `json:"addedObservations"`
}

// addObservations adds new observations to their entities. If any name is unknown, it
// returns an error and adds nothing.
func (b *batch) addObservations(list []Addition) ([]Observed, error) {
	for _, a := range list {
		if b.entities[a.EntityName] == nil {
			// The original server's message.
			return nil, fmt.Errorf("Entity with name %s not found", a.EntityName)
		}
	}
	results := []Observed{}
	for _, a := range list {
		e := b.entities[a.EntityName]
		added := []string{}
		for _, o := range a.Contents {
			if !slices.Contains(e.Observations, o) && !slices.Contains(added, o) {
				added = append(added, o)
			}
		}
		if len(added) > 0 {
			e.observe(added)
			if node := e.nodes[0]; !b.fresh[node] {
				b.observed[node] = append(b.observed[node], added...)
			}
		}
		results = append(results, Observed{a.EntityName, added})
	}
	return results, nil
}

// deleteEntities deletes entities and the relations that touch them.
func (b *batch) deleteEntities(names []string) {
	gone := map[string]bool{}
	for _, name := range names {
		if e := b.entities[name]; e != nil {
			gone[name] = true
			b.forget(e.nodes)
		}
	}
	if len(gone) == 0 {
		return
	}
	for r, have := range b.relations {
		if gone[r.From] || gone[r.To] {
			b.forget(have.nodes)
		}
	}
}

func (b *batch) deleteObservations(list []Deletion) {
	for _, d := range list {
		e := b.entities[d.EntityName]
		if e == nil {
			continue
		}
		left := slices.DeleteFunc(slices.Clone(e.Observations), func(o string) bool { return slices.Contains(d.Observations, o) })
		if len(left) == len(e.Observations) {
			continue
		}
		e.Observations = left
		e.fold()
		for _, node := range e.nodes {
			if !b.fresh[node] {
				b.dropped[node] = append(b.dropped[node], d.Observations...)
				b.observed[node] = slices.DeleteFunc(b.observed[node], func(o string) bool { return slices.Contains(d.Observations, o) })
				if len(b.observed[node]) == 0 {
					delete(b.observed, node)
				}
			}
		}
	}
}

func (b *batch) deleteRelations(list []Relation) {
	for _, r := range list {
		if have := b.relations[r]; have != nil {
			b.forget(have.nodes)
		}
	}
}

// forget removes headlines. Headlines created in this batch are not written at all.
func (b *batch) forget(nodes []string) {
	for _, node := range slices.Clone(nodes) {
		b.removeNode(node)
		delete(b.observed, node)
		delete(b.dropped, node)
		if !b.fresh[node] {
			b.forgotten = append(b.forgotten, node)
			continue
		}
		b.created = slices.DeleteFunc(b.created, func(h *headline) bool { return len(h.nodes) == 0 })
	}
}
