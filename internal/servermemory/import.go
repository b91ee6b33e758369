// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import (
	"context"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/api/ops"
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
	created, err := create(c, g.Entities)
	for _, e := range g.Entities {
		if err != nil {
			return t, err
		}
		var added []string
		added, err = c.observe(e.Name, e.Observations)
		t.Observations += len(added)
	}
	if err != nil {
		return t, err
	}
	linked, err := create(c, g.Relations)
	t.Entities, t.Relations = len(created), len(linked)
	return t, err
}

// maxAsked is the number of notes in one request, whose size is limited.
const maxAsked = 200

// unforgotten drops from g, and counts, what was forgotten and not restored since.
func (c *change) unforgotten(g Graph) (out Graph, left int, err error) {
	var asked []ops.NoteText
	forgotten := map[ops.NoteText]bool{}
	is := func(title, body string) bool {
		n := ops.NoteText{Title: title, Body: body}
		asked = append(asked, n)
		return forgotten[n]
	}
	c.keep(g, is) // which asks for all
	for some := range slices.Chunk(asked, maxAsked) {
		answer, err := ops.OpForgotten.Call(c.ctx, c.svc, ops.ForgottenRequest{Notes: some})
		if err != nil {
			return g, 0, err
		}
		for _, i := range answer.Notes {
			forgotten[some[i]] = true
		}
	}
	out, left = c.keep(g, is)
	return out, left, nil
}

// keep returns what the graph has already of g or was not forgotten, and how much is left out. An
// entity counts as its headline and as a note titled with its name, an observation as a note titled
// with its entity's name, a relation as its headline; a relation is also left out with either end.
func (c *change) keep(g Graph, forgotten func(title, body string) bool) (out Graph, left int) {
	gone := map[string]bool{}
	for _, e := range g.Entities {
		isNew := c.model.headlines[e.Name] == nil
		if isNew && (forgotten(title(e.Name), items(e.Observations)) || forgotten(e.Name, strings.Join(e.Observations, "\n"))) {
			gone[e.Name] = true
			left++
			continue
		}
		kept := slices.DeleteFunc(slices.Clone(e.Observations), func(o string) bool { return forgotten(e.Name, o) })
		left += len(e.Observations) - len(kept)
		out.Entities = append(out.Entities, Entity{e.Name, e.EntityType, kept})
	}
	out.Relations = slices.DeleteFunc(slices.Clone(g.Relations), func(r Relation) bool {
		return c.model.headlines[r] == nil && (gone[r.From] || gone[r.To] || forgotten(c.model.title(r), ""))
	})
	return out, left + len(g.Relations) - len(out.Relations)
}
