// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Limits.
const (
	MaxBuffers = 64       // buffers of one client
	MaxText    = 4 << 20  // bytes of the text of one buffer
	MaxTotal   = 64 << 20 // bytes of the texts of all clients together
)

var (
	// ErrClient is returned for a client that is not connected.
	ErrClient = errors.New("this client has no open event stream; open GET /v1/events and push the buffers again under the name that it returns")
	// ErrLimit is returned, wrapped, for a buffer that exceeds a limit. The client keeps the
	// buffers that it had.
	ErrLimit = errors.New("the limit")
)

// Buffer is a buffer with unsaved changes.
type Buffer struct {
	Path    string // path of the document that shows the text
	Real    string // path of the file that is held: Path without links
	Name    string // name of the buffer, for messages
	Session string // session in which the owner sees the text, such as "emacs"; "" for none
	Text    string
	Shown   bool // Text is shown; otherwise the buffer only holds the file

	pushed uint64 // numbers pushes of all clients
}

// Buffers holds the buffers of all clients. A nil Buffers is empty and accepts no buffer. The
// zero value is ready to use, and safe for concurrent use.
type Buffers struct {
	mu      sync.RWMutex
	clients map[string]map[string]Buffer // client -> real path -> buffer
	bytes   int                          // size of all texts
	changes atomic.Uint64
}

// Join adds a client, whose name should be hard to guess, until leave is called.
func (b *Buffers) Join(client string) (leave func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.clients == nil {
		b.clients = map[string]map[string]Buffer{}
	}
	b.clients[client] = map[string]Buffer{}
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, one := range b.clients[client] {
			b.bytes -= len(one.Text)
		}
		delete(b.clients, client)
		b.changes.Add(1)
	}
}

// Put sets the buffer of a file; with keep, an existing buffer does not change.
// It returns the resulting buffer. Errors: ErrClient, ErrLimit.
func (b *Buffers) Put(client string, one Buffer, keep bool) (Buffer, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	held, ok := b.clients[client]
	if !ok {
		return one, ErrClient
	}
	was, known := held[one.Real]
	if known && keep {
		return was, nil
	}
	total := b.bytes - len(was.Text) + len(one.Text)
	switch {
	case !known && len(held) == MaxBuffers:
		return was, fmt.Errorf("%d buffers are %w of one client", MaxBuffers, ErrLimit)
	case len(one.Text) > MaxText:
		return was, fmt.Errorf("the text has %d bytes; %d are %w of one buffer", len(one.Text), MaxText, ErrLimit)
	case total > MaxTotal:
		return was, fmt.Errorf("all unsaved texts together would have %d bytes; %d are %w; save some buffers", total, MaxTotal, ErrLimit)
	}
	b.bytes = total
	one.pushed = b.changes.Add(1)
	held[one.Real] = one
	return one, nil
}

// Drop ends the hold of a client on a file, if there is one. Errors: ErrClient.
func (b *Buffers) Drop(client, real string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	held, ok := b.clients[client]
	if !ok {
		return ErrClient
	}
	b.bytes -= len(held[real].Text)
	delete(held, real)
	b.changes.Add(1)
	return nil
}

// Holder returns the name of a buffer that holds the file at a path; "" if there is none.
func (b *Buffers) Holder(path string) string {
	for _, one := range b.list(func(one *Buffer) bool { return one.Real == path || one.Path == path }) {
		return one.Name
	}
	return ""
}

// Of returns the buffers whose text the owner sees in a session, sorted by path; only the newest
// buffer of each file.
func (b *Buffers) Of(session string) []Buffer {
	all := b.list(func(one *Buffer) bool { return one.Shown && one.Session == session })
	return slices.CompactFunc(all, func(a, b Buffer) bool { return a.Path == b.Path })
}

// Changes counts changes of the buffers: while it stays the same, so does the result of Of.
func (b *Buffers) Changes() uint64 {
	if b == nil {
		return 0
	}
	return b.changes.Load()
}

// list returns the buffers that is accepts, sorted by path, newest first.
func (b *Buffers) list(is func(*Buffer) bool) (all []Buffer) {
	if b == nil || b.changes.Load() == 0 {
		return nil
	}
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, held := range b.clients {
		for _, one := range held {
			if is(&one) {
				all = append(all, one)
			}
		}
	}
	slices.SortFunc(all, func(a, b Buffer) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(b.pushed, a.pushed))
	})
	return all
}
