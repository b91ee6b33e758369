// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package travel

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/ingest"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/write"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// Rollback is that of fovea.History.
func (h *History) Rollback(ctx context.Context, ref string, opts *scope.WriteOptions) (chain.Commit, []string, error) {
	return h.perform(ctx, "rollback", graph.KindRollback, opts, func(r *rollback) (string, error) {
		seq, err := resolve(ctx, h, ref)
		if err != nil {
			return "", err
		}
		target, err := h.scope.Chain.PartAt(ctx, seq)
		if err != nil {
			return "", fault.Wrap("rollback", ref, fault.Corrupt, err)
		}
		if err := h.scope.Chain.Whole(ctx, target.State, seq); err != nil && !r.opts.Skip {
			return "", fault.Wrap("rollback", ref, fault.NotFound, err)
		}
		r.target, r.restoresLost = target.State, func(string) bool { return true }
		return fmt.Sprintf("to commit %d", seq), nil
	})
}

// Resolve is that of fovea.History.
func (h *History) Resolve(ctx context.Context, ref string) (string, error) {
	defer h.scope.Chain.Reading()()
	seq, err := resolve(ctx, h, ref)
	return fmt.Sprintf("seq:%d", seq), err
}

// perform runs an action that makes a state the present one. target sets that state, or leaves it
// nil if there is nothing to do, and returns the message of the commit. A repeated action returns
// the result of its first commit.
func (h *History) perform(ctx context.Context, name, kind string, opts *scope.WriteOptions,
	target func(*rollback) (message string, err error)) (chain.Commit, []string, error) {
	opts = opts.OrZero()
	tx := h.scope.Chain.Begin()
	defer tx.End()
	r := &rollback{history: h, tx: tx, action: scope.ActionOf(opts, name, kind), opts: opts, ended: ctx.Err}
	first, err := h.scope.Enter(ctx, tx, r.action)
	if first != nil || err != nil {
		return h.scope.Replay(first), filesOf(first), err
	}
	if head := h.scope.Chain.Head().Commit.Seq; opts.Head != 0 && head != opts.Head { // the caller decided at an earlier one
		return chain.Commit{}, nil, fault.Errorf(name, h.scope.Dir, fault.Conflict,
			"commit %d came meanwhile; look at it and try again", head)
	}
	message, err := target(r)
	if r.closeOther != nil {
		defer r.closeOther()
	}
	if err != nil || r.target == nil {
		return chain.Commit{}, nil, err
	}
	return r.run(context.WithoutCancel(ctx), message)
}

// rollback makes a state the present one, files included.
type rollback struct {
	history      *History
	tx           *chain.Tx
	action       scope.Action
	opts         *scope.WriteOptions
	target       *graph.State
	secondParent *graph.Commit // the commit that a merge adopts, else nil
	marks        [][]byte      // additional marks of the commit
	op           *write.Operation
	// restoresLost reports whether to write a file that is missing from the folder and
	// the same in target and memory; nil for none.
	restoresLost func(path string) bool
	// ended returns an error if the caller gave up. It is called until the first file changes.
	ended func() error
	// closeOther closes the other memory that target comes from; nil if there is none.
	closeOther func()

	touched []string                 // files written, or with MemoryOnly left to drift
	drift   map[string]merkle.Digest // of documents whose files are left alone, see judge; zero to end a drift
	blocked []aside                  // of the target, with files that must not be changed
	left    []aside                  // left alone by the rule of paths
}

// aside is a document that a rollback leaves out.
type aside struct{ path, why string }

// lines formats each as a line for the user.
func lines(all ...aside) (out []string) {
	for _, a := range all {
		out = append(out, fmt.Sprintf("%s  (%s)", a.path, a.why))
	}
	return out
}

