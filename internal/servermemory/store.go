// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
)

// Agent is the author of the graph's commits.
const Agent = "server-memory"

// folder holds the graph, relative to the memex.
const folder = "agents/" + Agent + "/"

// lockTimeout is how long a change waits for another process that holds the file.
const lockTimeout, lockInterval = 30 * time.Second, 5 * time.Millisecond

// Store is the graph of a memex. It is safe for concurrent use, including by several
// processes over one memory.
type Store struct {
	svc  api.Service
	file string // of server-memory, "" for none

	mu    sync.Mutex   // guards the fields below; held while a change is written
	lock  *flock.Flock // of the file, held from before a change is committed until the file is written
	left  os.FileInfo  // the file after this process's last write
	model *model       // nil if it must be read again
	seq   uint64       // the commit of model
}

// Open returns the graph of the memory behind svc, and keeps the file of server-memory, "" for none,
// up to date with it. If the graph is empty, Open imports the file, except what was forgotten.
// Before it overwrites content that the graph lacks, it saves a copy of the file.
func Open(ctx context.Context, svc api.Service, file string) (*Store, error) {
	s := &Store{svc: svc, file: file, lock: flock.New(filepath.Join(filepath.Dir(file), "."+filepath.Base(file)+".lock"))}
	_, err := use(ctx, s, file != "", (*change).adopt)
	return s, err
}

// Graph returns the whole graph.
func (s *Store) Graph(ctx context.Context) (Graph, error) {
	return use(ctx, s, false, func(c *change) (Graph, error) { return c.model.graph(nil), nil })
}

// use calls a function that reads or changes the current graph. When it returns, a change is durable
// and in the file. Steps that were written before an error stay written, and reach the file with
// the next change.
func use[T any](ctx context.Context, s *Store, changes bool, call func(*change) (T, error)) (result T, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if changes && s.file != "" {
		waiting, cancel := context.WithTimeout(ctx, lockTimeout)
		defer cancel()
		if _, err := s.lock.TryLockContext(waiting, lockInterval); err != nil {
			return result, fmt.Errorf("nothing was written, because the file %s cannot be locked: %w", s.file, err)
		}
		defer s.lock.Unlock()
	}
	if changes {
		ctx = context.WithoutCancel(ctx)
	}
	if err = s.refresh(ctx); err == nil {
		result, err = call(&change{s, ctx})
	}
	if err == nil && changes {
		err = s.mirror()
	}
	if err != nil {
		s.model = nil // the next use reads what was written before
	}
	return result, err
}

// refresh updates the model to the newest commit. It reads the graph again if another writer
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
