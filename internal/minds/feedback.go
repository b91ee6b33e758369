// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package minds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/recall"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/write"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/working"
)

// FeedbackSession is the scope that keeps the feedback of a memex.
const FeedbackSession = author.SessionPrefix + "feedback"

// Limits of the entries that are kept, and of those that train the model.
const (
	MaxEntries = 2000 // kept in the session, the owner's before those of agents; history has the others
	MaxOfAgent = 500  // newest entries of one agent that train the model
	MaxOfDay   = 200  // of one agent in a day of UTC
)

// Errors of feedback. Each is the cause of a *fault.Error.
var (
	ErrNeverShown = errors.New("this was not shown for the question; give feedback on notes that were")
	ErrNoWindow   = errors.New("there is no such window; fovea windows lists them")
	ErrNothing    = errors.New("no note is judged; name notes that were useful, or not, or give the text that cites them")
	ErrNotCited   = errors.New("the text cites nothing that was shown, neither by handle nor by id")
	ErrTooMany    = fmt.Errorf("an agent gives feedback at most %d times a day", MaxOfDay)
)

// Feedback stores the feedback of a memex. It is safe for concurrent use.
type Feedback struct {
	host Host

	mu    sync.Mutex
	state *graph.State             // of known and model
	known map[merkle.Digest]*Entry // entries of state, by own digest
	model recall.Model
}

// Model returns the model trained on the present entries. It must not be changed. The first call after a
// change trains it again: O(entries · their nodes · features). An unreadable entry is ignored.
func (l *Feedback) Model(ctx context.Context) recall.Model {
	state, err := l.host.session(ctx, FeedbackSession)
	if err != nil {
		l.host.Log.Warn("feedback cannot be read and is not used", "error", err)
	}
	if state == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.follow(state)
	return l.model
}

// follow updates known and model to a state.
func (l *Feedback) follow(state *graph.State) {
	if state == l.state {
		return
	}
	known := map[merkle.Digest]*Entry{}
	for n := range state.Documents() {
		if _, number := working.FeedbackOf(n.Path); number == 0 {
			continue
		}
		e := l.known[n.Own]
		if e == nil {
			e = entryOf(n)
		}
		if e != nil {
			known[n.Own] = e
		}
	}
	l.state, l.known = state, known
	l.model = recall.Fit(events(sorted(known)), len(recall.FeatureNames))
}

// sorted returns entries in the order of their numbers.
func sorted(known map[merkle.Digest]*Entry) []*Entry {
	return slices.SortedFunc(maps.Values(known), func(a, b *Entry) int { return cmp.Or(cmp.Compare(a.ID, b.ID), strings.Compare(a.By, b.By)) })
}

// surplusEntries chooses n entries to remove: the oldest of agents, and the owner's only if there are no
// others.
func surplusEntries(all []*Entry, n int) map[*Entry]bool {
	gone := map[*Entry]bool{}
	for _, owners := range []bool{false, true} {
		for _, e := range all {
			if len(gone) < n && (e.By == Owner) == owners {
				gone[e] = true
			}
		}
	}
	return gone
}

// events returns the training data of entries, in their order: of each agent only the newest.
func events(all []*Entry) []recall.Event {
	given := map[string]int{}
	var out []recall.Event
	gone := surplusEntries(all, len(all)-MaxEntries)
	for _, e := range slices.Backward(all) {
		if gone[e] || e.Version != recall.FeatureVersion || e.By != Owner && given[e.By] == MaxOfAgent {
			continue
		}
		given[e.By]++
		out = append(out, e.event())
	}
	slices.Reverse(out)
	return out
}

// Entries returns the present entries, oldest first. They must not be changed. Errors: those of opening the
// session.
func (l *Feedback) Entries(ctx context.Context) ([]*Entry, error) {
	state, err := l.host.session(ctx, FeedbackSession)
	if state == nil || err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.follow(state)
	return sorted(l.known), nil
}

// Add numbers an entry and stores it, in one commit, in place of the earlier one by the same author about
// the same question. It then trains the model. Of opts, only Key is used. Errors: Conflict (ErrTooMany),
// Invalid, Denied, ReadOnly.
func (l *Feedback) Add(ctx context.Context, e Entry, opts *scope.WriteOptions) (chain.Commit, error) {
	given := e.Times
	c, err := l.commit(ctx, opts, func(all []*Entry, draft *graph.Draft, at time.Time, next uint64) (string, error) {
		if e.By != Owner && countOfDay(all, e.By, at) >= MaxOfDay {
			return "", fault.Wrap("feedback", e.By, fault.Conflict, ErrTooMany)
		}
		e.Time, e.ID, e.Times = at.UTC().Truncate(time.Second), next, given
		for _, old := range all {
			if old.By == e.By && old.Question == e.Question && dayOf(old.Time) == dayOf(e.Time) {
				e.Times += 1 + old.Times
			}
		}
		tree, err := e.tree()
		if err != nil {
			return "", err
		}
		if err := draft.PutTree(working.FeedbackPath(e.By, e.ID), tree); err != nil {
			return "", err
		}
		gone := surplusEntries(all, len(all)+1-MaxEntries)
		for _, old := range all {
			if gone[old] || old.By == e.By && old.Question == e.Question {
				draft.Drop(working.FeedbackPath(old.By, old.ID))
			}
		}
		return fmt.Sprintf("%s: feedback %d: %d useful, %d not", e.By, e.ID, e.Useful(), e.Against()), nil
	})
	if err == nil {
		l.Model(ctx)
	}
	return c, err
}

// Reset removes all entries from the session; history has them, and a revert restores them. Without an
// entry there is no commit.
func (l *Feedback) Reset(ctx context.Context, opts *scope.WriteOptions) (chain.Commit, error) {
	state, err := l.host.session(ctx, FeedbackSession)
	if state == nil || err != nil {
		return chain.Commit{}, err
	}
	return l.commit(ctx, opts, func(all []*Entry, draft *graph.Draft, _ time.Time, _ uint64) (string, error) {
		for _, e := range all {
			draft.Drop(working.FeedbackPath(e.By, e.ID))
		}
		return fmt.Sprintf("reset feedback: %d entries", len(all)), nil
	})
}

// countOfDay counts the entries of an author on the day of a time, including those that were replaced.
func countOfDay(all []*Entry, by string, at time.Time) (n int) {
	for _, e := range all {
		if e.By == by && dayOf(e.Time) == dayOf(at) {
			n += 1 + max(0, e.Times)
		}
	}
	return n
}

func dayOf(at time.Time) string { return at.UTC().Format(time.DateOnly) }

// commit changes the entries; next is the number of the commit in the history of the session.
func (l *Feedback) commit(ctx context.Context, opts *scope.WriteOptions,
	change func(all []*Entry, draft *graph.Draft, at time.Time, next uint64) (string, error)) (chain.Commit, error) {
	w, err := l.host.Open(ctx, FeedbackSession)
	if err != nil {
		return chain.Commit{}, err
	}
	c, _, err := w.Do(ctx, scope.Action{Name: "feedback", Kind: graph.KindEdit, Key: opts.OrZero().Key}, func(c *write.Change) error {
		l.mu.Lock()
		l.follow(c.State())
		all := sorted(l.known)
		l.mu.Unlock()
		c.Draft(func(_ *graph.State, draft *graph.Draft) (err error) {
			c.Action.Message, err = change(all, draft, c.Action.Now, c.Head().Commit.Seq+1)
			return err
		})
		return nil
	})
	return c, err
}
