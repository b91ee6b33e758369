// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package write

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/merkle"
)

// FileWrite replaces the contents of one file. Base is the digest of the old bytes, zero if
// there is no file.
type FileWrite struct {
	Path string
	Base merkle.Digest
	Next corpus.Next
}

// Operation changes files and memory together, in the steps stage, announce, apply and commit. A
// crash before announce changes nothing; after a later crash, Settle completes the operation or
// rolls it back. Its methods are called by the chain's writer.
type Operation struct {
	w      *Writer
	tx     *chain.Tx
	name   string // for errors
	action scope.Action
	judge  func(corpus.Place) error // checks write access to a file, see scope.Rules.Judge
	staged []*corpus.Write
	writes []FileWrite // the requests of staged
	Intent
}

// Begin returns the operation of an action with one commit, for setting a whole state of history
// rather than changing texts and trees.
func (w *Writer) Begin(ctx context.Context, tx *chain.Tx, a scope.Action) *Operation {
	o := w.operation(tx, a.Name, w.rights.Judge(ctx, a.Name))
	o.action, o.steps = a, []Step{{Commit: w.scope.NewCommit(ctx, a)}}
	return o
}

func (w *Writer) operation(tx *chain.Tx, name string, judge func(corpus.Place) error) *Operation {
	return &Operation{w: w, tx: tx, name: name, judge: judge}
}

// Step returns the step of an operation of Begin, for the caller to complete.
func (o *Operation) Step() *Step { return &o.steps[0] }

// Sweep removes temporary files that crashes left in the folders of paths. It fails if the
// memex was moved or replaced since it was opened. It must run before the first stage.
func (o *Operation) Sweep(paths []string) error {
	if err := o.w.scope.InPlace(o.name); err != nil {
		return err
	}
	done := map[string]bool{}
	for _, p := range paths {
		if folder := path.Dir(p); !done[folder] {
			done[folder] = true
			if err := o.w.scope.Root.Sweep(p); err != nil {
				return o.Fail(p, err)
			}
		}
	}
	return nil
}

// Stage checks a file and writes its new bytes to a temporary file next to it. The file
// itself does not change.
func (o *Operation) Stage(w FileWrite) error {
	staged, err := o.w.scope.Root.Stage(w.Path, w.Base, w.Next, o.judge)
	if err != nil {
		return err
	}
	p := plan{path: w.Path, base: w.Base, next: w.Next.Digest()}
	old, mode := staged.Old()
	p.mode = mode
	if !w.Base.IsZero() && !o.w.scope.Present().Holds(w.Path, old) {
		p.old = &old
	}
	if staged.InPlace() {
		p.torn = &w.Next.Text
	}
	o.staged, o.writes = append(o.staged, staged), append(o.writes, w)
	o.files = append(o.files, p)
	return nil
}

// Prepare stages all files of an operation, or none.
func (o *Operation) Prepare(writes ...FileWrite) error {
	var paths []string
	for _, w := range writes {
		paths = append(paths, w.Path)
	}
	if err := o.Sweep(paths); err != nil {
		return err
	}
	for _, w := range writes {
		if err := o.Stage(w); err != nil {
			return errors.Join(o.Fail(w.Path, err), o.Discard())
		}
	}
	return nil
}

// Follow adds a file whose bytes on disk memory adopts.
func (o *Operation) Follow(name string, d merkle.Digest) {
	o.files = append(o.files, plan{path: name, base: d, next: d})
}

// Keep adds a document that memory adopts with these bytes, or drops if text is nil. A file at its
// path is left alone.
func (o *Operation) Keep(path string, text *string, opaque bool) {
	p := plan{path: path, torn: new(string)}
	if text != nil {
		p.base, p.torn = merkle.SumText(*text), text
		p.next = p.base
		if opaque {
			p.mode = opaqueMode
		}
	}
	o.files = append(o.files, p)
}

// Run changes the files, then commits state. delta is the difference between the head and
// state. After an error the files are unchanged unless the error states otherwise. If only the
// commit fails, the files are new, memory is read-only, and the next opening completes the
// operation. A dry run stops where the files would change.
func (o *Operation) Run(ctx context.Context, state *graph.State, delta *graph.Delta) (chain.Commit, error) {
	err := o.w.allow(ctx, o.action, o.w.scope.Present(), delta)
	if err != nil || o.action.DryRun {
		return chain.Commit{Would: new(view.Changed(*delta))}, errors.Join(err, o.Discard())
	}
	s := o.Step()
	s.state, s.delta = state, *delta
	if err := o.write(ctx); err != nil {
		return chain.Commit{}, err
	}
	c, err := Record(ctx, o.tx, state, delta, s.Commit, append(o.w.scope.DriftMarks(o.paths(), nil), s.Marks...)...)
	return c, o.afterFiles(ctx, err)
}

