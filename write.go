// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// fileWrite is one file of an operation: from the bytes of base (the zero
// digest: no file) to next.
type fileWrite struct {
	path string
	base merkle.Digest
	next corpus.Next
}

// operationOnFiles is one operation that changes files and memory together,
// on its way through stage, announce, apply and commit. A crash leaves it
// undone before announce, and ended or taken back by settle after it.
type operationOnFiles struct {
	m      *Memory
	name   string                   // for errors
	judge  func(corpus.Place) error // who may change which file, see Memory.judge
	staged []*corpus.Write
	writes []fileWrite // those of staged
	intent intent
}

// begin makes an operation whose commit will carry c's kind and message.
func (m *Memory) begin(ctx context.Context, name, kind, message string, now int64) *operationOnFiles {
	o := &operationOnFiles{m: m, name: name, intent: intent{commit: m.entry(ctx, kind, message, now)}}
	o.judge = m.judge(ctx, name, &o.intent.commit)
	return o
}

// sweep removes what crashes have left beside the files, if the folder is still the one
// that was opened. It comes before the first stage.
func (o *operationOnFiles) sweep(paths []string) error {
	if err := o.m.inPlace(o.name); err != nil {
		return err
	}
	done := map[string]bool{}
	for _, p := range paths {
		if folder := path.Dir(p); !done[folder] {
			done[folder] = true
			if err := o.m.root.Sweep(p); err != nil {
				return o.fail(p, err)
			}
		}
	}
	return nil
}

// stage checks a file and puts its new bytes on disk beside it. No file is
// changed.
func (o *operationOnFiles) stage(w fileWrite) error {
	staged, err := o.m.root.Stage(w.path, w.base, w.next, o.judge)
	if err != nil {
		return err
	}
	p := plan{path: w.path, base: w.base, next: w.next.Digest()}
	old, mode := staged.Old()
	p.mode = mode
	if !w.base.IsZero() && !o.m.View().state.Holds(w.path, old) {
		p.old = &old
	}
	if staged.InPlace() {
		p.torn = &w.next.Text
	}
	o.staged, o.writes = append(o.staged, staged), append(o.writes, w)
	o.intent.files = append(o.intent.files, p)
	return nil
}

// follow notes a file that already holds what memory is to have.
func (o *operationOnFiles) follow(name string, d merkle.Digest) {
	o.intent.files = append(o.intent.files, plan{path: name, base: d, next: d})
}

// run changes the files and then makes state the present one. The delta is
// that of state against the head. After an error the files are as they were,
// unless it says otherwise; after one of the commit they are new, memory is
// read-only, and the next opening ends the operation.
func (o *operationOnFiles) run(ctx context.Context, state *graph.State, delta *graph.Delta) (Commit, error) {
	m := o.m
	if err := m.unprotected(o.name, &o.intent.commit, delta.Paths); err != nil {
		return Commit{}, errors.Join(err, o.discard())
	}
	o.intent.follow(state, delta)
	if err := o.write(ctx); err != nil {
		return Commit{}, err
	}
	c, err := m.commit(background(ctx), state, delta, o.intent.commit, append(m.driftMarks(o.intent.paths(), nil), o.intent.marks...)...)
	return c, o.afterFiles(ctx, err)
}

// write announces the operation and changes the files. After an error they are as
// they were, unless it says otherwise.
func (o *operationOnFiles) write(ctx context.Context) error {
	if err := o.announce(ctx); err != nil {
		return o.fail(o.m.state, errors.Join(err, o.discard()))
	}
	for i, w := range o.staged {
		if err := w.Apply(); err != nil {
			o.staged = o.staged[i+1:]
			return o.undo(ctx, o.writes[i].path, errors.Join(err, o.discard()))
		}
	}
	o.staged = nil
	return nil
}

// afterFiles syncs the commit of files that were written, and ends what sessions laid
// over them; err is that of making it. It says of an error that the files are written.
func (o *operationOnFiles) afterFiles(ctx context.Context, err error) error {
	if len(o.writes) == 0 {
		return err
	}
	if err == nil {
		err = o.m.syncFiles(o.name)
	}
	if err == nil {
		o.m.endBuffersOver(ctx)
		return nil
	}
	return &Error{Op: o.name, What: o.m.state, Kind: KindOf(err), Err: fmt.Errorf(
		"%w; the files are written, and opening the memory again ends the operation", errors.Unwrap(err))}
}

// syncFiles makes the commit of files that were written durable, relaxed or not: a
// loss of power that left the intent alone would take for half done what somebody
// has gone on from.
func (m *Memory) syncFiles(name string) error {
	return fail(name, m.state, ReadOnly, store.Sync(m.chain.Store()))
}

// announce makes the intent durable. An operation that writes no file needs
// none.
func (o *operationOnFiles) announce(ctx context.Context) error {
	if err := ctx.Err(); err != nil || len(o.staged) == 0 {
		return err
	}
	var b store.Batch
	if err := o.intent.add(&b); err != nil {
		return err
	}
	return fail(o.name, o.m.state, ReadOnly, o.m.chain.Held().Announce(ctx, &b))
}

// undo puts back the files that were written before one failed.
func (o *operationOnFiles) undo(ctx context.Context, name string, cause error) error {
	left := o.m.takeBack(&o.intent)
	if len(left) > 0 {
		// The intent must stay the journal's last word, for the next opening to see.
		o.m.chain.Store().Stop(fmt.Errorf("an operation on files failed half way and could not be taken back: %s; open the memory again", left[0].told()))
		return o.fail(name, fmt.Errorf("%w; could not put back %s, open the memory again", cause, left[0].told()))
	}
	if err := o.m.drop(ctx, &o.intent); err != nil {
		o.m.opts.Log.Warn("an operation that was taken back stays announced until the next opening", "error", err)
	}
	return o.fail(name, cause)
}

// discard removes what was staged and not applied.
func (o *operationOnFiles) discard() error {
	var errs []error
	for _, w := range o.staged {
		errs = append(errs, w.Discard())
	}
	o.staged = nil
	return errors.Join(errs...)
}

func (o *operationOnFiles) fail(what string, err error) error { return failWrite(o.name, what, err) }

// failWrite gives an error of a file its kind.
func failWrite(op, what string, err error) error {
	kind := Other
	for _, k := range writeKinds {
		if errors.Is(err, k.err) {
			kind = k.kind
		}
	}
	return fail(op, what, kind, err)
}

var writeKinds = []struct {
	err  error
	kind Kind
}{
	{corpus.ErrChanged, Conflict},
	{corpus.ErrBusy, Busy},
	{corpus.ErrReadOnlyFile, ReadOnly},
	{corpus.ErrVanished, NotFound},
	{corpus.ErrDangling, NotFound},
	{corpus.ErrElsewhere, Invalid},
	{corpus.ErrOutside, Invalid},
	{corpus.ErrTooLarge, Invalid},
	{corpus.ErrName, Invalid},
	{corpus.ErrLink, Invalid},
	{corpus.ErrSpecial, Invalid},
	{corpus.ErrNotFolder, Invalid},
}
