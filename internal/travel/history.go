// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package travel

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// Log lists commits, newest first, at most limit (0: all). With an id it lists those that
// changed that node, through renames and moves; an earlier id works too, unless another
// node has it now. Errors: NotFound (the history has no such node). O(commits listed);
// with an id, a read for each commit.
func (h *History) Log(ctx context.Context, id string, limit int) ([]chain.Commit, error) {
	defer h.scope.Chain.Reading()()
	at := h.scope.Chain.Head()
	var out []chain.Commit
	take := func(c *graph.Commit, changes int) error {
		s := chain.Summary(c)
		s.Changes = changes
		if out = append(out, s); len(out) == limit {
			return chain.ErrStop
		}
		return nil
	}
	if id == "" {
		all := ""
		err := h.scope.Chain.About(ctx, &all, store.Span{From: 1, To: at.Commit.Seq, Backward: true}, func(c *graph.Commit) error { return take(c, len(c.Delta)) })
		return out, fault.Wrap("log", "", fault.Corrupt, err)
	}
	last, err := h.scope.Chain.CurrentID(ctx, at, id)
	if err == nil {
		_, err = h.scope.Chain.Trail(ctx, last, 1, at.Commit.Seq, func(s *chain.Step) error { return take(s.Commit, 1) })
	}
	switch {
	case err != nil:
		return nil, fault.Wrap("log", id, fault.Corrupt, err)
	case len(out) == 0:
		return nil, fault.Wrap("log", id, fault.NotFound, errors.New("no such node in the history"))
	}
	return out, nil
}

// At returns the view of an earlier moment, named as in Rollback: a snapshot's index or
// name, a commit, a date, or "head". It does not wait for writers. Errors: NotFound, also
// if content of that moment was purged or thinned.
func (h *History) At(ctx context.Context, ref string) (*view.View, error) {
	defer h.scope.Chain.Reading()()
	seq, err := h.resolve(ctx, ref)
	if err != nil {
		return nil, err
	}
	at, err := h.scope.Chain.At(ctx, seq)
	if err != nil {
		return nil, fault.Wrap("history", ref, scope.GoneKind(err), err)
	}
	return at.Derived.(*view.View), nil
}

// ref is a parsed reference to a moment.
type ref struct {
	text  string
	index int       // of a snapshot, -1 for none
	seq   uint64    // number of a commit
	until time.Time // the last commit at or before
	head  bool
}

// parseRef parses a reference: "head", a snapshot's index, seq:N, a date (2026-11-20, or
// with a time as in RFC 3339); anything else is a name or a prefix of a commit's digest.
func parseRef(text string) ref {
	r := ref{text: text, index: -1}
	if text == "head" || text == "HEAD" {
		r.head = true
		return r
	}
	if n, err := strconv.Atoi(text); err == nil {
		if r.index = n; n < 0 {
			r.index = -2 // -1 means none
		}
		return r
	}
	if s, ok := strings.CutPrefix(text, "seq:"); ok {
		r.seq, _ = strconv.ParseUint(s, 10, 64)
		return r
	}
	for _, l := range timeLayouts {
		if t, err := time.ParseInLocation(l.layout, text, time.Local); err == nil {
			r.until = l.end(t).Add(-time.Millisecond)
			return r
		}
	}
	return r
}

// timeLayouts are the accepted forms of a time. Each means the end of the day, minute or
// second it names: the log shows no milliseconds, and a time copied from it must find its
// commit.
var timeLayouts = []struct {
	layout string
	end    func(time.Time) time.Time
}{
	{time.DateOnly, func(t time.Time) time.Time { return t.AddDate(0, 0, 1) }},
	{"2006-01-02T15:04", func(t time.Time) time.Time { return t.Add(time.Minute) }},
	{"2006-01-02 15:04", func(t time.Time) time.Time { return t.Add(time.Minute) }},
	{"2006-01-02T15:04:05", endOfSecond},
	{"2006-01-02 15:04:05", endOfSecond},
	{time.RFC3339, endOfSecond},
}

// endOfSecond returns the end of the second, or of the millisecond if t has any.
func endOfSecond(t time.Time) time.Time {
	if t.Nanosecond() != 0 {
		return t.Add(time.Millisecond)
	}
	return t.Add(time.Second)
}

func (r ref) isName() bool {
	return !r.head && r.index == -1 && r.seq == 0 && r.until.IsZero() &&
		!strings.HasPrefix(r.text, "seq:") && !strings.HasPrefix(r.text, "-") && !strings.HasPrefix(r.text, "bafyrei")
}

// resolve finds the commit that a reference names.
func (h *History) resolve(ctx context.Context, text string) (uint64, error) {
	seq, err := h.find(ctx, text)
	return seq, h.unlessDamaged(err)
}

