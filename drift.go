// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"
	"slices"

	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
)

// Drift returns the files that differ from memory on purpose, since a rollback of
// memory only: by path, the digest that the file had and that of what memory has,
// zero for no file. A file that changed since is in drift until it is read.
func (m *Memory) Drift() map[string][2]merkle.Digest {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := map[string][2]merkle.Digest{}
	if m.hasFiles() {
		for path, seen := range m.drift {
			out[path] = [2]merkle.Digest{fileDigest(seen), m.remembered(path)}
		}
	}
	return out
}

// fileDigest is what a drift says that a file had; zero for no file.
func fileDigest(seen merkle.Digest) merkle.Digest {
	if seen == absent {
		return merkle.Digest{}
	}
	return seen
}

// remembered is the digest of the bytes that memory has for a file, zero for none.
func (m *Memory) remembered(path string) merkle.Digest {
	text, ok := m.View().Text(path)
	if !ok {
		return merkle.Digest{}
	}
	return merkle.Sum([]byte(text))
}

// AdoptDrift ends the drift of files, of all where none is named: memory takes what
// they hold, as one commit after an automatic snapshot. It returns the commit, zero
// where nothing drifts, and the files. Errors: NotFound (a file does not drift),
// ReadOnly, and those of reading a file.
func (m *Memory) AdoptDrift(ctx context.Context, paths ...string) (Commit, []string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if first, err := m.repeated(ctx, "drift", graph.KindIngest); first != nil || err != nil {
		var touched []string
		c := m.answered(first, func(first *graph.Commit) { touched = files(first) })
		return c, touched, err
	}
	paths, err := m.drifting(paths)
	if err != nil || len(paths) == 0 {
		return Commit{}, nil, err
	}
	head, now := m.View(), m.opts.Now().UnixMilli()
	draft := m.draft(now)
	for _, path := range paths {
		text, f, err := m.root.Read(path, 0)
		switch {
		case errors.Is(err, corpus.ErrVanished):
			draft.Drop(path)
		case err != nil:
			return Commit{}, nil, failWrite("drift", path, err)
		default:
			draft.Put(path, text, f.Opaque)
		}
	}
	m.dropUnasked(head.state, draft)
	state, delta := draft.Seal()
	if !delta.Empty() {
		m.snapshots.before(head)
	}
	c, err := m.commit(background(ctx), state, &delta, m.entry(ctx, graph.KindIngest, message(&delta), now), m.driftMarks(paths, nil)...)
	return c, paths, err
}

// ApplyDrift ends the drift of files, of all where none is named: they get what
// memory has, all in one step or none. It returns the files. It is no commit:
// memory stays as it is. Errors: NotFound (a file does not drift), Conflict (a file
// changed since it was seen), Busy, ReadOnly.
func (m *Memory) ApplyDrift(ctx context.Context, paths ...string) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	paths, err := m.drifting(paths)
	if err != nil || len(paths) == 0 {
		return nil, err
	}
	op := m.begin(ctx, "drift", graph.KindRollback, "files follow memory", m.opts.Now().UnixMilli())
	if err := op.sweep(paths); err != nil {
		return nil, err
	}
	head := m.View()
	for _, path := range paths {
		text, wanted := head.Text(path)
		w := fileWrite{path: path, base: fileDigest(m.drift[path]), next: corpus.Next{Text: text, Gone: !wanted}}
		if w.base == m.remembered(path) {
			op.follow(path, w.base)
			continue
		}
		if err := op.stage(w); err != nil {
			return nil, errors.Join(op.fail(path, err), op.discard())
		}
	}
	_, err = op.run(ctx, head.state, &graph.Delta{Paths: paths})
	return paths, err
}

// drifting returns the files that a caller means, sorted. m.mu is held.
func (m *Memory) drifting(paths []string) ([]string, error) {
	switch {
	case m.closed:
		return nil, fail("drift", m.dir, Invalid, errClosed)
	case !m.hasFiles():
		return nil, fail("drift", m.scope, Invalid, errors.New("a scope without files has no drift"))
	case m.store.Err() != nil:
		return nil, fail("drift", m.state, ReadOnly, m.store.Err())
	case len(paths) == 0:
		return sortedKeys(m.drift), nil
	}
	for _, path := range paths {
		if _, ok := m.drift[path]; !ok {
			return nil, fail("drift", path, NotFound, errors.New("this file does not drift; fovea drift lists those that do"))
		}
	}
	paths = slices.Clone(paths)
	slices.Sort(paths)
	return slices.Compact(paths), nil
}
