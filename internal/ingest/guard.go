// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ingest

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/internal/write"
	"github.com/fovea-memory/fovea/merkle"
)

// Guard withholds protected files that were changed from outside from readers of a scope.
type Guard struct {
	scope   *scope.Scope
	rights  *scope.Rules
	writer  *write.Writer
	folder  *Reader
	opened  func(scope string) *Guard
	cleared atomic.Pointer[guardedView] // the last guarded view
}

// NewGuard returns the guard of a writer's scope. opened returns the guard of another scope of the
// memex, nil if that is not open.
func NewGuard(w *write.Writer, r *scope.Rules, folder *Reader, opened func(scope string) *Guard) *Guard {
	return &Guard{scope: w.Scope(), rights: r, writer: w, folder: folder, opened: opened}
}

// View returns a view for readers: v, or the present view if v is nil, without the
// protected files that were changed outside Fovea since their owner trusted them. It
// reads and hashes every protected file instead of relying on times and sizes.
// View.Lockdown and View.Unreviewed list the changed files; it calls Options.Alert once
// for each change. It also compares files of other scopes in the view. If nothing changed,
// it returns v itself. Errors: those of ctx. O(bytes of protected files).
func (g *Guard) View(ctx context.Context, v *view.View) (*view.View, error) {
	present := v == nil
	if present {
		v = g.scope.View()
	}
	var found []guard.FileStatus
	for _, h := range g.scopesOf(v) {
		if err := ctx.Err(); err != nil {
			return nil, fault.Wrap("read", g.scope.Dir, fault.Other, err)
		}
		changed := h.changedFiles(v.State)
		if entries, _ := newsOf(h.rights.Trust().Book, changed); len(entries) > 0 {
			changed = h.recordAlerts(ctx, v, present && h == g)
			if present {
				v = g.scope.View()
			}
		}
		found = append(found, changed...)
	}
	if len(found) == 0 {
		return v, nil
	}
	return g.without(v, found), nil
}

// scopesOf returns the guards of the scopes whose files a view shows.
func (g *Guard) scopesOf(v *view.View) []*Guard {
	out := []*Guard{g}
	for _, name := range v.Layers {
		if s := g.opened(name); s != nil && s != g && s.scope.HasFiles() {
			out = append(out, s)
		}
	}
	return out
}

// changedFiles lists the protected files that differ from their baselines, in the folder or
// in a state.
func (g *Guard) changedFiles(state *graph.State) []guard.FileStatus {
	return slices.DeleteFunc(g.fileStatuses(state), func(s guard.FileStatus) bool { return s.State == guard.Same })
}

// fileStatuses compares each protected file of the memory that has a baseline or is in a
// state.
func (g *Guard) fileStatuses(state *graph.State) []guard.FileStatus {
	book := g.rights.Trust().Book
	paths := book.Paths()
	for _, path := range g.rights.ProtectedPaths(state) {
		if g.scope.Root.InRegion(path) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	var out []guard.FileStatus
	for _, path := range slices.Compact(paths) {
		if g.rights.Protected(path) {
			out = append(out, g.fileStatus(book, state, path))
		}
	}
	return out
}

// fileStatus reads a protected file and compares it with its baseline. Before the first baselines,
// every file is accepted.
func (g *Guard) fileStatus(book *guard.Book, state *graph.State, path string) guard.FileStatus {
	s := guard.FileStatus{Path: path, Mode: g.rights.Mode(path), State: guard.Same, Baseline: book.Baseline(path)}
	text, _, err := g.scope.Root.Read(path, 0)
	switch {
	case err == nil:
		s.File = merkle.SumText(text)
	case errors.Is(err, corpus.ErrVanished):
		s.File = guard.Absent
	case errors.Is(err, corpus.ErrUnstable):
		s.State, s.Why = guard.BeingWritten, err.Error()
		return s
	default:
		s.State, s.Why = guard.Unreadable, err.Error()
		s.File = merkle.SumText(s.Why)
		return s
	}
	switch doubt := g.rights.Trust().Doubt; {
	case doubt != "":
		s.State, s.Why = guard.Unsigned, doubt
	case book.Initialized():
		s.State = guard.Compare(s.Baseline, s.File, state.Nodes(path))
	}
	return s
}

// newsOf returns the entries that record new and withdrawn alerts, and the files with new ones.
func newsOf(book *guard.Book, found []guard.FileStatus) (entries []guard.Entry, fresh []*guard.FileStatus) {
	changed := map[string]bool{}
	for i := range found {
		s := &found[i]
		if !s.ChangedOutside() {
			continue
		}
		changed[s.Path] = true
		if book.Notified(s.Path) != s.File {
			entries = append(entries, guard.Entry{Notified: s.Path, File: s.File})
			fresh = append(fresh, s)
		}
	}
	for _, path := range book.NotifiedPaths() {
		if !changed[path] {
			entries = append(entries, guard.Entry{Notified: path})
		}
	}
	return entries, fresh
}

// recordAlerts compares the files again as the chain's writer, sends the new alerts and
// records them.
func (g *Guard) recordAlerts(ctx context.Context, v *view.View, present bool) []guard.FileStatus {
	tx := g.scope.Chain.Begin()
	defer tx.End()
	if present {
		v = g.scope.View()
	}
	found := g.changedFiles(v.State)
	if g.scope.IsClosed(tx) {
		return found
	}
	entries, fresh := newsOf(g.rights.Trust().Book, found)
	err := g.alertOwner(fresh)
	if err == nil {
		err = tx.Attest(ctx, scope.TrustMarks(entries...)...)
	}
	if err != nil {
		if g.scope.Chain.Store().Err() == nil {
			g.scope.Options.Log.Warn("cannot record that the owner was alerted", "error", err)
		}
		_ = tx.Assume(scope.TrustMarks(entries...)...) // no repeat in this process
	}
	return found
}

// alertOwner sends alerts for new changes, a single one if no known key signed the baselines. The
// caller is the chain's writer.
func (g *Guard) alertOwner(fresh []*guard.FileStatus) (err error) {
	for i, s := range fresh {
		more := 0
		if s.State == guard.Unsigned {
			if i > 0 {
				break
			}
			more = len(fresh) - 1
		}
		err = errors.Join(err, g.sendAlert(s, more))
	}
	return err
}

// sendAlert sends an alert about a change, with the number of other files with the same
// problem. After an error the alert is repeated. The caller is the chain's writer.
func (g *Guard) sendAlert(s *guard.FileStatus, more int) error {
	log := g.scope.Options.Log.Info // the alert is more prominent
	if g.scope.Options.Alert == nil {
		log = g.scope.Options.Log.Warn
	}
	log("a protected file changed from outside", "path", s.Path, "state", string(s.State), "mode", s.Mode.String(), "more", more)
	if g.scope.Options.Alert == nil {
		return nil
	}
	a := guard.Alert{FileStatus: *s, Memex: g.scope.Dir, Time: g.scope.Options.Now(), More: more}
	if s.State == guard.Changed {
		a.Changes = g.changes(s)
	}
	return g.scope.Options.Alert(a.Path, a.Message())
}
