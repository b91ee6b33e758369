// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package write

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/merkle"
)

// Settle completes or rolls back an operation that a crash interrupted. If all its files are
// written, it makes the intended commit; otherwise it restores the old bytes of the written
// files. It leaves alone a file that another program has changed since; the next scan reads
// it. A crash during Settle is handled the same way.
func (w *Writer) Settle(ctx context.Context, tx *chain.Tx, in *Intent) error {
	count := map[place]int{}
	for i := range in.files {
		at, _ := w.look(&in.files[i])
		count[at]++
	}
	what := fmt.Sprintf("the %s of %s", in.steps[0].Commit.Kind, PathsOf(in))
	switch {
	case count[atNext]+count[asMeant] == len(in.files) && w.listed(in):
		w.scope.SetRecovered(tx, "finished "+what+", which was cut short after its files were written")
		return w.finish(ctx, tx, in)
	case count[atNext]+count[torn]+count[elsewhere] == 0:
		return w.drop(ctx, tx, in) // it never began
	}
	left := w.takeBack(in)
	done := []string{"took back " + what + ", which was cut short between its files"}
	again := false
	for _, err := range left { // settled if a program holds, changed or removed the file; otherwise try again
		done = append(done, "left "+why(err))
		again = again || !slices.ContainsFunc([]error{corpus.ErrBusy, corpus.ErrChanged, corpus.ErrVanished, corpus.ErrNotHere, corpus.ErrNever},
			func(settled error) bool { return errors.Is(err, settled) })
	}
	if count[elsewhere] > 0 {
		done = append(done, "a file that changed since is read as it is")
	}
	recovered := strings.Join(done, "; ")
	w.scope.SetRecovered(tx, recovered)
	if again { // still announced: the next opening tries again
		w.scope.Chain.Store().Stop(fmt.Errorf("%s; mend that and open the memory again", recovered))
		return nil
	}
	return w.drop(ctx, tx, in)
}

// listed reports whether every file that an intent has written belongs to this memex.
func (w *Writer) listed(in *Intent) bool {
	return !slices.ContainsFunc(in.files, func(p plan) bool {
		text, _, _ := w.scope.Root.Read(p.path, 0)
		verdict, err := corpus.Judge(w.scope.Root, p.path, corpus.HoldsSettings(text), nil)
		return p.touched() && err == nil && verdict != corpus.Listed
	})
}

// place classifies the contents of a file of an intent.
type place int

const (
	elsewhere place = iota // other contents, or unreadable
	atBase
	atNext
	asMeant // base equals next, and the file holds it
	torn    // a mixture of both, left by a crash during a write in place
)

// look classifies a file of an intent and returns the digest of its bytes.
func (w *Writer) look(p *plan) (place, merkle.Digest) {
	if p.fileless() {
		return asMeant, p.base
	}
	text, _, err := w.scope.Root.Read(p.path, 0)
	var have merkle.Digest
	switch {
	case err == nil:
		have = merkle.Sum([]byte(text))
	case !errors.Is(err, corpus.ErrVanished):
		return elsewhere, have
	}
	switch {
	case have == p.next && have == p.base:
		return asMeant, have
	case have == p.next:
		return atNext, have
	case have == p.base:
		return atBase, have
	case p.torn != nil && err == nil && corpus.Torn(text, p.before(w.scope.Present()).Text, *p.torn):
		return torn, have
	}
	return elsewhere, have
}

// why words the error of a file for the user.
func why(err error) string { return strings.ReplaceAll(err.Error(), "corpus: ", "") }

// takeBack restores the old bytes of the files that an operation has written. It returns an
// error for each file that it could not restore.
func (w *Writer) takeBack(in *Intent) (left []error) {
	head := w.scope.Present()
	for i := range in.files {
		p := &in.files[i]
		at, have := w.look(p)
		if at != atNext && at != torn {
			continue
		}
		err := w.scope.Root.Sweep(p.path)
		var old *corpus.Write
		if err == nil {
			old, err = w.scope.Root.Stage(p.path, have, p.before(head), nil)
		}
		if err == nil {
			err = old.Apply()
		}
		if err != nil {
			left = append(left, err)
		}
	}
	return left
}

// finish makes the commits of an intent whose files are all written.
func (w *Writer) finish(ctx context.Context, tx *chain.Tx, in *Intent) error {
	if err := in.grow(w.scope.Root, w.scope.Present()); err != nil {
		return err
	}
	all, err := &chain.Steps{}, error(nil)
	if len(in.steps) > 1 || len(in.steps[0].Splices) > 0 {
		err = w.addSteps(ctx, tx, all, in)
	} else {
		err = w.addStep(ctx, tx, all, &in.steps[0], func(draft *graph.Draft) error { return w.putFiles(draft, in) }, in.paths()...)
		if errors.Is(err, errNothing) {
			return w.drop(ctx, tx, in)
		}
	}
	if err != nil {
		return err
	}
	_, err = tx.Publish(ctx, all)
	return err
}

// putFiles puts the present files of an intent of one commit into a draft.
func (w *Writer) putFiles(draft *graph.Draft, in *Intent) error {
	for _, p := range in.files {
		switch {
		case p.next.IsZero():
			draft.Drop(p.path)
		case p.fileless():
			draft.Put(p.path, document.File(*p.torn, p.mode == opaqueMode))
		default:
			text, f, err := w.scope.Root.Read(p.path, 0)
			if err != nil {
				return err
			}
			draft.Put(p.path, document.File(text, f.Opaque))
		}
	}
	return nil
}

// drop records that an announced operation was abandoned.
func (w *Writer) drop(ctx context.Context, tx *chain.Tx, in *Intent) error {
	return tx.Mark(ctx, chain.DroppedMark(in.steps[0].Commit.Op))
}

// PathsOf names the files that an intent writes, the first three if there are more.
func PathsOf(in *Intent) string {
	var names []string
	for i := range in.files {
		if in.files[i].touched() {
			names = append(names, in.files[i].path)
		}
	}
	return scope.Abbreviate(names, "")
}
