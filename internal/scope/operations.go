// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package scope

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
)

// maxOpBytes is the maximum length of an operation key.
const maxOpBytes = 200

// Repeated returns the commit of an earlier operation with the same key and kind, or nil; a
// dry run repeats none.
// Every operation that commits calls it, so it also denies an agent without rights. The
// caller is the chain's writer.
func (s *Scope) Repeated(ctx context.Context, opts *WriteOptions, name, kind string) (*graph.Commit, error) {
	if a := s.Actor(ctx); a.Author.Kind == author.Agent && a.May == nil {
		return nil, fault.Wrap(name, "", fault.Denied, ErrNoRights)
	}
	key := opts.Key
	if key == "" || opts.DryRun {
		return nil, nil
	}
	want := s.Entry(ctx, key, kind, "", 0)
	if len(want.Op) > maxOpBytes {
		return nil, fault.Wrap(name, "", fault.Invalid, fmt.Errorf("an op is at most %d bytes long", maxOpBytes))
	}
	first, err := s.Chain.Writer().FirstOf(ctx, want.Op)
	if err != nil {
		return nil, fault.Wrap(name, s.StateDir, fault.Corrupt, err)
	}
	if first == nil {
		return nil, nil
	}
	if first.Kind != kind || first.Author != want.Author {
		return nil, fault.Wrap(name, key, fault.Conflict,
			fmt.Errorf("the op is that of commit %d already, of the kind %s by %s", first.Seq, first.Kind, first.Author))
	}
	return first, nil
}

// Subject returns the id of the node that an edit was about: an added one, else one with a
// changed text or place, else a removed one.
func Subject(c *graph.Commit) string {
	if id := Inserted(c); id != "" {
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

// Replay returns the result of an operation's first commit; zero for nil.
func (s *Scope) Replay(first *graph.Commit, answer func(*graph.Commit)) chain.Commit {
	if first == nil {
		return chain.Commit{}
	}
	if answer != nil {
		answer(first)
	}
	c := chain.Summary(first)
	if head := s.Chain.Head().Commit; head.Seq == c.Seq {
		c.Documents = head.Documents
	}
	return c
}

// Inserted returns the id of the headline that a commit added: the top one of those added.
func Inserted(c *graph.Commit) string {
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

// Since maps ids to their new ids after a commit.
func Since(c *graph.Commit, ids []string) []string {
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

// Files lists the files that a commit changed, sorted.
func Files(c *graph.Commit) []string {
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

// Counted parses the numbers in a message such as "3 moments thinned, 1 block dropped", in
// order; missing numbers are 0.
func Counted(message string, into ...*int) {
	for part := range strings.SplitSeq(message, ", ") {
		if len(into) == 0 {
			return
		}
		_, _ = fmt.Sscan(part, into[0])
		into = into[1:]
	}
}
