// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hive

import (
	"context"
	"errors"
	"slices"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/filetx"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/ingest"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/merkle"
)

// Bounds of a group.
const (
	maxGroup      = 256     // operations
	maxGroupBytes = 1 << 20 // of new text, after which no further operation is taken
)

// pending is an operation that waits for its group.
type pending struct {
	ctx    context.Context
	action scope.Action
	do     func(*change) error // may run more than once; what counts is its last run

	done   chan struct{} // closed when the fields below are set
	commit chain.Commit
	first  *graph.Commit // of an earlier operation with the same key
	err    error
}

// queue holds the operations that wait for the chain's writer. Whoever puts a value into lead
// writes those that wait, its own among them.
type queue struct {
	scope.Queue[*pending]
	lead chan struct{}
}

// run performs an operation. Those that arrive while others are written are written together:
// each is judged by what those before it leave, and is a commit of its own, and all become
// durable in one step before the first of them returns. A repeated one is not run again: run
// returns its first commit as well. do reads what is present and sets the texts.
func (h *Hive) run(ctx context.Context, a scope.Action, do func(*change) error) (c chain.Commit, first *graph.Commit, err error) {
	a.Kind = graph.KindEdit
	r := &pending{ctx: ctx, action: a, do: do, done: make(chan struct{})}
	h.queue.Add(r)
	select {
	case <-r.done:
	case h.queue.lead <- struct{}{}:
		h.lead()
		<-r.done
	}
	return r.commit, r.first, r.err
}

// errPanicked is the result of operations whose group panicked.
var errPanicked = errors.New("an operation beside it failed; whether this one was carried out shows when the memory is read again")

// lead performs the operations that wait. The caller has put a value into queue.lead; lead takes
// it out.
func (h *Hive) lead() {
	var waiting []*pending
	defer func() {
		for _, r := range waiting { // none, unless one panicked
			r.end(fault.Wrap(r.action.Name, "", fault.Other, errPanicked))
		}
		<-h.queue.lead
	}()
	tx := h.scope.Chain.Begin()
	defer tx.End()
	waiting = h.queue.Take()
	for len(waiting) > 0 {
		g := h.newGroup(tx)
		taken := 0
		for taken < len(waiting) && g.take(waiting[taken]) {
			taken++
		}
		if err := g.save(); err != nil && taken > 1 { // nothing was written; one of them may be the cause
			for _, r := range waiting[:taken] {
				g := h.newGroup(tx)
				g.take(r)
				r.failed(g.save())
			}
		} else if err != nil {
			waiting[0].failed(err)
		}
		for ; taken > 0; taken-- {
			r := waiting[0]
			waiting = waiting[1:]
			close(r.done)
		}
	}
}

// failed sets the error of an operation, unless it is nil.
func (r *pending) failed(err error) {
	if err != nil {
		r.commit, r.first, r.err = chain.Commit{}, nil, err
	}
}

// end ends an operation with an error.
func (r *pending) end(err error) {
	r.failed(err)
	close(r.done)
}

// group is operations that become durable together: one rewrite of each file, and a commit for
// each operation that changes something.
type group struct {
	h     *Hive
	tx    *chain.Tx
	all   *chain.Steps
	files []groupFile
	steps []filetx.Step
	wrote []*change // one for each step
	of    []*pending
	taken []*pending
	size  int // bytes of new text
	full  bool
}

// groupFile is a file that a group changes.
type groupFile struct {
	path string
	base merkle.Digest // of its text before the group, zero for no file
	text string        // after the newest step
}

func (h *Hive) newGroup(tx *chain.Tx) *group { return &group{h: h, tx: tx, all: &chain.Steps{}} }

// errLater is the result of an operation that cannot be judged before the group is written.
var errLater = errors.New("after the group")

// take runs an operation, and sets its result, which holds once the group is saved. It returns
// false if the operation must wait for a later group; the first of a group never has to.
func (g *group) take(r *pending) bool {
	if g.full || len(g.steps) > 0 && g.waits(r) {
		return false
	}
	r.commit, r.first, r.err = chain.Commit{}, nil, nil
	first, err := g.h.scope.Enter(r.ctx, g.tx, r.action)
	switch {
	case first != nil || err != nil:
		r.first, r.commit = first, g.h.scope.Replay(first)
	case r.ctx.Err() != nil:
		err = fault.Wrap(r.action.Name, "", fault.Other, r.ctx.Err())
	default:
		w := &change{h: g.h, ctx: r.ctx, in: g, action: r.action, texts: map[string]string{}}
		w.action.Now = g.h.scope.Options.Now()
		if err = r.do(w); err == nil {
			err = g.add(r, w)
		}
	}
	if errors.Is(err, errLater) {
		return false
	}
	r.failed(err)
	g.taken = append(g.taken, r)
	g.full = g.full || len(g.taken) == maxGroup || g.size >= maxGroupBytes
	return true
}