func (r *rollback) run(ctx context.Context, message string) (chain.Commit, []string, error) {
	m, head := r.history, r.history.scope.Chain.Head()
	r.action.Message, r.action.Now = message, m.scope.Options.Now()
	now := r.action.Now.UnixMilli()
	if r.secondParent != nil && now < r.secondParent.Time {
		now = r.secondParent.Time
		r.action.Now = time.UnixMilli(now)
	}
	if gone := goneDocuments(r.target); len(gone) > 0 {
		for _, path := range gone {
			r.blocked = append(r.blocked, aside{path, "its content is not kept any more"})
		}
		r.target, _ = withPresent(head.State, r.target, gone, now)
	}
	state, delta := head.State.Restore(r.target, now)
	lost := r.lost(ctx, &delta)
	stay, err := r.judge(head.State, delta.Paths, lost)
	if err == nil && len(stay) > 0 {
		r.target, _ = withPresent(head.State, r.target, stay, now)
		state, delta = head.State.Restore(r.target, now)
	}
	if err == nil {
		err = m.rights.Keeps(ctx, r.action, head.State, state, &delta)
	}
	if err != nil {
		return chain.Commit{}, nil, err
	}
	if delta.Empty() && len(lost) == 0 && r.secondParent == nil {
		return chain.Commit{Left: lines(r.left...)}, nil, nil
	}
	r.tx.Expect(&delta)
	r.op = m.writer.Begin(ctx, r.tx, r.action)
	step := r.op.Step()
	if c := &step.Commit; r.secondParent != nil {
		c.Parents = []merkle.Digest{r.secondParent.Digest}
	}
	if delta.Empty() && r.secondParent != nil && !r.opts.DryRun { // both sides made the same changes
		c, err := write.Decide(ctx, r.tx, state, step.Commit, r.marks...)
		return c, nil, err
	}
	if r.opts.MemoryOnly {
		return r.inMemory(ctx, state, &delta)
	}
	if err := r.stage(head.State, slices.Concat(delta.Paths, lost)); err != nil {
		return chain.Commit{}, r.touched, errors.Join(err, r.op.Discard())
	}
	if len(r.blocked) > 0 && r.opts.Skip {
		var paths []string
		for _, b := range r.blocked {
			paths = append(paths, b.path)
		}
		state, delta = withPresent(head.State, state, paths, now)
	}
	step.Marks = slices.Concat(m.scope.DriftMarks(slices.Sorted(maps.Keys(r.drift)), r.drift),
		m.scope.Chain.Ledgers().Revert(m.scope.Chain.Head(), &delta, step.Commit.Author), r.marks)
	if delta.Empty() { // no commit will complete the intent
		step.Marks = append(step.Marks, chain.DroppedMark(step.Commit.Op))
	}
	c, err := r.op.Run(ctx, state, &delta)
	if err != nil {
		return c, nil, err
	}
	c.Left = lines(slices.Concat(r.blocked, r.left)...)
	slices.Sort(r.touched)
	if !r.opts.DryRun {
		ingest.ClearMissing(m.folder, r.touched)
		r.prune()
	}
	return c, r.touched, nil
}

// inMemory commits the state and leaves all files alone.
func (r *rollback) inMemory(ctx context.Context, state *graph.State, delta *graph.Delta) (chain.Commit, []string, error) {
	m, step := r.history, r.op.Step()
	r.recordDrift(delta.Paths)
	step.Marks = slices.Concat(m.scope.DriftMarks(delta.Paths, r.drift),
		m.scope.Chain.Ledgers().Revert(m.scope.Chain.Head(), delta, step.Commit.Author), r.marks)
	c, err := r.op.InMemory(ctx, state, delta)
	if err != nil {
		return chain.Commit{}, nil, err
	}
	c.Left = lines(r.left...)
	return c, r.touched, nil
}

// prune removes the folders that became empty because files were removed, except those that the
// configuration names.
func (r *rollback) prune() {
	s := r.history.scope
	named := map[string]bool{s.Root.SkillsDir(): true}
	for _, folders := range s.Options.Projects {
		for _, folder := range folders {
			if rel, in := s.Root.Relative(folder); in {
				named[rel] = true
			}
		}
	}
	for _, file := range r.touched {
		if _, there := r.target.Text(file); !there && !s.Root.Exists(file) {
			corpus.Prune(s.Root, file, func(folder string) bool { return named[folder] })
		}
	}
}

