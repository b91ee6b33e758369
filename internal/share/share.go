// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package share

import (
	"slices"
	"sync"
)

// Bearer is whose shares are counted together. What a request says of itself does not
// make it another bearer; only the token that it shows does.
type Bearer string

const (
	// Owner is the person, and every program that comes as the person: over the socket,
	// or with the secret of this run.
	Owner Bearer = "owner"
	// Nobody is everybody who has not shown a token yet.
	Nobody Bearer = "nobody"
)

// Agent is the bearer of a token that was made for the agent of that name.
func Agent(name string) Bearer { return Bearer("agent " + name) }

// Shares counts the shares of one thing. It is safe for concurrent use. A call costs time
// linear in the shares of one bearer.
type Shares struct {
	limits Limits

	mu   sync.Mutex
	held map[Bearer][]*Share // least recently used first
	all  int
}

// Share is one thing that a bearer holds. It is safe for concurrent use.
type Share struct {
	of  *Shares
	end func()

	// Guarded by of.mu.
	bearer Bearer
	users  int  // of Use, without those that Rest ended
	gone   bool // released, or given up
}

// New returns shares of which nobody holds one.
func New(limits Limits) *Shares {
	return &Shares{limits: limits, held: map[Bearer][]*Share{}}
}

// Take gives a bearer a share, always. Where a limit is exceeded by that, another share
// is given up: its end is called, before Take returns. An end must not block, and must
// not wait for a call of this package. The caller calls Release when it is done.
func (s *Shares) Take(b Bearer, end func()) *Share {
	one := &Share{of: s, end: end, bearer: b}
	s.mu.Lock()
	s.add(one)
	given := s.overflow(one)
	s.mu.Unlock()
	for _, g := range given {
		g.end()
	}
	return one
}

// Held returns how many shares a bearer holds.
func (s *Shares) Held(b Bearer) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.held[b])
}

// Use says that the share is in use until Rest is called: it becomes the newest, and
// gives way only when its bearer has none that rests.
func (h *Share) Use() {
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	h.users++
	if !h.gone {
		h.of.remove(h)
		h.of.add(h)
	}
}

// Rest ends one call of Use.
func (h *Share) Rest() {
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	h.users = max(h.users-1, 0)
}

// Move makes the share that of another bearer, who may have to give up another one for
// it.
func (h *Share) Move(b Bearer) {
	s := h.of
	s.mu.Lock()
	if h.gone || h.bearer == b {
		s.mu.Unlock()
		return
	}
	s.remove(h)
	h.bearer = b
	s.add(h)
	given := s.overflow(h)
	s.mu.Unlock()
	for _, g := range given {
		g.end()
	}
}

// Release gives the share back. A second call does nothing.
func (h *Share) Release() {
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	if !h.gone {
		h.gone = true
		h.of.remove(h)
	}
}

func (s *Shares) add(h *Share) {
	s.held[h.bearer] = append(s.held[h.bearer], h)
	s.all++
}

func (s *Shares) remove(h *Share) {
	left := slices.DeleteFunc(s.held[h.bearer], func(o *Share) bool { return o == h })
	if len(left) == 0 {
		delete(s.held, h.bearer)
	} else {
		s.held[h.bearer] = left
	}
	s.all--
}

// overflow takes away what is over the limits since a share was added.
func (s *Shares) overflow(added *Share) (given []*Share) {
	giveUp := func(b Bearer) {
		h := s.oldest(b, added)
		h.gone = true
		s.remove(h)
		given = append(given, h)
	}
	if limit := s.limits.of(added.bearer); limit > 0 && len(s.held[added.bearer]) > limit {
		giveUp(added.bearer)
	}
	if s.limits.All > 0 && s.all > s.limits.All {
		giveUp(s.largest(added))
	}
	return given
}

// oldest returns the share of a bearer that gives way first: the one least recently used
// of those that are not in use, else of all. It is added only where there is no other.
func (s *Shares) oldest(b Bearer, added *Share) *Share {
	held := s.held[b]
	for _, h := range held {
		if h != added && h.users == 0 {
			return h
		}
	}
	for _, h := range held {
		if h != added {
			return h
		}
	}
	return added
}

// largest returns the bearer that holds the most beside a share that was just added, and
// the owner only where nobody else holds one.
func (s *Shares) largest(added *Share) Bearer {
	most, count := Owner, 0
	for b, held := range s.held {
		n := len(held)
		if b == added.bearer {
			n--
		}
		if b != Owner && (n > count || n == count && n > 0 && b < most) {
			most, count = b, n
		}
	}
	return most
}
