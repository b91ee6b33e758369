// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
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

	mu    sync.Mutex // guards the fields below; held while a change is written
	model *model     // nil if it must be reloaded
	seq   uint64     // the commit of model
	file  int        // the number of the newest file, 0 for none
	size  int        // its size in bytes, but for what an entity gained later
}

// Open returns the graph of the memory behind svc. A mirror, which may be nil, keeps a copy
// in its file. While there is no graph, the file is imported, except what was forgotten.
func Open(ctx context.Context, svc api.Service, mirror *Mirror) (*Store, error) {
	s := &Store{svc: svc, mirror: mirror}
	if mirror == nil {
		_, err := s.Graph(ctx)
		return s, err
	}
	return s, s.Change(ctx, func(c *change) error {
		text, err := os.ReadFile(mirror.path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := s.refresh(ctx); err != nil { // after the file, which others write after a commit
			return err
		}
		g, err := mirror.take(text, s.model)
		if err == nil && len(s.model.nodes) == 0 {
			_, err = c.take(g)
		}
		c.touched, c.others = true, true
		return err
	})
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

// load reads the whole graph.
func (s *Store) load(ctx context.Context) error {
	nodes, err := api.OpQuery.Call(ctx, s.svc, api.QueryRequest{Query: `path:"^` + regexp.QuoteMeta(folder) + `"`, Content: true})
	if err != nil {
		return err
	}
	s.model, s.file, s.size = newModel(), 0, 0
	for i := range nodes {
		s.measure(nodes[i].Path, nodes[i].Content)
		s.model.read(nodes[i].ID, nodes[i].Content)
	}
	return nil
}

// measure adds the size of a node to that of the newest file.
func (s *Store) measure(path, content string) {
	var number int
	if _, err := fmt.Sscanf(path, folder+"graph-%d.org", &number); err == nil && path == filePath(number) { // not a person's own file
		if number > s.file {
			s.file, s.size = number, 0
		}
		if number == s.file {
			s.size += len(content)
		}
	}
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
	for _, c := range slices.Concat(d.Removed, d.Added, d.Changed, d.Moved) {
		_, known := s.model.nodes[c.ID]
		s.model.remove(c.ID)
		if !strings.HasPrefix(c.Path, folder) {
			continue
		}
		n, err := api.OpShow.Call(ctx, s.svc, api.ShowRequest{ID: c.ID})
		if fovea.KindOf(err) == fovea.NotFound {
			continue // removed, or removed again, which the next refresh reports
		}
		if err != nil {
			return err
		}
		if !known {
			s.measure(n.Path, n.Content)
		}
		s.model.read(n.ID, n.Content)
	}
	return nil
}

// view returns the entities of the current graph that keep selects, all if it is nil, with
// their relations. O(entities).
func (s *Store) view(ctx context.Context, keep func(*headline) bool) (Graph, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(ctx); err != nil {
		return Graph{}, err
	}
	return s.model.graph(keep), nil
}

// Graph returns the whole graph.
func (s *Store) Graph(ctx context.Context) (Graph, error) { return s.view(ctx, nil) }

// search returns the entities with text in their name, type or an observation, ignoring
// case, with their relations.
func (s *Store) search(ctx context.Context, text string) (Graph, error) {
	text = strings.ToLower(text)
	return s.view(ctx, func(h *headline) bool { return strings.Contains(h.folded, text) })
}

// open returns the entities with exactly these names, with their relations.
func (s *Store) open(ctx context.Context, names []string) (Graph, error) {
	wanted := setOf(names)
	return s.view(ctx, func(h *headline) bool { return wanted[h.name] })
}
