// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/fovea-memory/fovea/internal/store"
)

// condition is the state of a store: open, then perhaps read-only, then closed. It never goes back. It is safe
// for concurrent use.
type condition struct {
	mu       sync.Mutex
	recovery store.Recovery
	err      error // why the store is read-only
	closed   bool
}

// readOnly makes the store read-only and returns the cause wrapped in ErrReadOnly; the first cause counts.
func (c *condition) readOnly(cause error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fail(cause)
}

// fail is readOnly; c.mu is held.
func (c *condition) fail(cause error) error {
	c.err = cmp.Or(c.err, fmt.Errorf("%w: %w", store.ErrReadOnly, cause))
	return c.err
}

// corrupt records corruption and makes the store read-only; the first one counts.
func (c *condition) corrupt(bad *store.Corruption) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.recovery.Corrupt = cmp.Or(c.recovery.Corrupt, bad)
	_ = c.fail(bad)
	return bad
}

// report records a Corruption in an error and makes the store read-only; it returns other
// errors as they are.
func (c *condition) report(err error) error {
	if bad, ok := errors.AsType[*store.Corruption](err); ok {
		return c.corrupt(bad)
	}
	return err
}

// stop makes the store read-only for a cause from outside. A Corruption without a file is one of the journal.
func (c *condition) stop(cause error) {
	bad, ok := errors.AsType[*store.Corruption](cause)
	if !ok {
		_ = c.readOnly(cause)
		return
	}
	named := *bad
	named.File = cmp.Or(named.File, store.JournalFolder)
	_ = c.corrupt(&named)
}

// note updates the report of what opening and reading found.
func (c *condition) note(change func(*store.Recovery)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.recovery)
}

// badImage records an image that fails verification. The next WriteImage moves it to quarantine.
func (c *condition) badImage(name string) {
	c.note(func(r *store.Recovery) {
		if !slices.Contains(r.DamagedImages, name) {
			r.DamagedImages = append(r.DamagedImages, name)
		}
	})
}

// found returns a copy of the report of what opening and reading found.
func (c *condition) found() store.Recovery {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.recovery.Clone()
}

// writable returns the reason why nothing can be written.
func (c *condition) writable() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return store.ErrClosed
	}
	return c.err
}

// readable returns the reason why nothing can be read.
func (c *condition) readable() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return store.ErrClosed
	}
	return nil
}

// why returns why the store is read-only.
func (c *condition) why() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// close marks the store as closed and reports whether it was closed before.
func (c *condition) close() (was bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	was, c.closed = c.closed, true
	return was
}
