// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package notes

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/filetx"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/merkle"
)

// maxBatch is the maximum number of notes in a batch.
const maxBatch = 256

// batch is a group of notes for one place: one rewrite of the file, and a commit for each note.
type batch struct {
	ns    *Notes
	tx    *chain.Tx
	under string
	now   time.Time
	path  string        // "" if the place is a node
	at    corpus.Place  // the target of path
	base  merkle.Digest // digest of its text before the batch, zero if there is no file
	end   *fileEnd
	place document.Place // the file's settings for notes; nil until the first check
	plain bool           // the text and the notes so far are UTF-8
	err   error          // of open
	notes []*pending
	ops   map[string]bool
	keys  map[noteKey]bool
	full  bool
}

// take adds a note to the batch, or finishes it with its error. It returns false if the note
// must wait for a later batch.
func (p *batch) take(r *pending) bool {
	if r.under != p.under {
		return false
	}
	if p.ops == nil {
		p.open(context.WithoutCancel(r.ctx))
	}
	switch {
	case p.full, p.keys[r.key] && r.byAgent(), r.action.Key != "" && p.ops[r.action.Key]:
		return false
	case p.err != nil:
		r.end(remembered{}, p.why(r))
	case p.path == "" || r.action.DryRun || slices.ContainsFunc(r.h.Properties, func(x document.Property) bool { return strings.EqualFold(x.Key, "ID") }):
		r.end(p.alone(r))
		p.full = true // later notes depend on this commit
	default:
		p.add(r)
	}
	return true
}

// why returns the error of open, or a denial if the author of r may not write to the file.
func (p *batch) why(r *pending) error {
	if judge := p.ns.rights.Judge(r.ctx, r.action.Name); judge != nil && p.at.Path != "" {
		if err := judge(p.at); err != nil {
			return err
		}
	}
	return p.err
}

// alone inserts one note below a node, or a note with an id of its own.
func (p *batch) alone(r *pending) (remembered, error) {
	under := p.under
	if p.path != "" {
		under = p.path
	}
	c, id, err := p.ns.insert(r.ctx, p.tx, r.action, under, r.headline(p.now))
	return remembered{ID: id, Commit: c}, err
}

// open reads the batch's file.
func (p *batch) open(ctx context.Context) {
	p.now = p.ns.scope.Options.Now()
	p.ops, p.keys = map[string]bool{}, map[noteKey]bool{}
	if p.path = noteFile(p.ns.scope, p.under, p.now.UTC().Format("2006-01")); p.path == "" {
		return
	}
	e := &editing{ns: p.ns, tx: p.tx, action: scope.Action{Name: "remember", Now: p.now}, texts: map[string]string{}}
	if p.at, p.err = p.ns.scope.Root.Place(p.path); p.err != nil {
		p.err = scope.FailWrite("remember", p.path, p.err)
		return
	}
	var had string
	var there bool
	if had, there, p.err = e.present(ctx, p.path); p.err != nil {
		return
	}
	if there {
		p.base = merkle.SumText(had)
	}
	if p.err = e.isParsed(p.path); p.err != nil {
		return
	}
	state := p.ns.scope.Present()
	if d, ok := state.Document(p.path); ok && d.Derived.Encrypted {
		p.err = fault.Wrap("remember", p.path, fault.Invalid, errEncrypted)
		return
	}
	p.end = newFileEnd(had, state.Nodes(p.path), state.Formats().Of(p.path), func(text string) document.Text { return parse(state, p.path, text) })
	p.plain = !document.IsUTF16(had) && document.IsUTF8(had)
}

// add appends a note to the text.
func (p *batch) add(r *pending) {
	r.action.Message, r.action.Now = p.path+": "+r.h.Title, p.now
	r.commit = p.ns.scope.NewCommit(r.ctx, r.action)
	err := p.ns.rights.Unprotected(r.ctx, r.action, p.path)
	if judge := p.ns.rights.Judge(r.ctx, r.action.Name); err == nil && judge != nil {
		err = judge(p.at)
	}
	if err != nil {
		r.end(remembered{}, err)
		return
	}
	r.id = uuid.NewString()
	h := r.headline(p.now)
	h.Properties = slices.Concat([]document.Property{{Key: "ID", Value: r.id}}, h.Properties)
	end := *p.end
	err = end.insert(p.now, h)
	if err == nil {
		err = p.checkInert(r.ctx, end.doc)
	}
	if err == nil && !p.plain {
		err = document.CheckEncoding(p.end.text(), end.text())
	}
	if err != nil {
		r.end(remembered{}, fault.Wrap("remember", p.path, fault.Invalid, err))
		return
	}
	*p.end, r.length = end, end.size()
	p.plain = p.plain && utf8.ValidString(end.doc.Source())
	p.notes, p.keys[r.key] = append(p.notes, r), true
	if r.action.Key != "" {
		p.ops[r.action.Key] = true
	}
	p.full = len(p.notes) == maxBatch || !p.end.appends ||
		strings.HasSuffix(p.under, "/") && r.length >= maxFileBytes ||
		p.ns.rights.Protected(p.path) || p.ns.scope.Chain.Head().Commit.Seq == 0 // the first commit has no predecessor to interpret it by
}

// save writes the file and commits the notes.
func (p *batch) save() {
	if len(p.notes) == 0 {
		return
	}
	done, err := p.write(context.WithoutCancel(p.notes[0].ctx))
	for i, r := range p.notes {
		if i < len(done) {
			r.end(remembered{ID: r.id, Commit: done[i]}, nil)
		} else {
			r.end(remembered{}, err)
		}
	}
}

func (p *batch) write(ctx context.Context) ([]chain.Commit, error) {
	m, text := p.ns, p.end.text()
	steps := make([]filetx.Step, len(p.notes))
	for i, r := range p.notes {
		steps[i] = filetx.Step{Commit: r.commit, Length: r.length}
	}
	op := m.files.BeginSteps(p.tx, p.notes[0].action, steps, p.judge)
	all := &chain.Steps{}
	if err := m.files.AddSteps(ctx, p.tx, all, p.path, text, steps); err != nil {
		return nil, fault.Wrap("remember", p.path, fault.Other, err)
	}
	if err := p.isThere(all.Head(p.tx).State); err != nil {
		return nil, err
	}
	if err := op.Prepare(filetx.FileWrite{Path: p.path, Base: p.base, Next: corpus.Next{Text: text}}); err != nil {
		return nil, err
	}
	if err := op.Write(ctx); err != nil {
		return nil, err
	}
	done, err := p.tx.Publish(ctx, all)
	return done, op.AfterFiles(ctx, err)
}

// judge checks that the author of each note may change the file.
func (p *batch) judge(at corpus.Place) error {
	for _, r := range p.notes {
		if judge := p.ns.rights.Judge(r.ctx, r.action.Name); judge != nil {
			if err := judge(at); err != nil {
				return err
			}
		}
	}
	return nil
}

// isThere refuses notes that do not parse as one headline of the file each.
func (p *batch) isThere(state *graph.State) error {
	if err := staysParsed("remember", p.path, state); err != nil {
		return err
	}
	for _, r := range p.notes {
		if n, ok := state.Get(r.id); !ok || n.Path != p.path || len(n.Kids) > 0 {
			return fault.Wrap("remember", p.path, fault.Invalid, fmt.Errorf("%q would not be read as one note of this file", r.h.Title))
		}
	}
	return nil
}