// InMemory commits state and leaves all files alone. It checks rights and handles a dry run as Run does.
func (o *Operation) InMemory(ctx context.Context, state *graph.State, delta *graph.Delta) (chain.Commit, error) {
	if err := o.w.rights.MayWrite(ctx, o.action, o.w.scope.Root.Place, delta.Paths...); err != nil {
		return chain.Commit{}, err
	}
	if o.action.DryRun {
		return chain.Commit{Would: new(view.Changed(*delta))}, nil
	}
	return Record(ctx, o.tx, state, delta, o.Step().Commit, o.Step().Marks...)
}

// Record commits a state for which no file was written: one read from the folder, or one of memory
// alone. If delta is empty, it commits only the marks.
func Record(ctx context.Context, tx *chain.Tx, state *graph.State, delta *graph.Delta, c graph.Commit, marks ...[]byte) (chain.Commit, error) {
	return tx.Commit(context.WithoutCancel(ctx), state, delta, c, marks...)
}

// Decide commits a decision that changes no text, for its marks or its second parent.
func Decide(ctx context.Context, tx *chain.Tx, state *graph.State, c graph.Commit, marks ...[]byte) (chain.Commit, error) {
	return tx.Append(context.WithoutCancel(ctx), state, &graph.Delta{}, c, marks...)
}

// write announces the operation and changes the files. After an error they are unchanged
// unless the error states otherwise.
func (o *Operation) write(ctx context.Context) error {
	if err := o.announce(ctx); err != nil {
		return o.Fail(o.w.scope.StateDir, errors.Join(err, o.Discard()))
	}
	n, err := corpus.ApplyAll(o.staged)
	o.staged = o.staged[min(n+1, len(o.staged)):]
	if err != nil {
		return o.undo(ctx, o.writes[min(n, len(o.writes)-1)].Path, errors.Join(err, o.Discard()))
	}
	return nil
}

// afterFiles drops the session buffers of written files once their commit is durable. err is the
// result of the commit; the returned error states that the files are already written.
func (o *Operation) afterFiles(ctx context.Context, err error) error {
	if len(o.writes) == 0 {
		return err
	}
	if err == nil {
		FilesSaved(ctx, o.w.scope)
		return nil
	}
	kind := fault.KindOf(err)
	if e, ok := errors.AsType[*fault.Error](err); ok {
		err = e.Err
	}
	return &fault.Error{Op: o.name, What: o.w.scope.StateDir, Kind: kind,
		Err: fmt.Errorf("%w; the files are written, and opening the memory again ends the operation", err)}
}

// announce makes the intent durable. An operation that writes no file needs none.
func (o *Operation) announce(ctx context.Context) error {
	if err := ctx.Err(); err != nil || len(o.staged) == 0 {
		return err
	}
	for i := range o.steps {
		o.steps[i].planTrees()
	}
	var b store.Batch
	addBlock := func(_ merkle.Digest, block []byte) error {
		b.Add(store.Block, block)
		return nil
	}
	if err := o.encode(addBlock, func(record []byte) { b.Add(store.Intent, record) }); err != nil {
		return err
	}
	return fault.Wrap(o.name, o.w.scope.StateDir, fault.ReadOnly, o.tx.AppendBatch(ctx, &b))
}

// undo restores the files that were written before the write of name failed.
func (o *Operation) undo(ctx context.Context, name string, cause error) error {
	left := o.w.takeBack(&o.Intent)
	if len(left) > 0 {
		all := strings.ReplaceAll(why(errors.Join(left...)), "\n", "; ")
		// The intent must stay the last record of the journal, so that the next opening sees it.
		o.w.scope.Chain.Store().Stop(fmt.Errorf("an operation on files failed half way and could not be taken back: %s; open the memory again", all))
		return o.Fail(name, fmt.Errorf("%w; could not put back %s, open the memory again", cause, all))
	}
	if err := o.w.drop(ctx, o.tx, &o.Intent); err != nil {
		o.w.scope.Options.Log.Warn("an operation that was taken back stays announced until the next opening", "error", err)
	}
	return o.Fail(name, cause)
}

// Discard removes the staged writes that were not applied.
func (o *Operation) Discard() error {
	var errs []error
	for _, w := range slices.Backward(o.staged) { // in reverse: a later one may be in a folder that an earlier one created
		errs = append(errs, w.Discard())
	}
	o.staged = nil
	return errors.Join(errs...)
}

// Fail returns the error of this operation about a file, with the kind of its cause.
func (o *Operation) Fail(what string, err error) error {
	return scope.FailWrite(o.name, what, err)
}