// waits reports whether an operation is judged by what is durable: it repeats one of the group,
// or its actor acts under a claim.
func (g *group) waits(r *pending) bool {
	return g.h.scope.Actor(r.ctx).Claim != (author.Claim{}) ||
		r.action.Key != "" && slices.ContainsFunc(g.of, func(o *pending) bool { return o.action.Key == r.action.Key })
}

// read brings a file up to date with memory, and returns its text with what the group changed.
func (g *group) read(w *change, path string) (string, error) {
	if i := g.index(path); i >= 0 {
		return g.files[i].text, nil
	}
	if len(g.steps) == 0 {
		return ingest.Refresh(w.ctx, g.tx, g.h.folder, w.action, path)
	}
	text, same, err := ingest.Current(g.h.folder, w.action, path)
	if err == nil && !same {
		err = errLater // a commit of the file comes before those of the group
	}
	return text, err
}

// index returns the place of a file in the group, -1 for none.
func (g *group) index(path string) int {
	return slices.IndexFunc(g.files, func(f groupFile) bool { return f.path == path })
}

// add adds the step of an operation; one that changes nothing has none.
func (g *group) add(r *pending, w *change) error {
	state, delta, err := w.seal()
	if err != nil || delta.Empty() {
		return err
	}
	// What is trusted of a protected file, and a first commit, are known once they are durable.
	g.full = slices.ContainsFunc(w.paths, g.h.rights.Protected) || g.h.scope.Chain.Head().Commit.Seq == 0
	if g.full && len(g.steps) > 0 {
		return errLater
	}
	step := filetx.Step{Commit: g.h.scope.NewCommit(w.ctx, w.action)}
	before := w.state()
	if err := g.tx.Add(w.ctx, g.all, state, &delta, step.Commit, g.h.scope.DriftMarks(delta.Paths, nil)...); err != nil {
		return fault.Wrap("commit", g.h.scope.Name, fault.Other, err)
	}
	for _, path := range w.paths {
		have, had := before.Text(path)
		i := g.index(path)
		if i < 0 {
			i = len(g.files)
			g.files = append(g.files, groupFile{path: path})
			if had {
				g.files[i].base = merkle.SumText(have)
			}
		}
		g.files[i].text = w.texts[path]
		splice := filetx.NewSplice(i, have, w.texts[path])
		step.Splices = append(step.Splices, splice)
		g.size += len(splice.Text)
	}
	g.steps, g.wrote, g.of = append(g.steps, step), append(g.wrote, w), append(g.of, r)
	return nil
}

// save writes the files and commits the steps. After an error nothing is written, and the
// results of the operations do not hold. If only the commits fail, that is the error of each
// operation.
func (g *group) save() error {
	if len(g.steps) == 0 {
		return nil
	}
	ctx := context.WithoutCancel(g.wrote[0].ctx)
	op := g.h.files.BeginSteps(g.tx, g.wrote[0].action, g.steps, g.judge)
	var writes []filetx.FileWrite
	for _, f := range g.files {
		writes = append(writes, filetx.FileWrite{Path: f.path, Base: f.base, Next: corpus.Next{Text: f.text}})
	}
	if err := op.Prepare(writes...); err != nil {
		return err
	}
	if err := op.Write(ctx); err != nil {
		return err
	}
	done, err := g.tx.Publish(ctx, g.all)
	if err = op.AfterFiles(ctx, err); err != nil {
		for _, r := range g.taken {
			r.failed(err)
		}
		return nil
	}
	for i, r := range g.of {
		r.commit = done[i]
	}
	return nil
}

// judge checks that each author may change a file.
func (g *group) judge(at corpus.Place) error {
	for _, w := range g.wrote {
		judge := g.h.rights.Judge(w.ctx, w.action.Name)
		if _, changes := w.texts[at.Path]; !changes || judge == nil {
			continue
		}
		if err := judge(at); err != nil {
			return err
		}
	}
	return nil
}
