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
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/query"
)

// ref is a parsed reference to a moment.
type ref struct {
	text  string
	index int       // of a snapshot, -1 for none
	seq   uint64    // number of a commit
	until time.Time // the last commit at or before
	head  bool
}

// parseRef parses a reference: "head", a snapshot's index, seq:N, a day (2026-11-20, fri) or
// a time as in RFC 3339; anything else is a name or a prefix of a commit's digest.
func parseRef(text string, now func() time.Time) ref {
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
	if _, end, ok := periodOf(text, now); ok {
		r.until = end.Add(-time.Millisecond)
	}
	return r
}

// periodOf parses a time, or a day as a person types it, fri for the last Friday: when it begins and ends.
func periodOf(text string, now func() time.Time) (begin, end time.Time, ok bool) {
	for _, l := range timeLayouts {
		if t, err := time.ParseInLocation(l.layout, strings.Replace(text, " ", "T", 1), time.Local); err == nil {
			if t.Nanosecond() != 0 {
				l.lasts = time.Millisecond
			}
			return t, t.Add(l.lasts), true
		}
	}
	day, ok := query.ParseDay(text, now().Local(), true)
	begin = time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, time.Local)
	return begin, begin.AddDate(0, 0, 1), ok
}

// timeLayouts are the accepted forms of a time, the T also a blank, and how long what each names lasts: the
// log shows no milliseconds, and a time copied from it must find its commit.
var timeLayouts = []struct {
	layout string
	lasts  time.Duration
}{
	{"2006-01-02T15:04", time.Minute},
	{"2006-01-02T15:04:05", time.Second},
	{time.RFC3339, time.Second},
}

func (r ref) isName() bool {
	return !r.head && r.index == -1 && r.seq == 0 && r.until.IsZero() &&
		!strings.HasPrefix(r.text, "seq:") && !strings.HasPrefix(r.text, "-") && !strings.HasPrefix(r.text, "bafyrei")
}

// resolve finds the commit that a reference names.
func resolve(ctx context.Context, h *History, text string) (uint64, error) {
	seq, err := findMoment(ctx, h, text)
	return seq, unlessDamaged(h, err)
}

// unlessDamaged turns NotFound into Corrupt if the history is damaged, since the moment
// may have existed.
func unlessDamaged(h *History, err error) error {
	e, ok := errors.AsType[*fault.Error](err)
	if damage := h.scope.Chain.Store().Err(); ok && e.Kind == fault.NotFound && errors.Is(damage, store.ErrCorrupt) {
		return &fault.Error{Op: e.Op, What: e.What, Kind: fault.Corrupt, Err: fmt.Errorf("not found, and the history is damaged: %w", damage)}
	}
	return err
}

// findMoment is resolve for an undamaged history.
func findMoment(ctx context.Context, h *History, text string) (uint64, error) {
	r, list := parseRef(text, h.scope.Options.Now), h.snapshotList()
	head := h.scope.Chain.Head().Commit.Seq
	switch {
	case r.head:
		return head, nil
	case r.index < -1:
		return 0, fault.Errorf("history", text, fault.Invalid, "a snapshot's index is 0 or more")
	case r.index >= 0 && r.index < len(list):
		return list[r.index].seq, nil
	case r.index >= 0:
		return 0, fault.Errorf("history", text, fault.NotFound, "no snapshot of that index; there are %d, see fovea snapshot list", len(list))
	case r.seq > 0 && r.seq <= head:
		return r.seq, nil
	case r.isName():
		for _, k := range list {
			if k.name == text {
				return k.seq, nil
			}
		}
	}
	return searchMoment(ctx, h, r, head)
}

// searchMoment finds a commit by date, or by a prefix of its digest or its state's. A prefix
// that fits several states is Ambiguous.
//
// Commit times never decrease, so a date costs the commits since.
func searchMoment(ctx context.Context, h *History, r ref, head uint64) (uint64, error) {
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
			return 0, fault.Errorf("history", r.text, fault.Ambiguous,
				"begins the digests of several commits, such as seq:%d and seq:%d; give more of it", c.Seq, newest.Seq)
		}
	}
	return newest.Seq, nil
}

// minDigest is the length of the shortest digest prefix that names a commit: all digests
// begin with the same seven characters.
const minDigest = 8
