// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
)

// settle completes or rolls back an operation that a crash interrupted. If all its files are
// written, settle makes the intended commit; otherwise it restores the old bytes of the
// written files. A file with other contents was changed by another program since: settle
// leaves it alone, and the next scan reads it. A crash during settle is handled the same way.
func (m *Memory) settle(ctx context.Context, in *intent) error {
	count := map[place]int{}
	for i := range in.files {
		at, _ := m.look(&in.files[i])
		count[at]++
	}
	what := fmt.Sprintf("the %s of %s", in.commit.Kind, pathsOf(in))
	switch {
	case count[atNext]+count[asMeant] == len(in.files):
		m.recovered = "finished " + what + ", which was cut short after its files were written"
		return m.finish(ctx, in)
	case count[atNext]+count[torn]+count[elsewhere] == 0:
		return m.drop(ctx, in) // it never began
	}
	left := m.takeBack(in)
	m.recovered = "took back " + what + ", which was cut short between its files"
	again := false
	for _, l := range left {
		m.recovered += "; left " + l.told()
		again = again || !l.settled()
	}
	if count[elsewhere] > 0 {
		m.recovered += "; a file that changed since is read as it is"
	}
	if again { // still announced: the next opening tries again
		m.chain.Store().Stop(fmt.Errorf("%s; mend that and open the memory again", m.recovered))
		return nil
	}
	return m.drop(ctx, in)
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
func (m *Memory) look(p *plan) (place, merkle.Digest) {
	text, _, err := m.root.Read(p.path, 0)
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
	case p.torn != nil && err == nil && corpus.Torn(text, p.before(m.present()).Text, *p.torn):
		return torn, have
	}
	return elsewhere, have
}

// leftover is a file whose old bytes could not be restored.
type leftover struct {
	path string
	err  error
}

func (l leftover) told() string {
	return strings.ReplaceAll(l.err.Error(), "corpus: ", "")
}

// settled reports whether a retry is pointless: a program holds, changed or removed the file.
func (l leftover) settled() bool {
	return errors.Is(l.err, corpus.ErrBusy) || errors.Is(l.err, corpus.ErrChanged) || errors.Is(l.err, corpus.ErrVanished)
}

// takeBack restores the old bytes of the files that an operation has written, and returns
// those that it could not restore.
func (m *Memory) takeBack(in *intent) []leftover {
	var left []leftover
	head := m.present()
	for i := range in.files {
		p := &in.files[i]
		at, have := m.look(p)
		if at != atNext && at != torn {
			continue
		}
		err := m.root.Sweep(p.path)
		var w *corpus.Write
		if err == nil {
			w, err = m.root.Stage(p.path, have, p.before(head), nil)
		}
		if err == nil {
			err = w.Apply()
		}
		if err != nil {
			left = append(left, leftover{p.path, err})
		}
	}
	return left
}

// finish makes the commit of an intent whose files are all written.
func (m *Memory) finish(ctx context.Context, in *intent) error {
	if len(in.steps) > 0 {
		return m.finishSteps(ctx, in)
	}
	head := m.chain.Head()
	draft := m.draft(in.commit.Time)
	for _, p := range in.files {
		if p.next.IsZero() {
			draft.Drop(p.path)
			continue
		}
		text, f, err := m.root.Read(p.path, 0)
		if err != nil {
			return err
		}
		draft.Put(p.path, text, f.Opaque)
	}
	for _, t := range in.trees {
		if t.tree == nil {
			draft.Drop(t.path)
		} else if err := draft.PutTree(t.path, t.tree); err != nil {
			return err
		}
	}
	m.dropUnusedSetups(head.State, draft)
	state, delta := draft.Seal()
	if delta.Empty() {
		return m.drop(ctx, in)
	}
	if _, err := m.chain.Writer().Commit(ctx, state, &delta, in.commit, append(m.driftMarks(in.paths(), nil), in.marks...)...); err != nil {
		return err
	}
	return m.syncFiles(in.commit.Kind)
}

// finishSteps makes the commits of an intent with several.
func (m *Memory) finishSteps(ctx context.Context, in *intent) error {
	path := in.files[0].path
	text, _, err := m.root.Read(path, 0)
	if err != nil {
		return err
	}
	if in.steps[len(in.steps)-1].length != len(text) {
		return errSteps
	}
	all := &chain.Steps{}
	err = m.addSteps(ctx, all, path, text, in.steps)
	if err == nil {
		_, err = m.chain.Writer().Publish(ctx, all)
	}
	if err != nil {
		return err
	}
	return m.syncFiles(in.commit.Kind)
}

// draft begins the next state on top of the head; now is in Unix milliseconds.
func (m *Memory) draft(now int64) *graph.Draft { return m.present().Edit(now) }

// drop records that an announced operation was abandoned.
func (m *Memory) drop(ctx context.Context, in *intent) error {
	return m.chain.Writer().Mark(ctx, chain.DroppedMark(in.commit.Op))
}

// pathsOf names the files that an intent writes, the first three if there are more.
func pathsOf(in *intent) string {
	var names []string
	for i := range in.files {
		if in.files[i].touched() {
			names = append(names, in.files[i].path)
		}
	}
	const few = 3
	if len(names) > few {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
	}
	return strings.Join(names, ", ")
}
