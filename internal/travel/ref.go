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

// periodOf parses a time, or a day as a person types it, such as fri for the last Friday. It returns its beginning and end.
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

// timeLayouts are the accepted forms of a time, in which a blank may replace the T, with the length of the period
// that each names: the log shows no milliseconds, and a time copied from it must find its commit.
var timeLayouts = []struct {
	layout string
	lasts  time.Duration
}{
	{"2006-01-02T15:04", time.Minute},
	{"2006-01-02T15:04:05", time.Second},
	{time.RFC3339, time.Second},
}

// isName reports whether a text can only be the name of a snapshot, not another reference.
func isName(text string, now func() time.Time) bool {
	_, err := strconv.Atoi(text)
	_, _, isTime := periodOf(text, now)
	return err != nil && !isTime && text != "head" && text != "HEAD" && !strings.HasPrefix(text, "seq:") &&
		!strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "bafyrei")
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

// findMoment is resolve for an undamaged history. A reference is head, a snapshot's index, seq:N, a day
// (2026-11-20, fri) or a time as in RFC 3339; else the name of a snapshot or a prefix of a commit's digest.
func findMoment(ctx context.Context, h *History, text string) (uint64, error) {
	list, head := h.snapshotList(), h.scope.Chain.Head().Commit.Seq
	if text == "head" || text == "HEAD" {
		return head, nil
	}
	switch index, err := strconv.Atoi(text); {
	case err != nil:
	case index < 0:
		return 0, fault.Errorf("history", text, fault.Invalid, "a snapshot's index is 0 or more")
	case index >= len(list):
		return 0, fault.Errorf("history", text, fault.NotFound, "no snapshot of that index; there are %d, see fovea snapshot list", len(list))
	default:
		return list[index].seq, nil
	}
	number, _ := strings.CutPrefix(text, "seq:")
	if seq, err := strconv.ParseUint(number, 10, 64); err == nil && seq > 0 && seq <= head {
		return seq, nil
	}
	if _, end, isTime := periodOf(text, h.scope.Options.Now); isTime {
		return searchMoment(ctx, h, text, end.Add(-time.Millisecond))
	}
	for _, k := range list {
		if k.name == text && isName(text, h.scope.Options.Now) {
			return k.seq, nil
		}
	}
	return searchMoment(ctx, h, text, time.Time{})
}

// searchMoment finds the last commit at or before a time or, if that is zero, by a prefix of its digest or
// of its state's. A prefix of several states is Ambiguous. Commit times never decrease, so finding a date
// takes O(commits since).
func searchMoment(ctx context.Context, h *History, text string, until time.Time) (uint64, error) {
	var found []chain.Commit
	all := ""
	err := h.scope.Chain.About(ctx, &all, store.Span{From: 1, To: h.scope.Chain.Head().Commit.Seq, Backward: true}, func(c *graph.Commit) error {
		switch {
		case !until.IsZero():
			if !c.When().After(until) {
				found = []chain.Commit{chain.Summary(c)}
				return chain.ErrStop
			}
		case len(text) >= minDigest && (strings.HasPrefix(c.Digest.String(), text) || strings.HasPrefix(c.State.String(), text)):
			found = append(found, chain.Summary(c))
		}
		return nil
	})
	switch {
	case err != nil:
		return 0, fault.Wrap("history", text, fault.Corrupt, err)
	case len(found) == 0:
		return 0, fault.Wrap("history", text, fault.NotFound, chain.ErrNoCommit)
	}
	newest := found[0]
	for _, c := range found {
		if c.Root != newest.Root {
			return 0, fault.Errorf("history", text, fault.Ambiguous,
				"begins the digests of several commits, such as seq:%d and seq:%d; give more of it", c.Seq, newest.Seq)
		}
	}
	return newest.Seq, nil
}

// minDigest is the length of the shortest digest prefix that names a commit: all digests
// begin with the same seven characters.
const minDigest = 8
