// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"fmt"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// merger is the author of all merges, so that merging the same commits gives the same
// commit on every machine.
var merger = author.Author{Kind: author.Fovea}

// Tip is a commit with the state it made.
type Tip struct {
	Commit *Commit
	State  *State
}

// MergeCommits merges two states with a common base and returns the merge commit, which Encode completes, with
// its state, delta and conflicts. They depend only on the two commits, not on their order. The delta is
// relative to the first parent, that with the smaller digest, whose number the commit follows; its times of
// modification are that of the commit, because each machine has its own. The cost is that of Merge.
func MergeCommits(base *State, a, b Tip) (*Commit, *State, Delta, []document.Conflict) {
	if b.Commit.Digest.Compare(a.Commit.Digest) < 0 {
		a, b = b, a
	}
	side := func(t Tip) Side {
		c := t.Commit
		return Side{State: t.State, Who: fmt.Sprintf("%s, commit %s", c.Author, c.Digest), Time: c.Time, Digest: c.Digest}
	}
	now := max(a.Commit.Time, b.Commit.Time)
	draft, conflicts := Merge(base, side(a), side(b), now)
	state, delta := draft.Seal()
	parents := []merkle.Digest{a.Commit.Digest, b.Commit.Digest}
	return &Commit{
		Seq: a.Commit.Seq + 1, Parents: parents, State: state.Root(), Delta: timed(delta.Records(), now), Lineage: delta.Lineage,
		Kind: KindMerge, Author: merger, Op: merkle.Sum([]byte(parents[0].String() + parents[1].String())).String(), Time: now,
		Message: fmt.Sprintf("commits %d and %d", a.Commit.Seq, b.Commit.Seq),
	}, state, delta, conflicts
}

// timed sets the time of modification of records.
func timed(records []Record, now int64) []Record {
	at := func(e *node.Entry) *node.Entry {
		if e == nil {
			return nil
		}
		alone := *e
		alone.Modified = now
		return &alone
	}
	for i, r := range records {
		records[i].Old, records[i].New = at(r.Old), at(r.New)
	}
	return records
}

// MergeFile merges two versions of the file at path with a common base, as Merge does, outside
// any memory and without setup files. The version with the greater digest wins, so that
// the result does not depend on their order; who returns the name of a version for
// conflicts. It returns the text and the conflicts.
func MergeFile(formats document.Formats, path, base, a, b string, who func(text string) string) (string, []document.Conflict) {
	state := func(text string) *State {
		d := Empty(formats).Edit(0)
		d.Put(path, document.File(text, false))
		s, _ := d.Seal()
		return s
	}
	side := func(text string) Side {
		return Side{State: state(text), Who: who(text), Digest: merkle.Sum([]byte(text))}
	}
	d, conflicts := Merge(state(base), side(a), side(b), 0)
	merged, _ := d.Seal()
	text, _ := merged.Text(path)
	return text, conflicts
}
