// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package write

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/merkle"
)

// Writer makes the changes of a scope. It is safe for concurrent use.
type Writer struct {
	scope  *scope.Scope
	rights *scope.Rules
	folder Folder
	lead   chan struct{} // the sender of its one value performs the waiting requests

	mu      sync.Mutex
	waiting []*request // in order of arrival; mu guards it
}

// Folder brings memory up to date with files. Its methods are called by the chain's writer.
type Folder interface {
	// Current reads a file, and reports whether memory holds exactly its text.
	Current(a scope.Action, path string) (text string, same bool, err error)
	// Refresh commits a file that changed since it was read, in a commit by "file", and returns
	// its text.
	Refresh(ctx context.Context, tx *chain.Tx, a scope.Action, path string) (string, error)
}

// New returns the writer of a scope. folder may be nil for one that reads no file.
func New(s *scope.Scope, r *scope.Rules, folder Folder) *Writer {
	return &Writer{scope: s, rights: r, folder: folder, lead: make(chan struct{}, 1)}
}

// Scope returns the scope that the writer changes.
func (w *Writer) Scope() *scope.Scope { return w.scope }

// request is a change that waits for its group.
type request struct {
	ctx    context.Context
	action scope.Action
	do     func(*Change) error // may run more than once; the last run counts

	done   chan struct{} // closed when the fields below are set
	commit chain.Commit
	first  *graph.Commit // of an earlier change with the same key
	err    error
}

// Do performs a change. Changes that arrive while others are written are written together: each
// is checked against the state after those before it and gets its own commit, and all become
// durable in one step before the first call returns. do reads the present state and sets all
// changes; it may run more than once, and its last run counts. A change that repeats the key of an
// earlier one is not run: Do also returns the commit of the earlier one. The commit is zero if
// nothing changed; that of a dry run has only Would.
func (w *Writer) Do(ctx context.Context, a scope.Action, do func(*Change) error) (chain.Commit, *graph.Commit, error) {
	r := &request{ctx: ctx, action: a, do: do, done: make(chan struct{})}
	w.mu.Lock()
	w.waiting = append(w.waiting, r)
	w.mu.Unlock()
	select {
	case <-r.done:
	case w.lead <- struct{}{}:
		w.performAll()
		<-r.done
	}
	return r.commit, r.first, r.err
}

// Within performs a single change within a write of the caller.
func (w *Writer) Within(ctx context.Context, tx *chain.Tx, a scope.Action, do func(*Change) error) (chain.Commit, *graph.Commit, error) {
	r := &request{ctx: ctx, action: a, do: do, done: make(chan struct{})}
	w.perform(tx, []*request{r})
	return r.commit, r.first, r.err
}

// performAll performs the waiting requests. The caller has put a value into lead; performAll
// takes it out.
func (w *Writer) performAll() {
	var waiting []*request
	defer func() {
		for _, r := range waiting { // none, unless one panicked
			select {
			case <-r.done:
			default:
				r.failed(fault.Errorf(r.action.Name, "", fault.Other,
					"another operation of the same group failed; read the memory again to find out whether this one was carried out"))
				close(r.done)
			}
		}
		<-w.lead
	}()
	tx := w.scope.Chain.Begin()
	defer tx.End()
	w.mu.Lock()
	waiting, w.waiting = w.waiting, nil
	w.mu.Unlock()
	w.perform(tx, waiting)
}

// perform performs requests group by group, and closes done of each.
func (w *Writer) perform(tx *chain.Tx, waiting []*request) {
	for len(waiting) > 0 {
		g := w.newGroup(tx)
		taken := 0
		for taken < len(waiting) && g.take(waiting[taken]) {
			taken++
		}
		if err := g.save(); err != nil && taken > 1 { // nothing was written; one of them may be the cause
			for _, r := range waiting[:taken] {
				g := w.newGroup(tx)
				g.take(r)
				r.failed(g.save())
			}
		} else {
			waiting[0].failed(err)
		}
		for _, r := range waiting[:taken] {
			close(r.done)
		}
		waiting = waiting[taken:]
	}
}

// failed sets the error of a request, unless it is nil.
func (r *request) failed(err error) {
	if err != nil {
		r.commit, r.first, r.err = chain.Commit{}, nil, err
	}
}

// Hold keeps requests waiting until release is called. Tests use Hold and Waiting to form groups.
func (w *Writer) Hold() (release func()) {
	w.lead <- struct{}{}
	return func() { <-w.lead }
}

// Waiting returns the number of requests that wait for a group.
func (w *Writer) Waiting() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.waiting)
}

// FilesSaved drops the buffers of files that the memory itself has written from the open
// sessions. If that fails, the next ingest drops them.
func FilesSaved(ctx context.Context, s *scope.Scope) {
	for _, o := range s.Sessions() {
		tx := o.Chain.Begin()
		if err := DropSavedBuffers(ctx, tx, o); err != nil {
			s.Options.Log.Warn("a buffer of a file that was saved stays until the next ingest", "scope", o.Name, "error", err)
		}
		tx.End()
	}
}

// DropSavedBuffers removes a session's buffers of files that were saved since.
func DropSavedBuffers(ctx context.Context, tx *chain.Tx, s *scope.Scope) error {
	var saved []string
	for _, path := range slices.Sorted(maps.Keys(s.Drift())) {
		for _, holder := range s.WithFiles() {
			if holder.Root.InRegion(path) && scope.FileNow(holder.Present(), path) != s.Drift()[path] {
				saved = append(saved, path)
			}
		}
	}
	if len(saved) == 0 || s.Chain.Store().Err() != nil {
		return nil
	}
	now := s.Options.Now().UnixMilli()
	draft := s.Present().Edit(now)
	for _, path := range saved {
		draft.Drop(path)
	}
	state, delta := draft.Seal()
	_, err := Record(ctx, tx, state, &delta, graph.Commit{
		Kind: graph.KindIngest, Author: scope.ByFile, Session: s.Options.Actor.Session, Op: scope.Operation(), Time: now, Message: "saved: " + scope.Message(&delta),
	}, s.DriftMarks(saved, map[string]merkle.Digest{})...)
	return err
}
