// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import (
	"context"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/api"
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
	s.mu.Lock()
	err = s.refresh(ctx)
	left := 0
	if err == nil {
		g, left, err = s.unforgotten(ctx, g)
	}
	s.mu.Unlock()
	if err != nil {
		return t, err
	}
	err = s.Change(ctx, func(b *batch) error {
		t = Taken{Entities: len(b.createEntities(g.Entities)), Forgotten: left}
		for _, e := range g.Entities {
			added, err := b.addObservations([]Addition{{e.Name, e.Observations}})
			if err != nil {
				return err
			}
			t.Observations += len(added[0].AddedObservations)
		}
		t.Relations = len(b.createRelations(g.Relations))
		return nil
	})
	return t, err
}

// unforgotten drops from g, and counts, what was forgotten and not restored since. An entity
// counts as its headline and as a note titled with its name, an observation as a note titled
// with its entity's name, a relation as its headline; a relation is also dropped with either
// end. It keeps what the graph has already. The caller holds s.mu, and the model is fresh.
func (s *Store) unforgotten(ctx context.Context, g Graph) (out Graph, left int, err error) {
	var notes []exchange.NoteText
	for _, e := range g.Entities {
		notes = append(append(notes, asNotes(e)...), asObservations(e)...)
	}
	for _, r := range g.Relations {
		notes = append(notes, exchange.NoteText{Title: relationTitle(r, s.model)})
	}
	forgotten, err := forgottenOf(ctx, s.svc, notes)
	if err != nil {
		return g, 0, err
	}
	is := func(n exchange.NoteText) bool { return forgotten[n] }
	gone := map[string]bool{}
	for _, e := range g.Entities {
		if s.model.entities[e.Name] == nil && slices.ContainsFunc(asNotes(e), is) {
			gone[e.Name] = true
			left++
			continue
		}
		all := len(e.Observations)
		e.Observations = slices.DeleteFunc(slices.Clone(e.Observations), func(o string) bool { return is(exchange.NoteText{Title: e.Name, Body: o}) })
		left += all - len(e.Observations)
		out.Entities = append(out.Entities, e)
	}
	for _, r := range g.Relations {
		if s.model.relations[r] == nil && (gone[r.From] || gone[r.To] || is(exchange.NoteText{Title: relationTitle(r, s.model)})) {
			left++
			continue
		}
		out.Relations = append(out.Relations, r)
	}
	return out, left, nil
}

// asNotes returns an entity as notes: its headline, and plain text.
func asNotes(e Entity) []exchange.NoteText {
	return []exchange.NoteText{{Title: title(e.Name), Body: items(e.Observations)}, {Title: e.Name, Body: strings.Join(e.Observations, "\n")}}
}

func asObservations(e Entity) []exchange.NoteText {
	notes := make([]exchange.NoteText, len(e.Observations))
	for i, o := range e.Observations {
		notes[i] = exchange.NoteText{Title: e.Name, Body: o}
	}
	return notes
}

// maxAskedBytes is the number of bytes of notes in one request, whose size is limited.
const maxAskedBytes = 1 << 20

// forgottenOf returns the notes that were forgotten.
func forgottenOf(ctx context.Context, svc api.Service, notes []exchange.NoteText) (map[exchange.NoteText]bool, error) {
	forgotten := map[exchange.NoteText]bool{}
	for len(notes) > 0 {
		n, size := 0, 0
		for n < len(notes) && (n == 0 || size < maxAskedBytes) {
			size += len(notes[n].Title) + len(notes[n].Body)
			n++
		}
		answer, err := exchange.OpForgotten.Call(ctx, svc, exchange.ForgottenRequest{Notes: notes[:n]})
		if err != nil {
			return nil, err
		}
		for _, i := range answer.Notes {
			forgotten[notes[i]] = true
		}
		notes = notes[n:]
	}
	return forgotten, nil
}
