// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package notes

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/node"
)

const (
	// maxNoteBytes is the maximum size in bytes of the title and the text of an agent's note.
	maxNoteBytes = 64 << 10
	// maxFileBytes is the size in bytes at which a new file of notes is started.
	maxFileBytes = 256 << 10
	// SimilarFrom is the minimum Jaccard similarity of words, 0 to 1, for a node to be
	// reported by Remember.
	SimilarFrom = 0.6
)

// remembered is the result of a note.
type remembered struct {
	ID      string
	Commit  chain.Commit // zero if Known
	Known   bool         // the node ID already had an equal title and text
	Similar []string
}

// Remember is that of fovea.Notes.
func (ns *Notes) Remember(ctx context.Context, under string, h document.InsertHeadline, opts *scope.WriteOptions) (c chain.Commit, id string,
	similar []string, err error) {
	r, err := ns.note(ctx, opts.OrZero(), under, h)
	return r.Commit, r.ID, r.Similar, err
}

// note is Remember with one value as its result.
func (ns *Notes) note(ctx context.Context, opts *scope.WriteOptions, under string, h document.InsertHeadline) (remembered, error) {
	by := ns.scope.NewCommit(ctx, scope.Action{})
	r := &pending{ctx: ctx, action: editAction("remember", opts), under: under, h: h, author: by.Author, session: by.Session}
	if err := r.prepare(ns); err != nil {
		return remembered{}, fault.Wrap("remember", under, fault.Invalid, err)
	}
	if !opts.DryRun {
		ns.queue.Add(r)
	}
	tx := ns.scope.Chain.Begin()
	defer tx.End()
	switch {
	case opts.DryRun:
		if !ns.settledAlready(tx, r) {
			(&batch{ns: ns, tx: tx, under: under}).take(r) // which is not saved
		}
	case !r.done:
		ns.rememberAll(tx, ns.queue.Take())
	}
	return r.answer, r.err
}

// pending is a note that waits for its batch.
type pending struct {
	ctx     context.Context
	action  scope.Action
	under   string
	h       document.InsertHeadline
	author  author.Author
	session string
	key     noteKey
	again   bool // its author forgot an equal note and now restores it

	id     string       // in a batch: the id of the headline,
	commit graph.Commit // its commit,
	length int          // and the length of the file up to its end, in bytes

	done   bool // the chain's writer guards this and the fields below
	answer remembered
	err    error
}

// byAgent reports whether the author is anyone but the owner.
func (r *pending) byAgent() bool { return r.author != scope.Owner }

// prepare checks the note and finds similar nodes. It needs no lock.
func (r *pending) prepare(m *Notes) error {
	if size := len(r.h.Title) + len(r.h.Body); r.byAgent() && size > maxNoteBytes {
		return fmt.Errorf("a note has at most %d bytes, this one has %d; keep what matters", maxNoteBytes, size)
	}
	if strings.ContainsRune(r.h.Title, 0) || strings.ContainsRune(r.h.Body, 0) {
		return errors.New("a NUL would make the file a binary one for other programs; leave it out")
	}
	r.key = keyOfNote(r.h.Title, r.h.Body)
	if !r.byAgent() {
		return nil
	}
	v := m.scope.View()
	r.answer.Similar = similar(v, r.h.Title, r.h.Body, func(n *node.Node) bool { return m.rights.MayReveal(view.StateOf(v), n) })
	return nil
}

// headline returns the note as a headline; an agent's note has its origin as properties.
func (r *pending) headline(now time.Time) document.InsertHeadline {
	h := r.h
	if !r.byAgent() {
		return h
	}
	origin := []document.Property{{Key: "AUTHOR", Value: r.author.String()}}
	if r.session != "" {
		origin = append(origin, document.Property{Key: "SESSION", Value: r.session})
	}
	origin = append(origin,
		document.Property{Key: "CREATED", Value: now.Format("[2006-01-02 Mon 15:04]")},
		document.Property{Key: "TRUST", Value: "unreviewed"})
	h.Properties = slices.Concat(origin, h.Properties)
	return h
}