// recordDrift records the files that will deliberately differ from memory.
func (r *rollback) recordDrift(paths []string) {
	for _, path := range paths {
		if _, kept := r.drift[path]; kept || !r.history.scope.IsFile(path) {
			continue
		}
		want, wanted := r.target.Text(path)
		seen, _, err := r.history.scope.Root.Read(path, 0)
		if err == nil && wanted && seen == want || errors.Is(err, corpus.ErrVanished) && !wanted || r.mustStay(path) {
			continue
		}
		r.drift[path] = scope.NoFile
		if err == nil {
			r.drift[path] = merkle.SumText(seen)
		}
		r.touched = append(r.touched, path)
	}
}

// stage prepares all files. It fails if one must not be changed.
func (r *rollback) stage(head *graph.State, paths []string) error {
	if err := r.op.Sweep(paths); err != nil {
		return err
	}
	for _, path := range paths {
		if !r.history.scope.IsFile(path) {
			continue
		}
		if err := r.ended(); err != nil {
			return fault.Wrap(r.action.Name, path, fault.Other, err)
		}
		if _, kept := r.drift[path]; kept {
			r.keep(path)
			continue
		}
		err := r.file(head, path)
		switch {
		case err == nil:
		case errors.Is(err, corpus.ErrNoSpace), fault.KindOf(err) == fault.Denied:
			return r.op.Fail(path, err)
		default:
			r.blocked = append(r.blocked, aside{path, r.blockReason(path, err)})
		}
	}
	if len(r.blocked) > 0 && !r.opts.Skip {
		way := "mend that, or use --skip"
		if r.secondParent != nil {
			way = "mend that and merge again"
		}
		return fault.Errorf(r.action.Name, r.history.scope.Dir, fault.Conflict,
			"%d files may not be touched; nothing was done (%s):\n  %s", len(r.blocked), way, strings.Join(lines(r.blocked...), "\n  "))
	}
	return nil
}

// file prepares one file, which must hold the present text or the target's.
func (r *rollback) file(head *graph.State, path string) error {
	want, wanted := r.target.Text(path)
	seen, _, err := r.history.scope.Root.Read(path, 0)
	switch {
	case r.mustStay(path):
		return nil
	case errors.Is(err, corpus.ErrVanished) && !wanted:
		r.op.Follow(path, merkle.Digest{})
		return nil
	case err == nil && wanted && seen == want:
		r.op.Follow(path, merkle.SumText(want))
		return nil
	}
	w := write.FileWrite{Path: path, Next: corpus.Next{Text: want, Gone: !wanted, Setup: r.isSetup(head, path)}}
	if have, had := head.Text(path); had && !errors.Is(err, corpus.ErrVanished) { // a lost file is written again
		w.Base = merkle.SumText(have)
	}
	err = r.op.Stage(w)
	if err == nil {
		r.touched = append(r.touched, path)
	}
	return err
}

// mustStay reports whether a rollback leaves a file alone because it is a setup file that no
// document of target names.
func (r *rollback) mustStay(path string) bool {
	_, wanted := r.target.Document(path)
	return !wanted && !r.history.scope.Root.Lists(path)
}

// blockReason returns why a file blocks a rollback.
func (r *rollback) blockReason(path string, err error) string {
	if _, ok := r.history.scope.Drift()[path]; ok {
		return "differs since a rollback of memory only"
	}
	for inner := errors.Unwrap(err); inner != nil && strings.HasPrefix(err.Error(), "corpus: "); inner = errors.Unwrap(err) {
		err = inner
	}
	return err.Error()
}

// withPresent returns the target state, but with some documents as in head.
func withPresent(head, target *graph.State, paths []string, now int64) (*graph.State, graph.Delta) {
	d := target.Edit(now)
	for _, path := range paths {
		d.Put(path, node.Parts(head.Nodes(path))...)
	}
	state, _ := d.Seal()
	return head.Restore(state, now)
}

// goneDocuments lists the documents of a state that lack content, sorted.
func goneDocuments(s *graph.State) []string {
	var paths []string
	for _, n := range s.Gone() {
		paths = append(paths, n.Path)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// filesOf lists, sorted, the files that a commit changed; none for nil.
func filesOf(c *graph.Commit) []string {
	if c == nil {
		return nil
	}
	paths := map[string]bool{}
	for i := range c.Delta {
		for _, e := range []*node.Entry{c.Delta[i].Old, c.Delta[i].New} {
			if e != nil {
				paths[e.Path] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(paths))
}
