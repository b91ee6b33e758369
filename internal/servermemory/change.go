// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
)

// Sizes in bytes. An edit reads, parses and writes its whole file, so small files make the
// next entity cheap, and large edits make many entities cheap.
const (
	full    = 16 << 10 // of a file that gets no more headlines
	maxEdit = 64 << 10 // of the headlines of one edit, of which the last may exceed it
)

// lockTimeout is how long a change waits for the mirror, which another process holds for one of its own.
const lockTimeout, lockInterval = 30 * time.Second, 5 * time.Millisecond

// change is a change of the graph being written, each step by an operation of the memory.
// The model changes with it.
type change struct {
	*Store
	ctx     context.Context
	touched bool // something was written
}

// Change makes a change durable, then writes the mirror. Steps that were written before an
// error stay written, and reach the mirror with the next change.
func (s *Store) Change(ctx context.Context, make func(*change) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &change{Store: s, ctx: context.WithoutCancel(ctx)}
	if s.mirror != nil {
		waiting, cancel := context.WithTimeout(ctx, lockTimeout)
		defer cancel()
		if _, err := s.mirror.lock.TryLockContext(waiting, lockInterval); err != nil {
			return fmt.Errorf("nothing was written, because the file %s cannot be locked: %w", s.mirror.path, err)
		}
		defer s.mirror.lock.Unlock()
	}
	err := s.refresh(c.ctx)
	if err == nil {
		err = make(c)
	}
	if err != nil || s.mirror == nil || !c.touched {
		return err
	}
	return s.mirror.write(s.model)
}

// commit records the answer of an operation. After an error the next use reads the graph
// anew; after a commit of another writer it looks for changes since seq.
func (c *change) commit(e *api.EditResponse, err error) error {
	c.touched = true
	if err != nil {
		c.model = nil
	} else if e.Seq == c.seq+1 {
		c.seq = e.Seq
	}
	return err
}

// create adds and returns what is new of a list of entities or relations.
func create[T any](c *change, list []T, of func(T) (key any, e Entity)) ([]T, error) {
	created, before := []T{}, len(c.model.all)
	for _, t := range list {
		if key, e := of(t); c.model.headlines[key] == nil {
			c.model.put(key, e, uuid.NewString(), c.model.last+1)
			created = append(created, t)
		}
	}
	return created, c.add(c.model.all[before:])
}

func (c *change) createEntities(in entities) (out entities, err error) {
	out.Entities, err = create(c, in.Entities, func(e Entity) (any, Entity) { return e.Name, e })
	return out, err
}

func (c *change) createRelations(in relations) (out relations, err error) {
	out.Relations, err = create(c, in.Relations, func(r Relation) (any, Entity) { return r, Entity{} })
	return out, err
}

// add writes headlines to the first files that are not full.
func (c *change) add(headlines []*headline) error {
	var text strings.Builder
	for i, h := range headlines {
		text.WriteString(c.model.text(h))
		if text.Len() < maxEdit && i < len(headlines)-1 {
			continue
		}
		if err := c.append(text.String()); err != nil {
			return err
		}
		text.Reset()
	}
	return nil
}

// append writes the text of headlines to the first file that is not full, which it makes again if somebody has deleted it meanwhile.
func (c *change) append(text string) error {
	head, err := c.head()
	if err != nil {
		return err
	}
	e, err := api.OpEdit.Call(c.ctx, c.svc, api.EditRequest{ID: head, Append: &text, AllowSubheadings: true})
	if fovea.KindOf(err) == fovea.NotFound && c.model.sizes[head] > 0 {
		delete(c.model.sizes, head)
		return c.append(text)
	}
	c.model.sizes[head] += len(text)
	return c.commit(e, err)
}

// headID names the headline of a file, below which entities and relations stand.
const headID = Agent + "-graph-"

