// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
)

// maxOpBytes is the maximum length of an operation key.
const maxOpBytes = 200

// repeated returns the commit of an earlier operation with the same key and kind, or nil; a
// dry run repeats none.
// Every operation that commits calls it, so it also denies an agent without rights. The
// caller is the chain's writer.
func (m *Memory) repeated(ctx context.Context, opts *WriteOptions, name, kind string) (*graph.Commit, error) {
	if a := m.actor(ctx); a.Author.Kind == author.Agent && a.May == nil {
		return nil, fail(name, "", Denied, errNoRights)
	}
	key := opts.Key
	if key == "" || opts.DryRun {
		return nil, nil
	}
	want := m.entry(ctx, key, kind, "", 0)
	if len(want.Op) > maxOpBytes {
		return nil, fail(name, "", Invalid, fmt.Errorf("an op is at most %d bytes long", maxOpBytes))
	}
	first, err := m.chain.Writer().FirstOf(ctx, want.Op)
	if err != nil {
		return nil, fail(name, m.state, Corrupt, err)
	}
	if first == nil {
		return nil, nil
	}
	if first.Kind != kind || first.Author != want.Author {
		return nil, fail(name, key, Conflict,
			fmt.Errorf("the op is that of commit %d already, of the kind %s by %s", first.Seq, first.Kind, first.Author))
	}
	return first, nil
}

// Done reports whether an operation with the key has already made a commit of this kind, and
// returns the node that it edited, by its id at the time: a retry cannot find a node by its
// old title, or one that the operation removed. Errors: those of the operation, Conflict if
// another operation has used the key.
func (m *Memory) Done(ctx context.Context, key, kind string) (id string, done bool, err error) {
	defer m.chain.Begin().End()
	first, err := m.repeated(ctx, &WriteOptions{Key: key}, "op", kind)
	if first == nil || err != nil {
		return "", false, err
	}
	return subject(first), true, nil
}

// subject returns the id of the node that an edit was about: an added one, else one with a
// changed text or place, else a removed one.
func subject(c *graph.Commit) string {
	if id := inserted(c); id != "" {
		return id
	}
	moved, left, gone := "", "", map[string]bool{}
	for i := range c.Delta {
		switch r := &c.Delta[i]; {
		case r.New == nil:
			gone[r.ID] = true
		case r.Old != nil && r.Old.Own != r.New.Own:
			return r.ID
		case r.Old != nil && (r.Old.Parent != r.New.Parent || r.Old.Path != r.New.Path) && moved == "":
			moved = r.ID
		}
	}
	for i := range c.Delta {
		if r := &c.Delta[i]; gone[r.ID] && !gone[r.Old.Parent] {
			left = r.ID
		}
	}
	return cmp.Or(moved, left)
}

// answered replays the result of an operation's first commit; zero for nil.
func (m *Memory) answered(first *graph.Commit, answer func(*graph.Commit)) Commit {
	if first == nil {
		return Commit{}
	}
	if answer != nil {
		answer(first)
	}
	c := chain.Summary(first)
	if head := m.chain.Head().Commit; head.Seq == c.Seq {
		c.Documents = head.Documents
	}
	return c
}

// inserted returns the id of the headline that a commit added: the top one of those added.
func inserted(c *graph.Commit) string {
	came := map[string]bool{}
	for i := range c.Delta {
		if r := &c.Delta[i]; r.Old == nil && r.New.Parent != "" {
			came[r.ID] = true
		}
	}
	for i := range c.Delta {
		if r := &c.Delta[i]; came[r.ID] && !came[r.New.Parent] {
			return r.ID
		}
	}
	return ""
}

// since maps ids to their new ids after a commit.
func since(c *graph.Commit, ids []string) []string {
	now := map[string]string{}
	for _, e := range c.Lineage {
		now[e.Old] = e.New
	}
	out := slices.Clone(ids)
	for i, id := range out {
		if id, ok := now[id]; ok {
			out[i] = id
		}
	}
	return out
}

// files lists the files that a commit changed, sorted.
func files(c *graph.Commit) []string {
	paths := map[string]bool{}
	for i := range c.Delta {
		if r := &c.Delta[i]; r.Old != nil {
			paths[r.Old.Path] = true
		}
		if r := &c.Delta[i]; r.New != nil {
			paths[r.New.Path] = true
		}
	}
	return slices.Sorted(maps.Keys(paths))
}

// counted parses the numbers in a message such as "3 moments thinned, 1 block dropped", in
// order; missing numbers are 0.
func counted(message string, into ...*int) {
	for part := range strings.SplitSeq(message, ", ") {
		if len(into) == 0 {
			return
		}
		_, _ = fmt.Sscan(part, into[0])
		into = into[1:]
	}
}

var errClosed = errors.New("the memory is closed")
