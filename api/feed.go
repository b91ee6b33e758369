// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"slices"
	"sync"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/corpus"
)

// Feed tells subscribers what happens to a memory. The zero value is ready; it is
// safe for concurrent use. Telling never waits for a subscriber.
type Feed struct {
	// Buffers are those of the editors that listen.
	Buffers corpus.Buffers

	mu   sync.Mutex
	subs map[chan Event]struct{}
}

// Event is one thing that happened: a commit that became durable, something to notice, or, where
// both are nil, that Done of Total files of a scan have been read.
type Event struct {
	Commit      *Commit
	Notice      *Notice
	Done, Total int
}

// Notice is something that happened beside commits, such as what became of a proposal. It has no
// word of any note. doc/format/events.md lists them.
type Notice struct {
	Event  string   // review, message, lockdown or conflicts
	Data   any      // sent as JSON
	Agents []string // who is told besides the owner; nil is everybody
}

// ReviewEvent is what a notice of a review says: what became of a proposal.
type ReviewEvent struct {
	ID    string `json:"id" jsonschema:"of the proposal"`
	Agent string `json:"agent" jsonschema:"who proposed it"`
	Event string `json:"event" jsonschema:"proposed, edited, accepted, rejected or withdrawn"`
}

// IsFor reports whether the holder of a grant is told of it.
func (n *Notice) IsFor(g Grant) bool {
	return n.Agents == nil || g.Role == Owner && g.Agent == "" || slices.Contains(n.Agents, g.Agent)
}

// behind is how many events a subscriber may be late.
const behind = 1024

// Committed tells of a commit.
func (f *Feed) Committed(c fovea.Commit) { f.publish(Event{Commit: new(commit(c))}) }

// Notify tells of something beside commits.
func (f *Feed) Notify(n Notice) { f.publish(Event{Notice: &n}) }

// Progress tells how far reading the folder has come: of many files each hundredth
// part.
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

// Subscribe returns what happens from now on, in order, until done is called. The
// channel is closed then, and also when the subscriber is too late to be told
// everything: it asks the log for what it missed and subscribes again.
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
