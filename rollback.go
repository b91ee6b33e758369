// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// RollbackOptions says what a rollback does about files. nil means the zero
// value: files follow, all or none.
type RollbackOptions struct {
	Skip       bool // leave out files that changed or are locked, and roll back the rest
	MemoryOnly bool // leave the files alone and record the drift
}

// Rollback makes an earlier state the present one, as a new commit after an
// automatic snapshot, so that rolling back to 0 twice returns to where one
// was. ref is a snapshot's index (0 is the newest) or name, a commit (seq:N or
// its digest), or a date. Files follow in the same step: all are checked
// first, and one that changed since it was read, or that an editor has locked,
// refuses the whole. The folder should have been ingested just before, and ref
// resolved before that, see Resolve. It returns the commit, the zero Commit when
// there was nothing to change, and the files that were written or removed, or
// with MemoryOnly those that now differ from memory on purpose. Errors: NotFound, Conflict (the files are
// listed), Invalid, ReadOnly.
func (m *Memory) Rollback(ctx context.Context, ref string, opts *RollbackOptions) (Commit, []string, error) {
	if opts == nil {
		opts = &RollbackOptions{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return Commit{}, nil, fail("rollback", ref, Invalid, errClosed)
	}
	seq, err := m.resolve(ctx, ref)
	if err != nil {
		return Commit{}, nil, err
	}
	target, err := m.viewAt(ctx, seq)
	if err != nil {
		return Commit{}, nil, fail("rollback", ref, Corrupt, err)
	}
	r := rollback{m: m, opts: opts, target: target.state}
	return r.run(background(ctx), fmt.Sprintf("to commit %d", seq))
}

// Resolve returns a reference that keeps meaning the same commit whatever is
// committed meanwhile: snapshots move as new ones are made.
func (m *Memory) Resolve(ctx context.Context, ref string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	seq, err := m.resolve(ctx, ref)
	return fmt.Sprintf("seq:%d", seq), err
}

type rollback struct {
	m      *Memory
	opts   *RollbackOptions
	target *graph.State
	files  vfs.FS
}

// step is one file to restore.
type step struct {
	path   string
	text   string
	remove bool
	seen   merkle.Digest // of the file as it stands
}

func (r *rollback) run(ctx context.Context, message string) (Commit, []string, error) {
	m, now := r.m, r.m.opts.Now().UnixMilli()
	head := m.View()
	err := m.store.Err() // no file is touched where the commit cannot follow
	if err != nil {
		return Commit{}, nil, fail("rollback", m.state, ReadOnly, err)
	}
	if r.files, err = vfs.Dir(m.dir); err != nil {
		return Commit{}, nil, fail("rollback", m.dir, Other, err)
	}
	defer r.files.Close()
	state, delta := head.state.Restore(r.target, now)
	if delta.Empty() {
		return Commit{}, nil, nil
	}
	steps, blocked := r.plan(head.state, &delta)
	if len(blocked) > 0 && !r.opts.Skip && !r.opts.MemoryOnly {
		return Commit{}, nil, fail("rollback", m.dir, Conflict, fmt.Errorf(
			"%d files changed, are being edited or are links; nothing was rolled back (mend that, or use --skip):\n  %s",
			len(blocked), strings.Join(r.noted(blocked), "\n  ")))
	}
	if len(blocked) > 0 && r.opts.Skip {
		state, delta = r.without(head.state, state, blocked, now)
	}
	var touched []string
	if !r.opts.MemoryOnly {
		for _, s := range steps {
			if err := r.apply(s); err != nil {
				kind := Other
				if errors.Is(err, errChanged) {
					kind = Conflict
				}
				return Commit{}, touched, fail("rollback", s.path, kind, fmt.Errorf("%w; %d files were restored before it, run fovea ingest", err, len(touched)))
			}
			touched = append(touched, s.path)
		}
	}
	drift := map[string]merkle.Digest{}
	if r.opts.MemoryOnly {
		for _, s := range steps {
			drift[s.path] = s.seen
			touched = append(touched, s.path)
		}
	}
	m.snapshots.before(head)
	c, err := m.commit(ctx, state, &delta, graph.Commit{
		Kind: graph.KindRollback, Author: m.opts.Author, Session: m.opts.Session, Op: operation(), Time: now, Message: message,
	}, m.driftMarks(delta.Paths, drift)...)
	return c, touched, err
}

// plan lists what has to happen to files, and those that may not be touched.
func (r *rollback) plan(head *graph.State, delta *graph.Delta) (steps []step, blocked []string) {
	for _, path := range delta.Paths {
		want, wanted := r.target.Text(path)
		have, had := head.Text(path)
		seen, digest, err := r.file(path)
		s := step{path: path, text: want, remove: !wanted, seen: digest}
		switch {
		case err == nil && wanted && seen == want, errors.Is(err, fs.ErrNotExist) && !wanted:
			continue // it already is what it should be
		case r.locked(path),
			err != nil && !(errors.Is(err, fs.ErrNotExist) && !had),
			err == nil && (!had || seen != have):
			blocked = append(blocked, path)
		default:
			steps = append(steps, s)
		}
		if r.opts.MemoryOnly && (len(steps) == 0 || steps[len(steps)-1].path != path) {
			steps = append(steps, s)
		}
	}
	return steps, blocked
}

// noted says of the files that block which of them differ from memory since a
// memory-only rollback.
func (r *rollback) noted(blocked []string) []string {
	out := slices.Clone(blocked)
	for i, path := range out {
		if _, ok := r.m.drift[path]; ok {
			out[i] += "  (differs since a rollback of memory only)"
		}
	}
	return out
}

// file reads a file as it stands.
func (r *rollback) file(path string) (string, merkle.Digest, error) {
	b, err := r.files.ReadFile(path)
	return string(b), merkle.Sum(b), err
}

// locked reports whether a file may not be written: an editor holds it (Emacs'
// .#file beside it), or its name is a link, which a rename would replace.
func (r *rollback) locked(name string) bool {
	if info, err := r.files.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return true
	}
	dir, base := path.Split(name)
	_, err := r.files.Lstat(dir + ".#" + base)
	return err == nil
}

// errChanged is returned for a file that was written between the check and its
// turn.
var errChanged = errors.New("the file changed meanwhile")

// apply restores one file.
func (r *rollback) apply(s step) error {
	if _, now, err := r.file(s.path); now != s.seen || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errChanged
	}
	if s.remove {
		if err := r.files.Remove(s.path); err != nil {
			return err
		}
		return r.files.SyncDir(path.Dir(s.path))
	}
	perm := fs.FileMode(0o644)
	if info, err := r.files.Stat(s.path); err == nil {
		perm = info.Mode().Perm()
	}
	if i := strings.LastIndexByte(s.path, '/'); i > 0 {
		if err := r.files.MkdirAll(s.path[:i], 0o755); err != nil {
			return err
		}
	}
	return vfs.WriteAtomic(r.files, s.path, []byte(s.text), perm)
}

// without gives the state that leaves the blocked documents as they are.
func (r *rollback) without(head, target *graph.State, blocked []string, now int64) (*graph.State, graph.Delta) {
	d := target.Edit(now, nil)
	for _, path := range blocked {
		if text, ok := head.Text(path); ok {
			doc, _ := head.Document(path)
			d.Put(path, text, doc.Derived.Opaque)
		} else {
			d.Drop(path)
		}
	}
	state, _ := d.Seal()
	return head.Restore(state, now)
}
