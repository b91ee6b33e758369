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
)

// full is the size of a graph file, in bytes, from which a new one is started, and the size
// of one edit; the last headline may exceed it. An edit rewrites its whole file; a new file
// costs a commit.
const full = 64 << 10

func filePath(number int) string { return fmt.Sprintf("%sgraph-%04d.org", folder, number) }

func headID(number int) string { return fmt.Sprintf("%s-graph-%04d", Agent, number) }

// change is a change of the graph being written, each step by an operation of the memory.
// The model changes with it.
type change struct {
	*Store
	ctx     context.Context
	added   []*headline
	touched bool // something was written
	others  bool // not by adding entities and relations alone
}

// Change makes a change durable, then updates the mirror. Steps that were written before an
// error stay written.
func (s *Store) Change(ctx context.Context, make func(*change) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &change{Store: s, ctx: context.WithoutCancel(ctx)}
	err := s.refresh(c.ctx)
	if err == nil {
		err = make(c)
	}
	switch {
	case err != nil:
		s.mirror.distrust()
		return err
	case !c.touched:
		return nil
	}
	return s.mirror.update(graphOf(c.added), c.others, func() (Graph, error) {
		if err := s.refresh(c.ctx); err != nil {
			return Graph{}, err
		}
		return s.model.graph(nil), nil
	})
}

// commit records the answer of an operation. After an error the next use reloads the model;
// after a commit of another writer it reads all changes since seq.
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
func create[T any](c *change, list []T, of func(T) (key, Entity)) ([]T, error) {
	created, from := []T{}, len(c.added)
	for _, t := range list {
		if k, e := of(t); c.model.headlines[k] == nil {
			c.added = append(c.added, c.model.put(k, e, uuid.NewString(), c.model.last+1))
			created = append(created, t)
		}
	}
	return created, c.add(c.added[from:])
}

func (c *change) createEntities(list []Entity) ([]Entity, error) {
	return create(c, list, func(e Entity) (key, Entity) { return entityKey(e.Name), e })
}

func (c *change) createRelations(list []Relation) ([]Relation, error) {
	return create(c, list, func(r Relation) (key, Entity) { return relationKey(r), Entity{} })
}

// add writes headlines to the newest file, or to the next one if that is full.
func (c *change) add(headlines []*headline) error {
	var text strings.Builder
	for i, h := range headlines {
		text.WriteString(c.model.text(h))
		if text.Len() < full && i < len(headlines)-1 {
			continue
		}
		if c.file == 0 || c.size >= full {
			c.file, c.size = c.file+1, 0
		}
		c.size += text.Len()
		if err := c.append(headID(c.file), text.String(), true); err != nil {
			return err
		}
		text.Reset()
	}
	return nil
}

// append appends text to a node. If that is the head of the newest file, it is created if
// need be, unless another process has.
func (c *change) append(node, text string, isHead bool) error {
	req := api.EditRequest{ID: node, Append: &text, AllowSubheadings: isHead}
	e, err := api.OpEdit.Call(c.ctx, c.svc, req)
	if isHead && fovea.KindOf(err) == fovea.NotFound {
		made, failed := api.OpRemember.Call(c.ctx, c.svc, api.RememberRequest{
			Under: filePath(c.file), Title: fmt.Sprintf("Memory graph %d", c.file), Property: []string{"ID=" + node},
		})
		if fovea.KindOf(failed) != fovea.Conflict {
			if err := c.commit(made, failed); err != nil {
				return err
			}
		}
		e, err = api.OpEdit.Call(c.ctx, c.svc, req)
	}
	return c.commit(e, err)
}

// addObservations adds new observations to their entities. If any name is unknown, it
// returns an error and adds nothing.
func (c *change) addObservations(list []Addition) ([]Observed, error) {
	for _, a := range list {
		if c.model.headlines[entityKey(a.EntityName)] == nil {
			// The original server's message.
			return nil, fmt.Errorf("Entity with name %s not found", a.EntityName)
		}
	}
	results := []Observed{}
	for _, a := range list {
		h, added := c.model.headlines[entityKey(a.EntityName)], []string{}
		for _, o := range a.Contents {
			if !h.has(o) && !slices.Contains(added, o) {
				added = append(added, o)
			}
		}
		results = append(results, Observed{a.EntityName, added})
		if len(added) == 0 {
			continue
		}
		h.observe(added)
		c.others = true
		if err := c.append(h.nodes[0], items(added), false); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// deleteEntities deletes entities and the relations that touch them.
func (c *change) deleteEntities(names []string) error {
	gone := setOf(names)
	for name := range gone {
		gone[name] = c.model.headlines[entityKey(name)] != nil
	}
	return c.forget(func(h *headline) bool {
		return !h.isRelation && gone[h.name] || h.isRelation && (gone[h.From] || gone[h.To])
	})
}

func (c *change) deleteRelations(list []Relation) error {
	gone := setOf(list)
	return c.forget(func(h *headline) bool { return h.isRelation && gone[h.Relation] })
}

// forget removes the selected headlines. One that another writer has forgotten is gone.
func (c *change) forget(selected func(*headline) bool) error {
	for _, h := range c.model.inOrder(selected) {
		for _, node := range slices.Clone(h.nodes) {
			c.others = true
			e, err := api.OpForget.Call(c.ctx, c.svc, api.MoveRequest{ID: node})
			if fovea.KindOf(err) == fovea.NotFound {
				e, err = &api.EditResponse{}, nil
			}
			if err := c.commit(e, err); err != nil {
				return err
			}
			c.model.remove(node)
		}
	}
	return nil
}

// maxTries is how often deleteObservations tries while others edit a headline.
const maxTries = 5

// deleteObservations removes observations from headlines and keeps everything else, such as
// a person's text.
func (c *change) deleteObservations(list []Deletion) error {
	for _, d := range list {
		h := c.model.headlines[entityKey(d.EntityName)]
		if h == nil || !slices.ContainsFunc(d.Observations, h.has) {
			continue
		}
		left := slices.DeleteFunc(slices.Clone(h.entity.Observations), func(o string) bool { return slices.Contains(d.Observations, o) })
		h.entity.Observations = nil
		h.observe(left)
		c.others = true
		for _, node := range h.nodes {
			var e *api.EditResponse
			err := error(nil)
			for try := 0; try == 0 || try < maxTries && fovea.KindOf(err) == fovea.Conflict; try++ {
				var n *api.Shown
				if n, err = api.OpShow.Call(c.ctx, c.svc, api.ShowRequest{ID: node}); err == nil {
					text := without(n.Content, d.Observations)
					e, err = api.OpEdit.Call(c.ctx, c.svc, api.EditRequest{ID: node, Base: n.Digest, Body: &text})
				}
			}
			if err := c.commit(e, err); err != nil {
				return err
			}
		}
	}
	return nil
}