// end sets the result of the note.
func (r *pending) end(a remembered, err error) {
	a.Similar = r.answer.Similar
	if a.Known || err != nil {
		a.Similar = nil
	}
	r.answer, r.err, r.done = a, err, true
}

// rememberAll writes the waiting notes, batched by file.
func (ns *Notes) rememberAll(tx *chain.Tx, waiting []*pending) {
	for len(waiting) > 0 {
		p := &batch{ns: ns, tx: tx, under: waiting[0].under}
		var later []*pending
		for _, r := range waiting {
			if ns.settledAlready(tx, r) {
				continue
			}
			if !p.take(r) {
				later = append(later, r)
			}
		}
		p.save()
		ns.rememberedAgain(tx, waiting)
		waiting = later
	}
}

// rememberedAgain lifts the tombstones of notes that their own authors wrote again. If that
// fails the store accepts no more writes, and each later write reports why.
func (ns *Notes) rememberedAgain(tx *chain.Tx, notes []*pending) {
	back := tombstones{}
	for _, r := range notes {
		if r.again && r.done && r.err == nil {
			back[r.key], r.again = tombstone{}, false
		}
	}
	if len(back) == 0 {
		return
	}
	if err := tx.Mark(context.WithoutCancel(notes[0].ctx), back.mark()); err != nil {
		ns.scope.Options.Log.Error("a note was written, and counts as forgotten still", "error", err)
	}
}

// settledAlready ends a note that needs no write, and reports whether it did.
func (ns *Notes) settledAlready(tx *chain.Tx, r *pending) bool {
	first, err := ns.scope.Enter(r.ctx, tx, r.action)
	switch {
	case err != nil:
	case r.ctx.Err() != nil:
		err = fault.Wrap("remember", r.under, fault.Other, r.ctx.Err())
	case first != nil:
		id := scope.Inserted(first)
		r.answer.Similar = slices.DeleteFunc(r.answer.Similar, func(other string) bool { return other == id })
		r.end(remembered{ID: id, Commit: ns.scope.Replay(first)}, nil)
	case r.byAgent():
		if id := ns.knownTo(r.key); id != "" {
			r.end(remembered{ID: id, Known: true}, nil)
		} else if t := ns.tombstones()[r.key]; t.active && t.by != r.author {
			err = fault.Wrap("remember", r.under, fault.Denied, errForgotten)
		} else {
			r.again = t.active
		}
	}
	if err != nil {
		r.end(remembered{}, err)
	}
	return r.done
}

// knownTo returns a headline with the key that may be revealed to an agent, "" for none.
func (ns *Notes) knownTo(key noteKey) string {
	state := ns.scope.Present()
	for _, id := range ns.known.find(state, key) {
		if n, ok := state.Get(id); ok && state.CopyOf(n.Path) == "" && ns.rights.MayReveal(state, n) {
			return id
		}
	}
	return ""
}

var errForgotten = errors.New("somebody else has forgotten a note of this title and text: leave it out, or ask the owner, who may write it again")

// noteFile returns the file for a note at under; "" if under is a node.
func noteFile(s *scope.Scope, under, month string) string {
	if !strings.HasSuffix(under, "/") {
		if s.Options.Formats.Owns(under) {
			return under
		}
		return ""
	}
	state := s.Present()
	name := func(n int) string {
		if n == 1 {
			return path.Join(under, month+".org")
		}
		return path.Join(under, fmt.Sprintf("%s-%d.org", month, n))
	}
	n := 1
	for {
		if _, more := state.Document(name(n + 1)); !more {
			break
		}
		n++
	}
	if state.Size(name(n)) >= maxFileBytes {
		n++
	}
	return name(n)
}
