// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package minds

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/internal/write"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/window"
	"github.com/fovea-memory/fovea/working"
)

// MaxWindows is the maximum number of windows that a session keeps; history has the others.
const MaxWindows = 1000

// Limits of the queue.
const (
	maxQueued      = 256      // windows and actions
	maxQueuedBytes = 32 << 20 // bytes of their texts
	maxLast        = 256      // agents and sessions whose newest window is kept in RAM
	delay          = time.Second
)

// Host is what Windows needs from its memex.
type Host struct {
	// Open opens the writer of a scope; it creates a missing session.
	Open func(ctx context.Context, name string) (*write.Writer, error)
	// Scopes lists the projects and sessions that are open.
	Scopes func() []*scope.Scope
	// Names lists the scopes that exist, without the memex, from the disk.
	Names func() ([]string, error)
	// Load returns what a block of working memory shows of its file.
	Load func(ctx context.Context, v *view.View, b *working.Block) (string, error)
	// Shown calls use with what a session was shown whole, and stores the result, which survives
	// restarts for the most recently used sessions.
	Shown func(key string, use func(*window.Shown) *window.Shown)
	// Writable returns an error if the memex cannot be written; then nothing is recorded.
	Writable func() error
	// Off records nothing but the newest manifest of each agent, in memory.
	Off bool
	// OffActions records no actions of agents.
	OffActions bool
	Log        *slog.Logger
}

// Windows records the windows and the actions of the agents of a memex. It is safe for concurrent use.
type Windows struct {
	host     Host
	feedback Feedback

	flushing sync.Mutex // held while the queue is committed; taken before mu and before chains
	mu       sync.Mutex
	queue    []entry
	bytes    int
	timer    *time.Timer // nil if no flush is due
	last     bound.Map[string, *Window]
}

// Shown is Host.Shown.
func (l *Windows) Shown(key string, use func(*window.Shown) *window.Shown) { l.host.Shown(key, use) }

// NewWindows returns the Windows of a memex.
func NewWindows(h Host) *Windows {
	l := &Windows{host: h, feedback: Feedback{host: h}}
	l.last.Size = maxLast
	return l
}

// Feedback returns the feedback on the notes that the owner and agents were shown.
func (l *Windows) Feedback() *Feedback { return &l.feedback }

// entry is a window or an action in the queue.
type entry struct {
	session, agent string
	given          *Given // nil for an action
	action         working.Action
	at             time.Time
}

// keyOf identifies the windows of an agent in a session.
func keyOf(session, agent string) string { return session + "\n" + agent }

// Add records a window. It is committed within about a second, without a sync of its own: a power failure
// can lose the newest windows. If the queue is full, Add commits it. O(parts).
func (l *Windows) Add(ctx context.Context, g *Given) {
	l.mu.Lock()
	l.last.Set(keyOf(g.Session, g.Agent), g.manifest())
	l.mu.Unlock()
	if !l.host.Off {
		l.wait(ctx, entry{session: g.Session, agent: g.Agent, given: g})
	}
}

// wait queues an entry, and commits the queue if it is full.
func (l *Windows) wait(ctx context.Context, e entry) {
	l.mu.Lock()
	l.queue = append(l.queue, e)
	if e.given != nil {
		l.bytes += len(e.given.Window.Text)
	}
	full := len(l.queue) >= maxQueued || l.bytes >= maxQueuedBytes
	if l.timer == nil && !full {
		l.timer = time.AfterFunc(delay, func() { l.Flush(context.Background()) })
	}
	l.mu.Unlock()
	if full {
		l.Flush(context.WithoutCancel(ctx))
	}
}

