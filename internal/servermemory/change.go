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

// An edit reads, parses and writes its whole file, so small files make the next entity cheap,
// and large edits make many entities cheap.
const (
	perFile = 64       // places in the order of which the headlines are in one file
	maxEdit = 64 << 10 // bytes of the headlines of one edit, of which the last may exceed it
)

// lockTimeout is how long a change waits for the mirror, which another process holds for one of its own.
const lockTimeout, lockInterval = 30 * time.Second, 5 * time.Millisecond

// change is a change of the graph being written, each step by an operation of the memory.
// The model changes with it.
type change struct {
	*Store
	ctx     context.Context
	touched bool // the mirror is to be written
}

// Change makes a change durable, then writes the mirror, unless there was nothing to change. Steps that were written before an
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
	if err != nil {
		s.model = nil // the next use reads what was written before
	} else if s.mirror != nil && c.touched {
		err = s.mirror.write(s.model)
	}
	return err
}

// do carries out an operation, with the folder treated as sync says. After a commit of another writer, the next use looks for
// changes since seq.
func do[Q any](c *change, op api.Op[Q, *api.EditResponse], req Q, sync api.Sync) error {
	c.touched = true
	e, err := op.Call(c.ctx, api.WithSync(c.svc, sync), req)
	if err == nil && e.Seq == c.seq+1 {
		c.seq = e.Seq
	}
	return err
}

// create adds and returns what is new of a list of entities or relations.
func create[T any](c *change, list []T) ([]T, error) {
	created, before := []T{}, len(c.model.all)
	for _, t := range list {
		if key, _ := keyOf(t); c.model.headlines[key] == nil {
			c.model.put(t, uuid.NewString(), c.model.last+1)
			created = append(created, t)
		}
	}
	return created, c.add(c.model.all[before:])
}

// add writes headlines, each edit to the file of its first one.
func (c *change) add(headlines []*headline) error {
	var text strings.Builder
	first := 0
	for i, h := range headlines {
		if text.Len() == 0 {
			first = h.order
		}
		text.WriteString(c.model.text(h))
		if text.Len() < maxEdit && i < len(headlines)-1 {
			continue
		}
		if err := c.append(1+(first-1)/perFile, text.String()); err != nil {
			return err
		}
		text.Reset()
	}
	return nil
}

// append writes the text of headlines to the file of a number, which it makes if need be, unless
// another process has.
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
func (c *change) addObservations(in arguments) (any, error) {
	for _, a := range in.Observations {
		if c.model.headlines[a.EntityName] == nil {
			// The original server's message.
			return nil, fmt.Errorf("Entity with name %s not found", a.EntityName)
		}
	}
	results := []observed{}
	for _, a := range in.Observations {
		added, err := c.observe(a.EntityName, a.Contents)
		if err != nil {
			return nil, err
		}
		results = append(results, observed{a.EntityName, added})
	}
	return results, nil
}

// observe adds new observations to an entity, and returns these.
func (c *change) observe(name string, observations []string) ([]string, error) {
	h := c.model.headlines[name]
	added := lacking(h.entity.Observations, observations)
	if len(added) == 0 {
		return added, nil
	}
	c.model.observe(h, slices.Concat(h.entity.Observations, added))
	return added, do(c, api.OpEdit, api.EditRequest{ID: h.nodes[0], Append: new(items(added))}, "")
}

// deleteEntities deletes entities, and the relations that touch one of their names.
func (c *change) deleteEntities(in arguments) (any, error) {
	gone := setOf(in.EntityNames)
	return "Entities deleted successfully", c.forget(func(h *headline) bool {
		r, isRelation := h.key.(Relation)
		return isRelation && (gone[r.From] || gone[r.To]) || !isRelation && gone[h.entity.Name]
	})
}

func (c *change) deleteRelations(in arguments) (any, error) {
	gone := setOf(in.Relations)
	return "Relations deleted successfully", c.forget(func(h *headline) bool {
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
			if err := do(c, api.OpForget, api.MoveRequest{ID: node}, ""); err != nil && fovea.KindOf(err) != fovea.NotFound {
				return err
			}
		}
		delete(m.headlines, h.key)
	}
	m.mirrored = 0
	m.all = slices.DeleteFunc(m.all, func(h *headline) bool { return m.headlines[h.key] == nil })
	return nil
}

// deleteObservations removes observations from headlines and keeps everything else, such as
// a person's text.
func (c *change) deleteObservations(in arguments) (any, error) {
	for _, d := range in.Deletions {
		h := c.model.headlines[d.EntityName]
		if h == nil {
			continue
		}
		left := slices.DeleteFunc(slices.Clone(h.entity.Observations), func(o string) bool { return slices.Contains(d.Observations, o) })
		if len(left) == len(h.entity.Observations) {
			continue
		}
		c.model.observe(h, left)
		for _, node := range h.nodes {
			if err := c.remove(node, d.Observations); err != nil {
				return nil, err
			}
		}
	}
	return "Observations deleted successfully", nil
}

// remove removes observations from the text of a node, unless that changes meanwhile.
func (c *change) remove(node string, observations []string) error {
	n, err := api.OpShow.Call(c.ctx, c.svc, api.ShowRequest{ID: node})
	if err != nil {
		return err
	}
	return do(c, api.OpEdit, api.EditRequest{ID: node, Base: n.Digest, Body: new(without(n.Content, observations))}, "")
}
