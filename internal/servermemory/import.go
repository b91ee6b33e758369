// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import (
	"context"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/api/exchange"
)

// Taken counts the results of an import.
type Taken struct {
	Entities     int `json:"entities"`
	Relations    int `json:"relations"`
	Observations int `json:"observations"` // added to existing entities
	Forgotten    int `json:"forgotten"`    // entities, relations and observations skipped because they were forgotten
}

// Take adds what the graph lacks of g, except what was forgotten.
func (s *Store) Take(ctx context.Context, g Graph) (t Taken, err error) {
	err = s.Change(ctx, func(c *change) (err error) {
		t, err = c.take(g)
		return err
	})
	return t, err
}

func (c *change) take(g Graph) (t Taken, err error) {
	if g, t.Forgotten, err = c.unforgotten(g); err != nil {
		return t, err
	}
	created, err := c.createEntities(entities{g.Entities})
	if err != nil {
		return t, err
	}
	for _, e := range g.Entities {
		added, err := c.addObservations(additions{[]addition{{e.Name, e.Observations}}})
		if err != nil {
			return t, err
		}
		t.Observations += len(added.Results[0].AddedObservations)
	}
	linked, err := c.createRelations(relations{g.Relations})
	t.Entities, t.Relations = len(created.Entities), len(linked.Relations)
	return t, err
}

// maxAsked is the number of notes in one request, whose size is limited.
const maxAsked = 200

// unforgotten drops from g, and counts, what was forgotten and not restored since. An entity
// counts as its headline and as a note titled with its name, an observation as a note titled
// with its entity's name, a relation as its headline; a relation is also dropped with either
// end. It keeps what the graph has already.
func (c *change) unforgotten(g Graph) (out Graph, left int, err error) {
	type note = exchange.NoteText
	asNotes := func(e Entity) []note {
		return []note{{Title: title(e.Name), Body: items(e.Observations)}, {Title: e.Name, Body: strings.Join(e.Observations, "\n")}}
	}
	var notes []note
	for _, e := range g.Entities {
		notes = append(notes, asNotes(e)...)
		for _, o := range e.Observations {
			notes = append(notes, note{Title: e.Name, Body: o})
		}
	}
	for _, r := range g.Relations {
		notes = append(notes, note{Title: c.model.title(r)})
	}
	forgotten := map[note]bool{}
	for asked := range slices.Chunk(notes, maxAsked) {
		answer, err := exchange.OpForgotten.Call(c.ctx, c.svc, exchange.ForgottenRequest{Notes: asked})
		if err != nil {
			return g, 0, err
		}
		for _, i := range answer.Notes {
			forgotten[asked[i]] = true
		}
	}
	is := func(n note) bool { return forgotten[n] }
	gone := map[string]bool{}
	for _, e := range g.Entities {
		if c.model.headlines[e.Name] == nil && slices.ContainsFunc(asNotes(e), is) {
			gone[e.Name] = true
			left++
			continue
		}
		kept := slices.DeleteFunc(slices.Clone(e.Observations), func(o string) bool { return is(note{Title: e.Name, Body: o}) })
		left += len(e.Observations) - len(kept)
		out.Entities = append(out.Entities, Entity{e.Name, e.EntityType, kept})
	}
	out.Relations = slices.DeleteFunc(slices.Clone(g.Relations), func(r Relation) bool {
		return c.model.headlines[r] == nil && (gone[r.From] || gone[r.To] || is(note{Title: c.model.title(r)}))
	})
	return out, left + len(g.Relations) - len(out.Relations), nil
}
