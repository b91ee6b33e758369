// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/gofrs/flock"

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
	mirror *mirror // nil without one

	mu    sync.Mutex // guards the fields below; held while a change is written
	model *model     // nil if it must be read again
	seq   uint64     // the commit of model
}

// Open returns the graph of the memory behind svc. The file of server-memory, "" for none, is
// kept in step with it. While there is no graph, the file is imported, except what was forgotten.
// A content of the file that the graph lacks is kept beside it before it is overwritten.
func Open(ctx context.Context, svc api.Service, file string) (*Store, error) {
	s := &Store{svc: svc}
	if file == "" {
		_, err := s.Graph(ctx)
		return s, err
	}
	dir, name := filepath.Split(file)
	s.mirror = &mirror{path: file, lock: flock.New(dir + "." + name + ".lock")}
	return s, s.Change(ctx, func(c *change) error {
		c.touched = true
		text, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		g, bad := ReadLines(text)
		isEmpty := len(s.model.all) == 0
		if err == nil && (len(bad) > 0 || !isEmpty && !s.model.holds(g)) {
			err = os.WriteFile(fmt.Sprintf("%s.before-fovea-%.4x", file, sha256.Sum256(text)), text, 0o600)
		}
		if err == nil && isEmpty {
			_, err = c.take(g)
		}
		return err
	})
}

// refresh brings the model up to the newest commit. It reads the graph again if somebody else
// has changed it.
func (s *Store) refresh(ctx context.Context) error {
	head, err := api.OpLog.Call(ctx, s.svc, api.LogRequest{Limit: 1})
	if err != nil && fovea.KindOf(err) != fovea.Corrupt { // without its history, the memory still has its notes
		return err
	}
	now := uint64(0)
	if len(head) > 0 {
		now = head[0].Seq
	}
	if s.model == nil || s.seq != now && s.changed(ctx, now) {
		if s.model, err = s.load(ctx); err != nil {
			return err
		}
	}
	s.seq = now
	return nil
}

// changed reports whether the files of the graph changed between the model's commit and
// another, or cannot be compared.
func (s *Store) changed(ctx context.Context, now uint64) bool {
	d, err := api.OpDiff.Call(ctx, s.svc, api.DiffRequest{From: fmt.Sprintf("seq:%d", s.seq), To: fmt.Sprintf("seq:%d", now)})
	return err != nil || slices.ContainsFunc(slices.Concat(d.Removed, d.Added, d.Changed, d.Moved), func(c api.Changed) bool {
		return strings.HasPrefix(c.Path, folder) || strings.HasPrefix(c.Was, folder)
	})
}

// load reads the whole graph.
func (s *Store) load(ctx context.Context) (*model, error) {
	nodes, err := api.OpQuery.Call(ctx, s.svc, api.QueryRequest{Query: `path:"^` + regexp.QuoteMeta(folder) + `"`, Content: true})
	if err != nil {
		return nil, err
	}
	m := newModel()
	for i := range nodes {
		m.read(nodes[i].ID, nodes[i].Content)
	}
	slices.SortStableFunc(m.all, func(a, b *headline) int { return cmp.Compare(a.order, b.order) })
	return m, nil
}

// read calls one that reads the current graph.
func (s *Store) read(ctx context.Context, look func(*change) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(ctx); err != nil {
		return err
	}
	return look(&change{Store: s, ctx: ctx})
}

// Graph returns the whole graph.
func (s *Store) Graph(ctx context.Context) (g Graph, err error) {
	return g, s.read(ctx, func(c *change) error {
		g = c.model.graph(nil)
		return nil
	})
}

// searchNodes finds the entities with the query in their name, type or an observation, ignoring case.
func (c *change) searchNodes(in arguments) (any, error) {
	text := strings.ToLower(in.Query)
	has := func(value string) bool { return strings.Contains(strings.ToLower(value), text) }
	return c.model.graph(func(e Entity) bool {
		return has(e.Name) || has(e.EntityType) || slices.ContainsFunc(e.Observations, has)
	}), nil
}

// openNodes finds the entities with exactly these names.
func (c *change) openNodes(in arguments) (any, error) {
	names := setOf(in.Names)
	return c.model.graph(func(e Entity) bool { return names[e.Name] }), nil
}
