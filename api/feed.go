// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"slices"
	"sync"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/corpus"
)

// Feed publishes events of a memory to subscribers, and never waits for one. The zero value is ready to
// use; it is safe for concurrent use.
type Feed struct {
	// Buffers are those of the subscribed editors.
	Buffers corpus.Buffers

	mu   sync.Mutex
	subs map[chan Event]struct{}
}

// Event is a commit that became durable, a notice, or, if both are nil, the progress of a scan in files.
type Event struct {
	Commit      *Commit
	Notice      *Notice
	Done, Total int
}

// Notice is an event other than a commit, such as a decision about a proposal. It contains no text of notes.
// doc/format/events.md lists them.
type Notice struct {
	Event  string   // review, message, lockdown or conflicts
	Data   any      // sent as JSON
	Agents []string // who receives it besides the owner; nil means everybody
}

// ReviewEvent is the data of a notice of a review.
type ReviewEvent struct {
	ID    string `json:"id" jsonschema:"of the proposal"`
	Agent string `json:"agent" jsonschema:"who proposed it"`
	Event string `json:"event" jsonschema:"proposed, edited, accepted, rejected or withdrawn"`
}

// IsFor reports whether the holder of a grant receives it.
func (n *Notice) IsFor(g Grant) bool {
	return n.Agents == nil || g.Role == Owner && g.Agent == "" || slices.Contains(n.Agents, g.Agent)
}

// behind is the maximum number of events that wait for a subscriber.
const behind = 1024

// Committed publishes a commit.
func (f *Feed) Committed(c fovea.Commit) { f.publish(Event{Commit: new(commit(c))}) }

// Notify publishes a notice.
func (f *Feed) Notify(n Notice) { f.publish(Event{Notice: &n}) }

// Progress publishes the progress of reading the folder, at most about a hundred times.
func (f *Feed) Progress(done, total int) {
	const parts = 100
	if done == total || done%max(1, total/parts) == 0 {
		f.publish(Event{Done: done, Total: total})
	}
}

func (f *Feed) publish(e Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for c := range f.subs {
		select {
		case c <- e:
		default:
			delete(f.subs, c)
			close(c)
		}
	}
}

// Subscribe returns the events from now on, in order. The channel is closed by done, and when too many events
// wait in it: the subscriber reads the log for what it missed and subscribes again.
func (f *Feed) Subscribe() (events <-chan Event, done func()) {
	c := make(chan Event, behind)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.subs == nil {
		f.subs = map[chan Event]struct{}{}
	}
	f.subs[c] = struct{}{}
	return c, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if _, ok := f.subs[c]; ok {
			delete(f.subs, c)
			close(c)
		}
	}
}
