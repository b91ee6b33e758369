// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bound

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Bearer identifies the client whose shares are counted together. Only the token of a
// request decides its bearer, whatever other names the request gives.
type Bearer string

const (
	// Owner is the user, and every program that acts as the user: over the socket, or
	// with the secret of this run.
	Owner Bearer = "owner"
	// Anonymous is every client that has not shown a token yet.
	Anonymous Bearer = "anonymous"
)

// Agent returns the bearer of a token issued to the agent of that name.
func Agent(name string) Bearer { return Bearer("agent " + name) }

// Shares counts the shares of one resource. It is safe for concurrent use. Each call
// takes time linear in the shares of one bearer.
type Shares struct {
	limits Limits

	mu    sync.Mutex
	held  map[Bearer][]*Share // least recently used first
	total int
}

// Share is one unit of a resource, held by a bearer. It is safe for concurrent use.
type Share struct {
	parent *Shares
	evict  func()

	// Guarded by parent.mu.
	bearer   Bearer
	users    int  // open calls of MarkBusy
	released bool // by Release or by eviction
}

// NewShares returns Shares without holders.
func NewShares(limits Limits) *Shares {
	return &Shares{limits: limits, held: map[Bearer][]*Share{}}
}

// Acquire gives a bearer a share. It never fails: if a limit is exceeded, it evicts
// another share by calling that share's evict before it returns. evict must not block or
// wait for a call of this package. The caller calls Release when done.
func (s *Shares) Acquire(b Bearer, evict func()) *Share {
	h := &Share{parent: s, evict: evict, bearer: b}
	s.mu.Lock()
	s.add(h)
	evicted := s.evictExcess(h)
	s.mu.Unlock()
	for _, g := range evicted {
		g.evict()
	}
	return h
}

// Held returns the number of shares that a bearer holds.
func (s *Shares) Held(b Bearer) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.held[b])
}

// MarkBusy marks the share as busy until MarkIdle is called and makes it the newest. A
// busy share is evicted only if its bearer has no idle one.
func (h *Share) MarkBusy() {
	h.parent.mu.Lock()
	defer h.parent.mu.Unlock()
	h.users++
	if !h.released {
		h.parent.remove(h)
		h.parent.add(h)
	}
}

// MarkIdle ends one call of MarkBusy.
func (h *Share) MarkIdle() {
	h.parent.mu.Lock()
	defer h.parent.mu.Unlock()
	h.users = max(h.users-1, 0)
}

// Reassign transfers the share to another bearer, which may evict a share of that
// bearer.
func (h *Share) Reassign(b Bearer) {
	s := h.parent
	s.mu.Lock()
	if h.released || h.bearer == b {
		s.mu.Unlock()
		return
	}
	s.remove(h)
	h.bearer = b
	s.add(h)
	evicted := s.evictExcess(h)
	s.mu.Unlock()
	for _, g := range evicted {
		g.evict()
	}
}

// Release returns the share. A second call does nothing.
func (h *Share) Release() {
	h.parent.mu.Lock()
	defer h.parent.mu.Unlock()
	if !h.released {
		h.released = true
		h.parent.remove(h)
	}
}

func (s *Shares) add(h *Share) {
	s.held[h.bearer] = append(s.held[h.bearer], h)
	s.total++
}

func (s *Shares) remove(h *Share) {
	left := slices.DeleteFunc(s.held[h.bearer], func(o *Share) bool { return o == h })
	if len(left) == 0 {
		delete(s.held, h.bearer)
	} else {
		s.held[h.bearer] = left
	}
	s.total--
}

// evictExcess releases the shares that exceed a limit after a share was added, and
// returns them.
func (s *Shares) evictExcess(added *Share) (evicted []*Share) {
	evict := func(b Bearer) {
		h := s.oldest(b, added)
		h.released = true
		s.remove(h)
		evicted = append(evicted, h)
	}
	if limit := s.limits.of(added.bearer); limit > 0 && len(s.held[added.bearer]) > limit {
		evict(added.bearer)
	}
	if s.limits.Total > 0 && s.total > s.limits.Total {
		evict(s.largest(added))
	}
	return evicted
}

// oldest returns the share of a bearer to evict: the least recently used idle share, or
// else the least recently used one. It is added only if the bearer has no other.
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

// largest returns the bearer with the most shares, not counting the one just added. It
// is the owner only if no other bearer has a share.
func (s *Shares) largest(added *Share) Bearer {
	largest, count := Owner, 0
	for b, held := range s.held {
		n := len(held)
		if b == added.bearer {
			n--
		}
		if b != Owner && (n > count || n == count && n > 0 && b < largest) {
			largest, count = b, n
		}
	}
	return largest
}

// Limits are the largest numbers of shares held at once; 0 means no limit.
type Limits struct {
	Agent     int // by each agent with a token
	Owner     int // by the owner and all programs that act as the owner
	Anonymous int // by all clients that have not shown a token yet
	Total     int // by all clients together
}

// Connections limits open connections over TCP and the socket. Each takes a file
// descriptor and about 20 KB. An agent may have more connections than running requests,
// so that one of them is idle and can be closed without harm when it opens another. The
// daemon lowers Total if the system gives a process few descriptors.
var Connections = Limits{Agent: 320, Owner: 1024, Anonymous: 256, Total: 1536}

// Requests limits running requests, including streams. A program that sends 200 writes
// at once, as benchmarks of memories do, loses none of them.
var Requests = Limits{Agent: 256, Owner: 768}

// Large limits the request and response bodies of more than 256 KiB in transit. Each is
// in memory as a whole: a request with up to 8 MiB, a response with up to the size of
// the memex.
var Large = Limits{Agent: 8, Owner: 32, Total: 48}

// Streams limits responses that stay open until the client disconnects: events, and
// messages of MCP. Each takes a goroutine and a buffer of events.
var Streams = Limits{Agent: 32, Owner: 256}

// Sessions limits sessions of MCP over HTTP. Each buffers its newest notices.
var Sessions = Limits{Agent: 64, Owner: 256}

// Servers limits MCP servers: there is one for each agent, project and session that a
// bearer names. Each takes about 200 KB.
var Servers = Limits{Agent: 16, Owner: 64}

// of returns the limit of a bearer; 0 means no limit.
func (l *Limits) of(b Bearer) int {
	switch b {
	case Owner:
		return l.Owner
	case Anonymous:
		return l.Anonymous
	}
	return l.Agent
}

// Semaphore bounds concurrent work by its capacity; nil is no bound. It is safe for
// concurrent use.
type Semaphore chan struct{}

// Acquire waits for a place, in the order of the calls, and returns the function that releases it. The only
// error is that of ctx.
func (s Semaphore) Acquire(ctx context.Context) (release func(), err error) {
	if s == nil {
		return func() {}, nil
	}
	select {
	case s <- struct{}{}:
		return func() { <-s }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Each calls do with each number below n, on all processors, and returns after the last call.
func Each(n int, do func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wg.Wait()
}
