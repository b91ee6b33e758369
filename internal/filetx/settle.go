// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package filetx

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/merkle"
)

// Settle completes or rolls back an operation that a crash interrupted. If all its files are
// written, settle makes the intended commit; otherwise it restores the old bytes of the
// written files. A file with other contents was changed by another program since: settle
// leaves it alone, and the next scan reads it. A crash during settle is handled the same way.
func (files *Files) Settle(ctx context.Context, tx *chain.Tx, in *Intent) error {
	count := map[place]int{}
	for i := range in.files {
		at, _ := files.look(&in.files[i])
		count[at]++
	}
	what := fmt.Sprintf("the %s of %s", in.Commit.Kind, PathsOf(in))
	switch {
	case count[atNext]+count[asMeant] == len(in.files) && files.listed(in):
		files.scope.SetRecovered(tx, "finished "+what+", which was cut short after its files were written")
		return files.finish(ctx, tx, in)
	case count[atNext]+count[torn]+count[elsewhere] == 0:
		return files.drop(ctx, tx, in) // it never began
	}
	left := files.takeBack(in)
	done := []string{"took back " + what + ", which was cut short between its files"}
	again := false
	for _, err := range left { // a program holds, changed or removed the file, or it is worth another try
		done = append(done, "left "+why(err))
		again = again || !slices.ContainsFunc([]error{corpus.ErrBusy, corpus.ErrChanged, corpus.ErrVanished, corpus.ErrNotHere, corpus.ErrNever},
			func(settled error) bool { return errors.Is(err, settled) })
	}
	if count[elsewhere] > 0 {
		done = append(done, "a file that changed since is read as it is")
	}
	recovered := strings.Join(done, "; ")
	files.scope.SetRecovered(tx, recovered)
	if again { // still announced: the next opening tries again
		files.scope.Chain.Store().Stop(fmt.Errorf("%s; mend that and open the memory again", recovered))
		return nil
	}
	return files.drop(ctx, tx, in)
}

// listed reports whether every file that an intent has written is one of this memex.
func (files *Files) listed(in *Intent) bool {
	return !slices.ContainsFunc(in.files, func(p plan) bool {
		text, _, _ := files.scope.Root.Read(p.path, 0)
		verdict, err := corpus.Judge(files.scope.Root, p.path, corpus.HoldsSettings(text), nil)
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
func (files *Files) look(p *plan) (place, merkle.Digest) {
	if p.fileless() {
		return asMeant, p.base
	}
	text, _, err := files.scope.Root.Read(p.path, 0)
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
	case p.torn != nil && err == nil && corpus.Torn(text, p.before(files.scope.Present()).Text, *p.torn):
		return torn, have
	}
	return elsewhere, have
}

// why is an error of a file for the user.
func why(err error) string { return strings.ReplaceAll(err.Error(), "corpus: ", "") }

// takeBack restores the old bytes of the files that an operation has written, and returns
// why it could not restore others.
func (files *Files) takeBack(in *Intent) (left []error) {
	head := files.scope.Present()
	for i := range in.files {
		p := &in.files[i]
		at, have := files.look(p)
		if at != atNext && at != torn {
			continue
		}
		err := files.scope.Root.Sweep(p.path)
		var w *corpus.Write
		if err == nil {
			w, err = files.scope.Root.Stage(p.path, have, p.before(head), nil)
		}
		if err == nil {
			err = w.Apply()
		}
		if err != nil {
			left = append(left, err)
		}
	}
	return left
}

// finish makes the commit of an intent whose files are all written.
func (files *Files) finish(ctx context.Context, tx *chain.Tx, in *Intent) error {
	if len(in.steps) > 0 {
		return files.finishSteps(ctx, tx, in)
	}
	head := files.scope.Chain.Head()
	draft := files.scope.Present().Edit(in.Commit.Time)
	for _, p := range in.files {
		if p.next.IsZero() {
			draft.Drop(p.path)
			continue
		}
		if p.fileless() {
			draft.Put(p.path, document.File(*p.torn, p.mode == opaqueMode))
			continue
		}
		text, f, err := files.scope.Root.Read(p.path, 0)
		if err != nil {
			return err
		}
		draft.Put(p.path, document.File(text, f.Opaque))
	}
	for _, t := range in.trees {
		if t.tree == nil {
			draft.Drop(t.path)
			continue
		}
		parts, err := t.tree.Parts(t.path)
		if err != nil {
			return err
		}
		draft.Put(t.path, parts...)
	}
	files.scope.DropUnusedSetups(head.State, draft)
	state, delta := draft.Seal()
	if delta.Empty() {
		return files.drop(ctx, tx, in)
	}
	if _, err := tx.Commit(ctx, state, &delta, in.Commit, append(files.scope.DriftMarks(in.paths(), nil), in.Marks...)...); err != nil {
		return err
	}
	return files.syncFiles(in.Commit.Kind)
}

// finishSteps makes the commits of an intent with several.
func (files *Files) finishSteps(ctx context.Context, tx *chain.Tx, in *Intent) error {
	all := &chain.Steps{}
	err := files.addAll(ctx, tx, all, in)
	if err == nil {
		_, err = tx.Publish(ctx, all)
	}
	if err != nil {
		return err
	}
	return files.syncFiles(in.Commit.Kind)
}

// addAll adds the commits of an intent with several, whose files are written.
func (files *Files) addAll(ctx context.Context, tx *chain.Tx, all *chain.Steps, in *Intent) error {
	if in.steps[0].Splices != nil {
		return files.addSplices(ctx, tx, all, in)
	}
	path := in.files[0].path
	text, _, err := files.scope.Root.Read(path, 0)
	if err != nil {
		return err
	}
	if in.steps[len(in.steps)-1].Length != len(text) {
		return errSteps
	}
	return files.AddSteps(ctx, tx, all, path, text, in.steps)
}

// drop records that an announced operation was abandoned.
func (files *Files) drop(ctx context.Context, tx *chain.Tx, in *Intent) error {
	return tx.Mark(ctx, chain.DroppedMark(in.Commit.Op))
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