// Flush commits the queue, one commit for each session. What cannot be committed is logged and lost: the
// answer has already been sent.
func (l *Windows) Flush(ctx context.Context) {
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
	of := map[string][]entry{}
	for _, e := range queue {
		of[e.session] = append(of[e.session], e)
	}
	for _, session := range slices.Sorted(maps.Keys(of)) {
		if err := l.commit(ctx, session, of[session]); err != nil {
			l.host.Log.Warn("what agents saw and did could not be recorded", "scope", session, "entries", len(of[session]), "error", err)
		}
	}
}

// Forget removes the words of callers from the queue, for a purge, and drops actions completely.
func (l *Windows) Forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := l.queue[:0:0]
	for _, e := range l.queue {
		if e.given != nil {
			c := *e.given
			c.Request.Question, c.Request.Task = "", ""
			e.given = &c
			kept = append(kept, e)
		}
	}
	l.queue = kept
	l.last.Clear()
}

// commit commits windows and actions of a session.
func (l *Windows) commit(ctx context.Context, session string, list []entry) error {
	w, err := l.host.Open(ctx, session)
	if err != nil {
		return err
	}
	state := w.Scope().Present()
	number := newestNumber(state) + 1 // of the next window
	windows := l.trees(ctx, state, list, number)
	by := author.Actor{Author: author.Author{Kind: author.Fovea}, Session: strings.TrimPrefix(session, author.SessionPrefix)}
	_, _, err = w.Do(author.WithActor(ctx, by), scope.Action{Name: "windows", Kind: graph.KindEdit, Message: windowsMessage(list)}, func(c *write.Change) error {
		c.Deferred = true
		c.Draft(func(before *graph.State, draft *graph.Draft) error {
			for _, w := range windows {
				tree, err := w.tree()
				if err != nil {
					return err
				}
				if err := draft.PutTree(working.WindowPath(w.agent, w.ID), tree); err != nil {
					return err
				}
			}
			l.drop(draft, before, number+uint64(len(windows)))
			return act(draft, before, list, c.Action.Now)
		})
		return nil
	})
	return err
}

// windowsMessage returns the message of a commit of windows and actions.
func windowsMessage(list []entry) string {
	what := "actions of "
	if slices.ContainsFunc(list, func(e entry) bool { return e.given != nil }) {
		what = "windows of "
	}
	return what + list[0].agent
}

// trees returns the windows among the entries, numbered from number.
func (l *Windows) trees(ctx context.Context, state *graph.State, list []entry, number uint64) []*stored {
	var trees []*stored
	newest := map[string]*stored{}
	for _, e := range list {
		if e.given == nil {
			continue
		}
		w := e.given.manifest()
		w.ID = number + uint64(len(trees))
		before := newest[e.agent]
		if before == nil {
			before = l.newest(state, e.agent, number)
		}
		var earlier []source
		if before != nil {
			earlier = before.Sources
		}
		made := e.given.store(w, earlier, func(from source) (*node.Node, error) { return l.version(ctx, from) })
		made.agent = e.agent
		trees, newest[e.agent] = append(trees, made), made
	}
	return trees
}

// drop removes the windows beyond MaxWindows from the draft of a session whose next window is next.
func (l *Windows) drop(draft *graph.Draft, state *graph.State, next uint64) {
	for n := next; n > MaxWindows+1; n-- {
		old, ok := state.Get(working.WindowID(n - MaxWindows - 1))
		if !ok {
			return
		}
		draft.Drop(old.Path)
	}
}

// newestNumber returns the number of the newest window of a session, 0 for none.
func newestNumber(state *graph.State) (newest uint64) {
	for _, path := range state.Paths() {
		_, number := working.WindowOf(path)
		newest = max(newest, number)
	}
	return newest
}

// newest returns the newest window of an agent before a number, nil for none.
func (l *Windows) newest(state *graph.State, agent string, before uint64) *stored {
	for n := before; n > 1 && n+MaxWindows > before; {
		n--
		if kept, ok := state.Get(working.WindowID(n)); ok && working.AgentOf(kept.Path) == agent {
			return windowOf(kept)
		}
	}
	return nil
}
