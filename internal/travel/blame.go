// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package travel

import (
	"context"
	"errors"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// Blame is that of fovea.History.
func (h *History) Blame(ctx context.Context, v *view.View, id string) (lines []string, by, gone []chain.Commit, err error) {
	defer h.scope.Chain.Reading()()
	head := h.scope.Chain.Head()
	if v == nil {
		v = head.Derived.(*view.View)
	}
	asked := id // for errors, because the caller may not be allowed to see the present id
	if id, err = h.scope.Chain.CurrentID(ctx, head, id); err != nil {
		return nil, nil, nil, fault.Wrap("blame", asked, fault.Corrupt, err)
	}
	n, ok := v.Get(id)
	if !ok {
		return nil, nil, nil, fault.Errorf("blame", asked, fault.NotFound, "no such node now; fovea log shows when it left")
	}
	b := blame{history: h, lines: text.SplitLines(n.Content)}
	if _, err = h.scope.Chain.Trail(ctx, id, 1, head.Commit.Seq, func(s *chain.Step) error {
		if s.After != nil && (s.Before == nil || s.Before.Own != s.After.Own) { // a move adds no version
			b.versions = append(b.versions, textVersion{own: s.After.Own, by: chain.Summary(s.Commit)})
		}
		return nil
	}); err == nil {
		err = b.trace()
	}
	if err != nil {
		return nil, nil, nil, fault.Wrap("blame", asked, fault.Corrupt, err)
	}
	return b.lines, b.by, b.gone, nil
}

// blame traces lines back through the versions of a node's text.
type blame struct {
	history  *History
	lines    []string       // of the present
	by       []chain.Commit // of each line
	gone     []chain.Commit
	versions []textVersion // newest first
}

// textVersion is a text that a commit introduced.
type textVersion struct {
	own    merkle.Digest
	by     chain.Commit
	lines  []string     // loaded on demand
	traced []tracedLine // its lines that may be older
}

// tracedLine is a line of a version, with its index in the present text.
type tracedLine struct{ at, now int }

// load reads the text of a version and reports whether history still has it. If not, it adds the
// commit to gone.
func (b *blame) load(v *textVersion) (bool, error) {
	if v.lines != nil {
		return true, nil
	}
	n, err := node.ReadOwn(v.own, b.history.scope.Chain.Block)
	if errors.Is(err, graph.ErrGone) {
		b.gone = append(b.gone, v.by)
		return false, nil
	}
	if err != nil {
		return false, err
	}
	v.lines = text.SplitLines(n.Content)
	return true, nil
}

// trace attributes each line to the commit of the oldest version that has it. A line that a
// rollback restored may come from any earlier version.
func (b *blame) trace() error {
	b.by = make([]chain.Commit, len(b.lines))
	if len(b.versions) == 0 {
		return chain.ErrNoCommit
	}
	oldest := map[merkle.Digest]int{}
	for k := range b.versions {
		oldest[b.versions[k].own] = k
	}
	first := &b.versions[0]
	first.lines = b.lines
	for i := range b.lines {
		first.traced = append(first.traced, tracedLine{i, i})
	}
	for k := range b.versions {
		v := &b.versions[k]
		if len(v.traced) == 0 {
			continue
		}
		if same := oldest[v.own]; same != k {
			b.versions[same].lines = v.lines
			b.versions[same].traced = append(b.versions[same].traced, v.traced...)
		} else if err := b.passOnFrom(k); err != nil {
			return err
		}
		v.lines, v.traced = nil, nil
	}
	return nil
}

// passOnFrom passes the traced lines of version k to older versions, and attributes the rest to its commit.
func (b *blame) passOnFrom(k int) error {
	v := &b.versions[k]
	left := v.traced
	written := v.by.Kind == graph.KindEdit || v.by.Kind == graph.KindIngest
	for j := k + 1; j < len(b.versions) && len(left) > 0; j++ {
		there, err := b.load(&b.versions[j])
		if err != nil {
			return err
		}
		if there {
			left = passOn(v, &b.versions[j], left)
			if written {
				break
			}
		}
	}
	for _, t := range left {
		b.by[t.now] = v.by
	}
	return nil
}

// passOn moves the lines that an older version also has to that version, and returns the others.
func passOn(from, to *textVersion, lines []tracedLine) (left []tracedLine) {
	same := make([]int, len(from.lines)) // the equal line of the older version, plus one
	at, was := 0, 0
	equal := func(end int) {
		for ; at < end; at, was = at+1, was+1 {
			same[at] = was + 1
		}
	}
	for _, h := range text.Diff(to.lines, from.lines) {
		equal(h.NewStart)
		at, was = h.NewEnd, h.End
	}
	equal(len(from.lines))
	for _, t := range lines {
		if same[t.at] == 0 {
			left = append(left, t)
		} else {
			to.traced = append(to.traced, tracedLine{same[t.at] - 1, t.now})
		}
	}
	return left
}
