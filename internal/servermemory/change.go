// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
)

// An edit reads, parses and writes its whole file, so small files make the next entity cheap,
// and large edits make many entities cheap.
const (
	perFile = 64       // number of headlines, counted by order, in one file
	maxEdit = 64 << 10 // bytes of headlines after which an edit ends
)

// change is one call that changes the graph: each step is an operation of the memory and is
// applied to the model.
type change struct {
	*Store
	ctx context.Context
}

// do calls an operation with a sync. After a commit of another writer, the next use looks for changes since seq.
func do[Q any](c *change, op api.Op[Q, *api.EditResponse], req Q, sync api.Sync) error {
	e, err := op.Call(c.ctx, api.WithSync(c.svc, sync), req)
	if err == nil && e.Seq == c.seq+1 {
		c.seq = e.Seq
	}
	return err
}

// create adds and returns the new items of a list.
func create[T item](c *change, list []T) ([]T, error) {
	created, before := []T{}, len(c.model.all)
	for _, t := range list {
		if c.model.headlines[t.key()] == nil {
			c.model.put(t, uuid.NewString(), c.model.last+1)
			created = append(created, t)
		}
	}
	return created, c.add(c.model.all[before:])
}

// add writes headlines in batches, each to the file of its first headline.
func (c *change) add(headlines []*headline) error {
	for len(headlines) > 0 {
		var text strings.Builder
		number := 1 + (headlines[0].order-1)/perFile
		for ; len(headlines) > 0 && text.Len() < maxEdit; headlines = headlines[1:] {
			text.WriteString(c.model.text(headlines[0]))
		}
		if err := c.append(number, text.String()); err != nil {
			return err
		}
	}
	return nil
}

// append writes the text of headlines to the file with a number, which it creates if needed and
// not yet there.
func (c *change) append(number int, text string) error {
	name := fmt.Sprintf("graph-%04d", number)
	edit := api.EditRequest{ID: Agent + "-" + name, Append: &text, AllowSubheadings: true}
	err := do(c, api.OpEdit, edit, api.SyncNone) // refresh has read the folder
	if fovea.KindOf(err) != fovea.NotFound {
		return err
	}
	err = do(c, api.OpRemember, api.RememberRequest{
		Under: folder + name + ".org", Title: fmt.Sprintf("Memory graph %d", number), Property: []string{"ID=" + edit.ID},
	}, "")
	if err != nil && fovea.KindOf(err) != fovea.Conflict {
		return err
	}
	return do(c, api.OpEdit, edit, "")
}

// addObservations adds new observations to their entities. If any name is unknown, it
// returns an error and adds nothing.
func (c *change) addObservations(additions []addition) ([]observed, error) {
	for _, a := range additions {
		if c.model.headlines[a.EntityName] == nil {
			// The original server's message.
			return nil, fmt.Errorf("Entity with name %s not found", a.EntityName)
		}
	}
	results := []observed{}
	for _, a := range additions {
		added, err := c.observe(a.EntityName, a.Contents)
		if err != nil {
			return nil, err
		}
		results = append(results, observed{a.EntityName, added})
	}
	return results, nil
}

// observe adds new observations to an entity, and returns them.
func (c *change) observe(name string, observations []string) ([]string, error) {
	h := c.model.headlines[name]
	added := lacking(h.Observations, observations)
	if len(added) == 0 {
		return added, nil
	}
	h.Observations, c.model.mirrored = slices.Concat(h.Observations, added), -1
	return added, do(c, api.OpEdit, api.EditRequest{ID: h.nodes[0], Append: new(items(added))}, "")
}

// forget removes the headlines of some keys, and the relations that touch a name among them. One that
// another writer already removed counts as removed.
func forget[K comparable](c *change, keys []K) error {
	m, gone := c.model, map[any]bool{}
	for _, key := range keys {
		gone[key] = true
	}
	for _, h := range m.all {
		if !gone[h.key()] && (h.Relation == nil || !gone[h.From] && !gone[h.To]) {
			continue
		}
		for _, node := range h.nodes {
			if err := do(c, api.OpForget, api.MoveRequest{ID: node}, ""); err != nil && fovea.KindOf(err) != fovea.NotFound {
				return err
			}
		}
		delete(m.headlines, h.key())
		m.mirrored = -1
	}
	m.all = slices.DeleteFunc(m.all, func(h *headline) bool { return m.headlines[h.key()] == nil })
	return nil
}

// deleteObservations removes observations from headlines and keeps everything else, such as
// a person's text. It fails if the text changes meanwhile.
func (c *change) deleteObservations(deletions []deletion) error {
	for _, d := range deletions {
		gone := func(o string) bool { return slices.Contains(d.Observations, o) }
		h := c.model.headlines[d.EntityName]
		if h == nil || !slices.ContainsFunc(h.Observations, gone) {
			continue
		}
		h.Observations, c.model.mirrored = slices.DeleteFunc(slices.Clone(h.Observations), gone), -1
		for _, node := range h.nodes {
			n, err := api.OpShow.Call(c.ctx, c.svc, api.ShowRequest{ID: node})
			if err == nil {
				err = do(c, api.OpEdit, api.EditRequest{ID: node, Base: n.Digest, Body: new(without(n.Content, gone))}, "")
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Taken counts the results of an import.
type Taken struct {
	Entities     int `json:"entities"`
	Relations    int `json:"relations"`
	Observations int `json:"observations"` // added to existing entities
	Forgotten    int `json:"forgotten"`    // entities, relations and observations skipped because they were forgotten
}

// Take adds what is in g and not in the graph, except what was forgotten.
func (s *Store) Take(ctx context.Context, g Graph) (Taken, error) {
	return use(ctx, s, true, func(c *change) (Taken, error) { return c.take(g) })
}

func (c *change) take(g Graph) (t Taken, err error) {
	if g, t.Forgotten, err = c.unforgotten(g); err != nil {
		return t, err
	}
	created, err := create(c, g.Entities)
	if err != nil {
		return t, err
	}
	for _, e := range g.Entities {
		added, err := c.observe(e.Name, e.Observations)
		if err != nil {
			return t, err
		}
		t.Observations += len(added)
	}
	linked, err := create(c, g.Relations)
	t.Entities, t.Relations = len(created), len(linked)
	return t, err
}

// maxAsked is the number of notes in one request, whose size is limited.
const maxAsked = 200

// unforgotten drops from g the items that were forgotten and not restored since, and counts them.
func (c *change) unforgotten(g Graph) (out Graph, left int, err error) {
	var asked []ops.NoteText
	forgotten := map[ops.NoteText]bool{}
	is := func(title, body string) bool {
		n := ops.NoteText{Title: title, Body: body}
		asked = append(asked, n)
		return forgotten[n]
	}
	c.keep(g, is) // this pass only collects what to ask
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

// keep returns the part of g that the graph has or that was not forgotten, and the number of items
// left out. An entity counts as its headline and as a note titled with its name, an observation as a
// note titled with its entity's name, a relation as its headline; it is also left out with either end.
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
