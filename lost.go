// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/stores"
)

// A lost file has a document in memory but is missing from the folder, for instance while
// a scan holds back deletions. This file finds and restores lost files.

// withHistory adds to the error of a missing memex folder how to restore its notes, if the
// state folder has their history.
func (m *Memory) withHistory(err error) error {
	if !errors.Is(err, corpus.ErrNoFolder) || m.opts.StateDir == "" || !stores.Begun(m.opts.StateDir) {
		return err
	}
	return fmt.Errorf("%w; its history is kept: make the folder and run fovea restore --missing, or, if it was moved, run fovea adopt in its new place", err)
}

// Missing returns, sorted, the files that the last scan did not find but whose documents
// remain in memory. It does not wait for writers. The caller must not change the slice.
func (m *Memory) Missing() []string { return m.scanned.Load().missing }

// Removals returns, sorted, the files that scans found removed since its last call, and
// the number of the newest commit that has them. It returns each file once, so that the
// user can be notified of accidental removals. Renamed files are not included. It does not
// wait for writers.
func (m *Memory) Removals() (paths []string, before uint64) { return m.removals.drain() }

// removals are the removed files that were not yet reported.
type removals struct {
	mu     sync.Mutex
	paths  []string
	before uint64 // the commit that still had all of them
}

func (r *removals) add(paths []string, before uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.paths) == 0 {
		r.before = before
	}
	r.paths = append(r.paths, paths...)
}

func (r *removals) drain() ([]string, uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	paths := r.paths
	r.paths = nil
	slices.Sort(paths)
	return slices.Compact(paths), r.before
}

// RestoreFiles writes files from memory, each in its newest version, or in the version at
// a moment that at names as in Rollback. Without paths it restores the missing files.
// Other files are unchanged. Conditions and results are those of Rollback; there is no
// commit if memory already has the texts. Errors: NotFound (no version of a file), and
// those of Rollback. Without at, finding a file that memory no longer has costs a walk
// over the commits since its removal.
func (m *Memory) RestoreFiles(ctx context.Context, paths []string, at string, opts *WriteOptions) (Commit, []string, error) {
	opts = opts.orZero()
	defer m.chain.Begin().End()
	if m.closed {
		return Commit{}, nil, fail("restore", m.dir, Invalid, errClosed)
	}
	if !m.hasFiles() {
		return Commit{}, nil, fail("restore", m.scope, Invalid, errors.New("a scope without files has none to restore"))
	}
	if first, err := m.repeated(ctx, opts, "restore", graph.KindRollback); first != nil || err != nil {
		var touched []string
		c := m.answered(first, func(first *graph.Commit) { touched = files(first) })
		return c, touched, err
	}
	now := m.opts.Now().UnixMilli()
	draft, here := m.draft(now), m.present()
	for _, path := range paths {
		text, opaque, err := m.fileVersion(ctx, path, at)
		if err != nil {
			return Commit{}, nil, err
		}
		if have, ok := here.Text(path); !ok || have != text {
			draft.Put(path, text, opaque)
		}
	}
	target, _ := draft.Seal()
	r := rollback{m: m, name: "restore", kind: graph.KindRollback, opts: opts, target: target, restoresLost: func(path string) bool {
		return len(paths) == 0 || slices.Contains(paths, path)
	}}
	return r.run(context.WithoutCancel(ctx), "of "+abbreviate(paths, "what was missing"))
}

// fileVersion returns a file's text at a moment, or its newest. The caller is the chain's
// writer.
func (m *Memory) fileVersion(ctx context.Context, path, at string) (text string, opaque bool, err error) {
	if at == "" {
		if at, err = m.lastCommitWith(ctx, path); err != nil {
			return "", false, err
		}
	}
	seq, err := m.resolve(ctx, at)
	if err != nil {
		return "", false, err
	}
	v, err := m.chain.PartAt(ctx, seq)
	if err != nil {
		return "", false, fail("restore", path, goneKind(err), err)
	}
	d, ok := v.State.Document(path)
	if !ok || !m.isFile(path) {
		return "", false, fail("restore", path, NotFound, fmt.Errorf("there was no such file at commit %d", seq))
	}
	if isLost(v.State.Nodes(path)) {
		return "", false, fail("restore", path, NotFound, fmt.Errorf("the text that it had at commit %d is not kept any more", seq))
	}
	text, _ = v.State.Text(path)
	return text, d.Derived.Opaque, nil
}

// lastCommitWith names the newest commit whose state has a file.
func (m *Memory) lastCommitWith(ctx context.Context, path string) (string, error) {
	head := m.chain.Head()
	if _, ok := head.State.Document(path); ok {
		return "head", nil
	}
	left := uint64(0) // the newest commit that changed it: the one that dropped it
	err := m.chain.Commits(ctx, 1, head.Commit.Seq, func(c *graph.Commit) error {
		if slices.ContainsFunc(c.Delta, func(r graph.Record) bool { return r.Old != nil && r.Old.Path == path }) {
			left = c.Seq
		}
		return nil
	})
	switch {
	case err != nil:
		return "", fail("restore", path, Corrupt, err)
	case left < 2:
		return "", fail("restore", path, NotFound, errors.New("memory never had such a file; fovea log lists what it had"))
	}
	return fmt.Sprintf("seq:%d", left-1), nil
}

// lost lists, sorted, the files that are the same in the target and in memory but missing
// from the folder, so that the delta omits them. It leaves out files that the caller may not
// write, and for all but the owner protected ones. A file whose path is blocked, for
// instance by a dangling link, does not stop the others; if nothing else is to be done, it
// is listed, and restoring it fails with the reason.
func (r *rollback) lost(ctx context.Context, delta *graph.Delta) []string {
	if r.restoresLost == nil || r.opts.MemoryOnly || !r.m.hasFiles() {
		return nil
	}
	changed := map[string]bool{}
	for _, path := range delta.Paths {
		changed[path] = true
	}
	var lost, barred []string
	byOwner, may := r.m.ByOwner(ctx), r.m.rights(ctx)
	for _, path := range r.target.Paths() {
		switch {
		case !r.m.isFile(path), changed[path], r.m.removed(path), !r.restoresLost(path), !byOwner && r.m.Protected(path):
		case may != nil && may(path) != nil:
		case isLost(r.target.Nodes(path)):
		case r.m.root.Vacant(path):
			lost = append(lost, path)
		case r.m.root.Lost(path):
			barred = append(barred, path)
		}
	}
	if len(lost) == 0 && delta.Empty() {
		return barred
	}
	return lost
}

// clearMissing removes written files, sorted, from the missing ones. The caller is the
// chain's writer.
func (m *Memory) clearMissing(written []string) {
	left := slices.DeleteFunc(slices.Clone(m.missing), func(path string) bool {
		_, is := slices.BinarySearch(written, path)
		return is
	})
	if len(left) < len(m.missing) {
		m.missing = left
		m.publishStatus()
	}
}

// abbreviate names a few of many files, or returns none if there are no files.
func abbreviate(paths []string, none string) string {
	const few = 3
	switch n := len(paths); {
	case n == 0:
		return none
	case n > few:
		return fmt.Sprintf("%s and %d more", strings.Join(paths[:few], ", "), n-few)
	}
	return strings.Join(paths, ", ")
}
