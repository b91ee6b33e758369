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

// settle ends an operation that a crash has cut short: where all its files are
// written, the commit is made as it was meant; else those that are written get
// their old bytes back, so that it happened wholly or not at all. A file that
// holds something else was written by somebody since: it is left, and the next
// scan reads it. A crash in settle is as one before it.
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

// place says what a file of an intent holds.
type place int

const (
	elsewhere place = iota // something else, or it cannot be read
	atBase
	atNext
	asMeant // base and next are one, and it is there
	torn    // a mixture that a crash left of writing in place
)

// look reads a file of an intent.
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
	case p.torn != nil && err == nil && corpus.Torn(text, p.before(m.View().state).Text, *p.torn):
		return torn, have
	}
	return elsewhere, have
}

// leftover is a file that could not get its old bytes back.
type leftover struct {
	path string
	err  error
}

func (l leftover) told() string {
	return strings.ReplaceAll(l.err.Error(), "corpus: ", "")
}

// settled reports whether trying again would not help: somebody has it now.
func (l leftover) settled() bool {
	return errors.Is(l.err, corpus.ErrBusy) || errors.Is(l.err, corpus.ErrChanged) || errors.Is(l.err, corpus.ErrVanished)
}

// takeBack gives the files that an operation has written their old bytes, and
// returns those that it could not.
func (m *Memory) takeBack(in *intent) []leftover {
	var left []leftover
	head := m.View().state
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
	head := m.View()
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
	m.dropUnusedSetups(head.state, draft)
	state, delta := draft.Seal()
	if delta.Empty() {
		return m.drop(ctx, in)
	}
	if _, err := m.commit(ctx, state, &delta, in.commit, append(m.driftMarks(in.paths(), nil), in.marks...)...); err != nil {
		return err
	}
	return m.syncFiles(in.commit.Kind)
}

// finishSteps makes the commits of an intent that has several.
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
		_, err = m.chain.Held().Publish(ctx, all)
	}
	if err != nil {
		return err
	}
	return m.syncFiles(in.commit.Kind)
}

// draft begins the next state on top of the head, at a time in Unix
// milliseconds.
func (m *Memory) draft(now int64) *graph.Draft { return m.View().state.Edit(now) }

// drop notes that an announced operation will not be.
func (m *Memory) drop(ctx context.Context, in *intent) error {
	return m.chain.Held().Mark(ctx, chain.DroppedMark(in.commit.Op))
}

// pathsOf names the files that an intent writes, a few of many.
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
