// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package windowlog

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/lru"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/working"
)

// MaxWindows is how many windows the documents of a session keep; history has the others.
const MaxWindows = 1000

// Limits of the queue.
const (
	maxQueued      = 256      // windows
	maxQueuedBytes = 32 << 20 // of their texts
	maxLast        = 256      // agents whose newest window is at hand
	delay          = time.Second
)

// Host is what a Log needs of the memex that it belongs to.
type Host struct {
	// Open opens a scope; a session that does not exist is made.
	Open func(ctx context.Context, name string) (*scope.Scope, error)
	// Names lists the scopes that exist, besides the memex.
	Names func() ([]string, error)
	// Load returns what a block of working memory shows of its file.
	Load func(v *view.View, b *working.Block) (string, error)
	// Writable returns why the memex cannot be written, or nil. Then nothing is kept.
	Writable func() error
	// Off keeps nothing but the newest manifest of each agent, in memory.
	Off bool
	Log *slog.Logger
}

// Log keeps the windows of the agents of a memex. It is safe for concurrent use.
type Log struct {
	host Host

	flushing sync.Mutex // held while the queue is committed; taken before mu and before chains
	mu       sync.Mutex
	queue    []*Given
	bytes    int
	timer    *time.Timer // nil if no flush is due
	last     lru.Map[string, *Window]
	next     map[string]uint64 // the number of the next window, by session; flushing guards it
}

// New returns the log of a memex.
func New(h Host) *Log {
	l := &Log{host: h, next: map[string]uint64{}}
	l.last.Size = maxLast
	return l
}

// keyOf identifies the windows of an agent in a session.
func keyOf(session, agent string) string { return session + "\n" + agent }

// Add takes a window. It is committed within about a second, without a sync of its own: a loss
// of power can take the newest windows back. If the queue is full, Add commits it. O(parts).
func (l *Log) Add(ctx context.Context, g *Given) {
	l.mu.Lock()
	l.last.Set(keyOf(g.Session, g.Agent), g.manifest())
	if l.host.Off {
		l.mu.Unlock()
		return
	}
	l.queue = append(l.queue, g)
	l.bytes += len(g.Window.Text)
	full := len(l.queue) >= maxQueued || l.bytes >= maxQueuedBytes
	if l.timer == nil && !full {
		l.timer = time.AfterFunc(delay, func() { l.Flush(context.Background()) })
	}
	l.mu.Unlock()
	if full {
		l.Flush(context.WithoutCancel(ctx))
	}
}

// Flush commits what waits, one commit for each session. What cannot be committed is logged
// and lost: its answer has gone.
func (l *Log) Flush(ctx context.Context) {
	l.flushing.Lock()
	defer l.flushing.Unlock()
	l.mu.Lock()
	queue := l.queue
	l.queue, l.bytes = nil, 0
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
	l.mu.Unlock()
	if len(queue) == 0 || l.host.Writable() != nil {
		return
	}
	var sessions []string
	of := map[string][]*Given{}
	for _, g := range queue {
		if of[g.Session] == nil {
			sessions = append(sessions, g.Session)
		}
		of[g.Session] = append(of[g.Session], g)
	}
	for _, session := range sessions {
		if err := l.commit(ctx, session, of[session]); err != nil {
			l.host.Log.Warn("windows could not be recorded", "scope", session, "windows", len(of[session]), "error", err)
		}
	}
}

// Forget removes the words of callers from what waits, such as text that is purged.
func (l *Log) Forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, g := range l.queue {
		c := *g
		c.Request.Question, c.Request.Task = "", ""
		l.queue[i] = &c
	}
	l.last.Clear()
}

// commit commits windows of a session.
func (l *Log) commit(ctx context.Context, session string, list []*Given) error {
	s, err := l.host.Open(ctx, session)
	if err != nil {
		return err
	}
	number := l.numberOf(s)
	trees := make([]*stored, len(list))
	newest := map[string]*stored{}
	for i, g := range list {
		w := g.manifest()
		w.ID = number + uint64(i)
		before := newest[g.Agent]
		if before == nil {
			before = l.newest(s.Present(), g.Agent, number)
		}
		trees[i] = g.store(w, sourcesOf(before), func(from source) (string, bool) { return l.textOf(ctx, from) })
		newest[g.Agent] = trees[i]
	}
	tx := s.Chain.Begin()
	defer tx.End()
	if s.IsClosed(tx) {
		return scope.ErrClosed
	}
	now := s.Options.Now().UnixMilli()
	draft := s.Present().Edit(now)
	for i, w := range trees {
		tree, err := w.tree()
		if err != nil {
			return err
		}
		path := working.WindowPath(list[i].Agent, w.ID)
		parts, err := tree.Parts(path)
		if err != nil {
			return err
		}
		draft.Put(path, parts...)
	}
	l.drop(draft, s.Present(), number+uint64(len(list)))
	state, delta := draft.Seal()
	var steps chain.Steps
	if s.Chain.Head().Commit.Seq > 0 {
		steps.Defer()
	}
	err = tx.Add(ctx, &steps, state, &delta, graph.Commit{
		Kind: graph.KindEdit, Author: author.Author{Kind: author.Fovea}, Session: strings.TrimPrefix(session, author.SessionPrefix),
		Op: scope.Operation(), Time: now, Message: "windows of " + list[0].Agent,
	})
	if err == nil {
		_, err = tx.Publish(ctx, &steps)
	}
	if err == nil {
		l.next[s.Name] = number + uint64(len(list))
	}
	return err
}

// drop takes windows out of a draft of a session whose next one has a number.
func (l *Log) drop(draft *graph.Draft, state *graph.State, next uint64) {
	for n := next; n > MaxWindows+1; n-- {
		old, ok := state.Get(working.WindowID(n - MaxWindows - 1))
		if !ok {
			return
		}
		draft.Drop(old.Path)
	}
}

// numberOf returns the number of the next window of a session. O(documents) the first time.
func (l *Log) numberOf(s *scope.Scope) uint64 {
	if n, ok := l.next[s.Name]; ok {
		return n
	}
	return newestNumber(s.Present()) + 1
}

// newestNumber is the number of the newest window of a session, 0 for none.
func newestNumber(state *graph.State) (newest uint64) {
	for _, path := range state.Paths() {
		_, number := working.WindowOf(path)
		newest = max(newest, number)
	}
	return newest
}

// newest returns the newest window of an agent before a number, nil for none.
func (l *Log) newest(state *graph.State, agent string, before uint64) *stored {
	for n := before; n > 1 && n+MaxWindows > before; {
		n--
		if kept, ok := state.Get(working.WindowID(n)); ok && working.AgentOf(kept.Path) == agent {
			return ofNode(kept)
		}
	}
	return nil
}

func sourcesOf(s *stored) []source {
	if s == nil {
		return nil
	}
	return s.Sources
}