// head returns the id of the headline of the first file that is not full. It makes the file if
// need be, unless another process has.
func (c *change) head() (string, error) {
	number := 1
	for c.model.sizes[fmt.Sprintf(headID+"%04d", number)] >= full {
		number++
	}
	id := fmt.Sprintf(headID+"%04d", number)
	if c.model.sizes[id] > 0 {
		return id, nil
	}
	made, err := api.OpRemember.Call(c.ctx, c.svc, api.RememberRequest{
		Under: fmt.Sprintf("%sgraph-%04d.org", folder, number), Title: fmt.Sprintf("Memory graph %d", number), Property: []string{"ID=" + id},
	})
	if fovea.KindOf(err) == fovea.Conflict {
		return id, nil
	}
	return id, c.commit(made, err)
}

// addObservations adds new observations to their entities. If any name is unknown, it
// returns an error and adds nothing.
func (c *change) addObservations(in additions) (results, error) {
	for _, a := range in.Observations {
		if c.model.headlines[a.EntityName] == nil {
			// The original server's message.
			return results{}, fmt.Errorf("Entity with name %s not found", a.EntityName)
		}
	}
	out := results{[]observed{}}
	for _, a := range in.Observations {
		h := c.model.headlines[a.EntityName]
		added := h.lacking(a.Contents)
		out.Results = append(out.Results, observed{a.EntityName, added})
		if len(added) == 0 {
			continue
		}
		h.observe(h.entity.Observations, added)
		c.model.mirrored = 0
		if err := c.commit(api.OpEdit.Call(c.ctx, c.svc, api.EditRequest{ID: h.nodes[0], Append: new(items(added))})); err != nil {
			return out, err
		}
	}
	return out, nil
}

// deleteEntities deletes entities, and the relations that touch one of their names.
func (c *change) deleteEntities(in entityNames) (done, error) {
	gone := setOf(in.EntityNames)
	return done{true, "Entities deleted successfully"}, c.forget(func(h *headline) bool {
		r, isRelation := h.key.(Relation)
		return isRelation && (gone[r.From] || gone[r.To]) || !isRelation && gone[h.entity.Name]
	})
}

func (c *change) deleteRelations(in relations) (done, error) {
	gone := setOf(in.Relations)
	return done{true, "Relations deleted successfully"}, c.forget(func(h *headline) bool {
		r, isRelation := h.key.(Relation)
		return isRelation && gone[r]
	})
}

// forget removes the selected headlines. One that another writer has forgotten is gone.
func (c *change) forget(selected func(*headline) bool) error {
	m := c.model
	for _, h := range m.all {
		if !selected(h) {
			continue
		}
		for _, node := range h.nodes {
			e, err := api.OpForget.Call(c.ctx, c.svc, api.MoveRequest{ID: node})
			if fovea.KindOf(err) == fovea.NotFound {
				continue
			}
			if err := c.commit(e, err); err != nil {
				return err
			}
		}
		delete(m.headlines, h.key)
	}
	m.mirrored = 0
	m.all = slices.DeleteFunc(m.all, func(h *headline) bool { return m.headlines[h.key] == nil })
	return nil
}

// maxTries is how often a text is read and written while others edit it.
const maxTries = 5

// deleteObservations removes observations from headlines and keeps everything else, such as
// a person's text.
func (c *change) deleteObservations(in deletions) (done, error) {
	for _, d := range in.Deletions {
		h := c.model.headlines[d.EntityName]
		if h == nil {
			continue
		}
		left := slices.DeleteFunc(slices.Clone(h.entity.Observations), func(o string) bool { return slices.Contains(d.Observations, o) })
		if len(left) == len(h.entity.Observations) {
			continue
		}
		h.observe(left)
		c.model.mirrored = 0
		for _, node := range h.nodes {
			e, err := c.without(node, d.Observations)
			for try := 1; try < maxTries && fovea.KindOf(err) == fovea.Conflict; try++ {
				e, err = c.without(node, d.Observations)
			}
			if err := c.commit(e, err); err != nil {
				return done{}, err
			}
		}
	}
	return done{true, "Observations deleted successfully"}, nil
}

// without removes observations from the text of a node, unless that changes meanwhile.
func (c *change) without(node string, observations []string) (*api.EditResponse, error) {
	n, err := api.OpShow.Call(c.ctx, c.svc, api.ShowRequest{ID: node})
	if err != nil {
		return nil, err
	}
	return api.OpEdit.Call(c.ctx, c.svc, api.EditRequest{ID: node, Base: n.Digest, Body: new(without(n.Content, observations))})
}
