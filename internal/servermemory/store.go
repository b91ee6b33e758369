// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
)

// Agent is the author of the graph's commits.
const Agent = "server-memory"

// folder holds the graph, relative to the memex.
const folder = "agents/" + Agent + "/"

// Store is the graph of a memex. It is safe for concurrent use, including by several
// processes over one memory.
type Store struct {
	svc    api.Service
	mirror *Mirror // nil without one

	mu    sync.Mutex // guards model, files and seq; held while a batch is written
	model *model     // nil if it must be reloaded
	files files
	seq   uint64 // the commit of model

	queued sync.Mutex // guards queue
	queue  []*waiting
}

// Open returns the graph of the memory behind svc. A mirror, which may be nil, keeps a copy
// in its file.
func Open(ctx context.Context, svc api.Service, mirror *Mirror) (*Store, error) {
	s := &Store{svc: svc, mirror: mirror}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(ctx); err != nil {
		return nil, err
	}
	return s, s.adopt(ctx)
}

// adopt imports the mirror's file, except what was forgotten, if there is no graph yet, and
// then writes the graph to the file.
func (s *Store) adopt(ctx context.Context) error {
	if s.mirror == nil {
		return nil
	}
	text, err := s.mirror.read()
	if err == nil {
		err = s.refresh(ctx)
	}
	if err != nil {
		return err
	}
	g, err := s.mirror.take(text, s.model)
	if err != nil {
		return err
	}
	if len(s.model.entities)+len(s.model.relations) == 0 && len(g.Entities)+len(g.Relations) > 0 {
		if g, _, err = s.unforgotten(ctx, g); err != nil {
			return err
		}
		b := newBatch(s.model)
		b.createEntities(g.Entities)
		b.createRelations(g.Relations)
		if err := s.write(ctx, b); err != nil {
			return err
		}
	}
	return s.mirror.rewrite(s.fresh(ctx))
}

// refresh updates the model to the head: it reads the changes of other writers, or
// everything if these are unknown.
func (s *Store) refresh(ctx context.Context) error {
	head, err := api.OpLog.Call(ctx, s.svc, api.LogRequest{Limit: 1})
	if err != nil && fovea.KindOf(err) != fovea.Corrupt { // without its history, the memory still has its notes
		return err
	}
	now := uint64(0)
	if len(head) > 0 {
		now = head[0].Seq
	}
	switch {
	case s.model == nil:
		err = s.load(ctx)
	case s.seq == now:
		return nil
	default:
		err = s.catchUp(ctx, now)
	}
	if err != nil {
		s.model = nil
		return err
	}
	s.seq = now
	return nil
}

// fresh returns a function that refreshes and returns the model. Its caller holds s.mu.
func (s *Store) fresh(ctx context.Context) func() (*model, error) {
	return func() (*model, error) {
		err := s.refresh(ctx)
		return s.model, err
	}
}

// load reads the whole graph.
func (s *Store) load(ctx context.Context) error {
	nodes, err := api.OpQuery.Call(ctx, s.svc, api.QueryRequest{Query: `path:"^` + regexp.QuoteMeta(folder) + `"`, Content: true})
	if err != nil {
		return err
	}
	s.model, s.files = newModel(), files{}
	for i := range nodes {
		s.files.add(nodes[i].Path, nodes[i].ID, len(nodes[i].Content))
		s.model.put(nodes[i].ID, nodes[i].Content)
	}
	return nil
}

// maxFollowed is the number of changed headlines up to which each is read by itself; above
// it load reads the whole graph.
const maxFollowed = 200

// catchUp reads the headlines changed since the model's commit.
func (s *Store) catchUp(ctx context.Context, now uint64) error {
	d, err := api.OpDiff.Call(ctx, s.svc, api.DiffRequest{From: fmt.Sprintf("seq:%d", s.seq), To: fmt.Sprintf("seq:%d", now)})
	if err != nil || len(d.Added)+len(d.Changed)+len(d.Moved)+len(d.Removed) > maxFollowed {
		return s.load(ctx)
	}
	for _, c := range d.Removed {
		s.model.removeNode(c.ID)
	}
	for _, list := range [][]api.Changed{d.Added, d.Changed, d.Moved} {
		for _, c := range list {
			if err := s.follow(ctx, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// follow reads one changed headline.
func (s *Store) follow(ctx context.Context, c api.Changed) error {
	_, known := s.model.nodes[c.ID]
	s.model.removeNode(c.ID)
	if !strings.HasPrefix(c.Path, folder) {
		return nil
	}
	n, err := api.OpShow.Call(ctx, s.svc, api.ShowRequest{ID: c.ID})
	if fovea.KindOf(err) == fovea.NotFound {
		return nil // removed again; the next refresh reports that
	}
	if err != nil {
		return err
	}
	if !known {
		s.files.add(n.Path, n.ID, len(n.Content))
	}
	s.model.put(n.ID, n.Content)
	return nil
}

// view calls read with the current model, which read must not retain.
func (s *Store) view(ctx context.Context, read func(*model) Graph) (Graph, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(ctx); err != nil {
		return Graph{}, err
	}
	return read(s.model), nil
}

// Graph returns the whole graph.
func (s *Store) Graph(ctx context.Context) (Graph, error) {
	return s.view(ctx, func(m *model) Graph { return m.graph(nil) })
}

// Search returns the entities with text in their name, type or an observation, ignoring
// case, with their relations. O(entities).
func (s *Store) Search(ctx context.Context, text string) (Graph, error) {
	return s.view(ctx, func(m *model) Graph { return m.search(text) })
}

// Nodes returns the entities with exactly these names, with their relations.
func (s *Store) Nodes(ctx context.Context, names []string) (Graph, error) {
	return s.view(ctx, func(m *model) Graph { return m.open(names) })
}

// waiting is a change in the queue.
type waiting struct {
	change func(*batch) error
	done   chan struct{}
	err    error
}

// Change makes a change durable. Changes queued during a write are written together. A
// change that returns an error must not have changed the batch; Change returns that error.
// If ctx ends first, the change may still be written.
func (s *Store) Change(ctx context.Context, change func(*batch) error) error {
	w := &waiting{change: change, done: make(chan struct{})}
	s.queued.Lock()
	s.queue = append(s.queue, w)
	s.queued.Unlock()
	go s.writeQueued(context.WithoutCancel(ctx))
	select {
	case <-w.done:
		return w.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// writeQueued writes the queued changes, if another call has not, as one batch.
func (s *Store) writeQueued(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queued.Lock()
	queue := s.queue
	s.queue = nil
	s.queued.Unlock()
	if len(queue) == 0 {
		return
	}
	err := s.refresh(ctx)
	if err == nil {
		b := newBatch(s.model)
		for _, w := range queue {
			w.err = w.change(b)
		}
		if !b.empty() {
			err = s.write(ctx, b)
		}
		if !b.empty() && err == nil {
			err = s.mirror.follow(b, s.fresh(ctx))
		}
	}
	for _, w := range queue {
		if w.err == nil {
			w.err = err
		}
		close(w.done)
	}
}
