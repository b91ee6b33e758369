// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hive

import (
	"sync"
	"time"

	"github.com/fovea-memory/fovea/internal/scope"
)

// clock is the time by which leases are judged, in Unix milliseconds. It never goes back: it
// is at least the computer's clock and the time of the newest commit, and while the memory is
// open it goes on even if the computer's clock was set back, so that every lease ends.
type clock struct {
	mu   sync.Mutex
	last time.Time // the computer's clock when it was last looked at
	at   int64     // and the time of leases then
}

// now returns the time of leases. note also remembers it: only writers do that, so that a
// reader never makes a commit later than it is.
func (c *clock) now(s *scope.Scope, note bool) int64 {
	wall, head := s.Options.Now(), s.Chain.Head().Commit.Time.UnixMilli()
	c.mu.Lock()
	defer c.mu.Unlock()
	at := max(wall.UnixMilli(), head)
	if !c.last.IsZero() {
		at = max(at, c.at+max(0, wall.Sub(c.last).Milliseconds()))
	}
	if note {
		c.last, c.at = wall, at
	}
	return at
}

// rateWindow is the time in which a sender sends at most MaxRate messages.
const rateWindow = time.Minute

// rate bounds how fast each sender sends.
type rate struct {
	mu   sync.Mutex
	sent map[string][]int64 // by sender, oldest first
}

// take counts a message at a time, and reports whether its sender may still send it.
func (r *rate) take(sender string, now int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sent == nil {
		r.sent = map[string][]int64{}
	}
	for name, times := range r.sent {
		first := 0
		for first < len(times) && times[first] <= now-rateWindow.Milliseconds() {
			first++
		}
		if r.sent[name] = times[first:]; first == len(times) {
			delete(r.sent, name)
		}
	}
	if len(r.sent[sender]) >= MaxRate {
		return false
	}
	r.sent[sender] = append(r.sent[sender], now)
	return true
}
