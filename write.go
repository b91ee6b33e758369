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

// fileWrite replaces the contents of one file. base is the digest of the old bytes, zero if
// there is no file.
type fileWrite struct {
	path string
	base merkle.Digest
	next corpus.Next
}

// operationOnFiles changes files and memory together, in the steps stage, announce, apply
// and commit. A crash before announce changes nothing; after a later crash, settle completes
// the operation or rolls it back.
type operationOnFiles struct {
	m      *Memory
	name   string                   // for errors
	judge  func(corpus.Place) error // checks write access to a file, see Memory.judge
	staged []*corpus.Write
	writes []fileWrite // the requests behind staged
	intent intent
}

// begin returns an operation whose commit has the given kind and message.
func (m *Memory) begin(ctx context.Context, key, name, kind, message string, now int64) *operationOnFiles {
	o := &operationOnFiles{m: m, name: name, intent: intent{commit: m.entry(ctx, key, kind, message, now)}}
	o.judge = m.judge(ctx, name, &o.intent.commit)
	return o
}

// beginSteps returns an operation on one file with a commit for each step. judge checks the
// write access of each author.
func (m *Memory) beginSteps(name string, steps []planned, judge func(corpus.Place) error) *operationOnFiles {
	o := &operationOnFiles{m: m, name: name, judge: judge, intent: intent{commit: steps[0].commit}}
	if len(steps) > 1 {
		o.intent.steps = steps
	}
	return o
}

// sweep removes temporary files that crashes left in the folders of paths. It fails if the
// memex was moved or replaced since it was opened. It must run before the first stage.
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

// stage checks a file and writes its new bytes to a temporary file next to it. The file
// itself does not change.
func (o *operationOnFiles) stage(w fileWrite) error {
	staged, err := o.m.root.Stage(w.path, w.base, w.next, o.judge)
	if err != nil {
		return err
	}
	p := plan{path: w.path, base: w.base, next: w.next.Digest()}
	old, mode := staged.Old()
	p.mode = mode
	if !w.base.IsZero() && !o.m.present().Holds(w.path, old) {
		p.old = &old
	}
	if staged.InPlace() {
		p.torn = &w.next.Text
	}
	o.staged, o.writes = append(o.staged, staged), append(o.writes, w)
	o.intent.files = append(o.intent.files, p)
	return nil
}

// follow adds a file whose bytes on disk become its contents in memory.
func (o *operationOnFiles) follow(name string, d merkle.Digest) {
	o.intent.files = append(o.intent.files, plan{path: name, base: d, next: d})
}

// run changes the files, then commits state. delta is the difference between the head and
// state. After an error the files are unchanged unless the error says otherwise. If only the
// commit fails, the files are new, memory is read-only, and the next opening completes the
// operation.
func (o *operationOnFiles) run(ctx context.Context, state *graph.State, delta *graph.Delta) (Commit, error) {
	m := o.m
	if err := m.unprotected(o.name, &o.intent.commit, delta.Paths); err != nil {
		return Commit{}, errors.Join(err, o.discard())
	}
	o.intent.follow(state, delta)
	if err := o.write(ctx); err != nil {
		return Commit{}, err
	}
	c, err := m.chain.Writer().Commit(context.WithoutCancel(ctx), state, delta, o.intent.commit, append(m.driftMarks(o.intent.paths(), nil), o.intent.marks...)...)
	return c, o.afterFiles(ctx, err)
}

// write announces the operation and changes the files. After an error they are unchanged
// unless the error says otherwise.
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

// afterFiles syncs the commit of written files and ends the session buffers over them. err is
// the result of the commit; a returned error says that the files are written.
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

// syncFiles makes the commit of written files durable, even in relaxed mode. If a power
// failure kept only the intent, recovery would mistake the operation for a half-done one as
// soon as the user had edited one of the files.
func (m *Memory) syncFiles(name string) error {
	return fail(name, m.state, ReadOnly, store.Sync(m.chain.Store()))
}

// announce makes the intent durable. An operation that writes no file needs none.
func (o *operationOnFiles) announce(ctx context.Context) error {
	if err := ctx.Err(); err != nil || len(o.staged) == 0 {
		return err
	}
	var b store.Batch
	if err := o.intent.add(&b); err != nil {
		return err
	}
	return fail(o.name, o.m.state, ReadOnly, o.m.chain.Writer().AppendBatch(ctx, &b))
}

// undo restores the files that were written before the write of name failed.
func (o *operationOnFiles) undo(ctx context.Context, name string, cause error) error {
	left := o.m.takeBack(&o.intent)
	if len(left) > 0 {
		// The intent must stay the last record of the journal, so that the next opening sees it.
		o.m.chain.Store().Stop(fmt.Errorf("an operation on files failed half way and could not be taken back: %s; open the memory again", left[0].told()))
		return o.fail(name, fmt.Errorf("%w; could not put back %s, open the memory again", cause, left[0].told()))
	}
	if err := o.m.drop(ctx, &o.intent); err != nil {
		o.m.opts.Log.Warn("an operation that was taken back stays announced until the next opening", "error", err)
	}
	return o.fail(name, cause)
}

// discard removes the staged writes that were not applied.
func (o *operationOnFiles) discard() error {
	var errs []error
	for _, w := range o.staged {
		errs = append(errs, w.Discard())
	}
	o.staged = nil
	return errors.Join(errs...)
}

func (o *operationOnFiles) fail(what string, err error) error { return failWrite(o.name, what, err) }

// failWrite returns err with the Kind of its file error.
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