// unlessDamaged turns NotFound into Corrupt if the history is damaged, since the moment
// may have existed.
func (h *History) unlessDamaged(err error) error {
	e, ok := errors.AsType[*fault.Error](err)
	if damage := h.scope.Chain.Store().Err(); ok && e.Kind == fault.NotFound && errors.Is(damage, store.ErrCorrupt) {
		return &fault.Error{Op: e.Op, What: e.What, Kind: fault.Corrupt, Err: fmt.Errorf("not found, and the history is damaged: %w", damage)}
	}
	return err
}

// find is resolve for an undamaged history.
func (h *History) find(ctx context.Context, text string) (uint64, error) {
	r := parseRef(text)
	head := h.scope.Chain.Head().Commit.Seq
	list := h.snapshotList()
	switch {
	case r.head:
		return head, nil
	case r.index < -1:
		return 0, fault.Wrap("history", text, fault.Invalid, errors.New("a snapshot's index is 0 or more"))
	case r.index >= 0 && r.index < len(list):
		return list[r.index].seq, nil
	case r.index >= 0:
		return 0, fault.Wrap("history", text, fault.NotFound, fmt.Errorf("no snapshot of that index; there are %d, see fovea snapshot list", len(list)))
	case r.seq > 0 && r.seq <= head:
		return r.seq, nil
	case r.isName():
		for _, k := range list {
			if k.name == text {
				return k.seq, nil
			}
		}
	}
	return h.search(ctx, r, head)
}

// search finds a commit by date, or by a prefix of its digest or its state's. A prefix
// that fits several states is Ambiguous.
//
// Commit times never decrease, so a date costs the commits since.
func (h *History) search(ctx context.Context, r ref, head uint64) (uint64, error) {
	var found []chain.Commit
	all := ""
	err := h.scope.Chain.About(ctx, &all, store.Span{From: 1, To: head, Backward: true}, func(c *graph.Commit) error {
		switch {
		case !r.until.IsZero():
			if !c.When().After(r.until) {
				found = []chain.Commit{chain.Summary(c)}
				return chain.ErrStop
			}
		case len(r.text) >= minDigest && (strings.HasPrefix(c.Digest.String(), r.text) || strings.HasPrefix(c.State.String(), r.text)):
			found = append(found, chain.Summary(c))
		}
		return nil
	})
	switch {
	case err != nil:
		return 0, fault.Wrap("history", r.text, fault.Corrupt, err)
	case len(found) == 0:
		return 0, fault.Wrap("history", r.text, fault.NotFound, chain.ErrNoCommit)
	}
	newest := found[0]
	for _, c := range found {
		if c.Root != newest.Root {
			return 0, fault.Wrap("history", r.text, fault.Ambiguous, fmt.Errorf(
				"begins the digests of several commits, such as seq:%d and seq:%d; give more of it", c.Seq, newest.Seq))
		}
	}
	return newest.Seq, nil
}

// minDigest is the length of the shortest digest prefix that names a commit: all digests
// begin with the same seven characters.
const minDigest = 8

// Version returns an earlier version of a node by its own digest or version, with its id
// and place at that time. Errors: NotFound.
func (h *History) Version(ctx context.Context, id string, d merkle.Digest) (*node.Node, error) {
	defer h.scope.Chain.Reading()()
	var entry *node.Entry
	then := ""
	at := h.scope.Chain.Head()
	last, err := h.scope.Chain.CurrentID(ctx, at, id)
	if err == nil {
		var kids []string // after the current step
		if n, ok := at.State.Get(last); ok {
			kids = n.Kids
		}
		_, err = h.scope.Chain.Trail(ctx, last, 1, at.Commit.Seq, func(s *chain.Step) (err error) {
			if s.After != nil && (s.After.Own == d || s.After.Version == d) {
				whole := *s.After
				whole.Kids = kids
				entry, then = &whole, s.Is
				return chain.ErrStop
			}
			kids, err = s.ChildrenBefore(kids)
			return err
		})
	}
	if err != nil {
		return nil, fault.Wrap("history", id, fault.Corrupt, err)
	}
	if entry == nil {
		return nil, fault.Wrap("history", id, fault.NotFound, fmt.Errorf("no version %s of this node", d))
	}
	n, err := h.scope.Chain.Version(ctx, entry.Own)
	if err != nil {
		return nil, fault.Wrap("history", id, scope.GoneKind(err), err)
	}
	n = n.Place(then, *entry)
	node.DeriveAlone(h.scope.Options.Formats, n)
	return n, nil
}

// Was returns the id that a present node had at an earlier moment, "" if it did not exist
// then. Errors: Corrupt. Each commit since costs a read.
func (h *History) Was(ctx context.Context, id string, at *view.View) (string, error) {
	defer h.scope.Chain.Reading()()
	now := h.scope.Chain.Head()
	id, err := h.scope.Chain.CurrentID(ctx, now, id)
	if err == nil {
		id, err = h.scope.Chain.Trail(ctx, id, at.Head().Seq+1, now.Commit.Seq, func(*chain.Step) error { return nil })
	}
	if err != nil {
		return "", fault.Wrap("history", id, fault.Corrupt, err)
	}
	if _, ok := at.Get(id); !ok {
		return "", nil
	}
	return id, nil
}
