// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// Options are the options of a chain. Name, Log, FS, Ledgers and Deriver are required.
type Options struct {
	Name    string // of the store, for errors: its folder
	Log     *slog.Logger
	FS      vfs.FS // of the store, for its quarantine
	Formats document.Formats
	// Foreign means that others may have written the store: image data that no root covers is not used.
	Foreign bool
	Ledgers *Ledgers
	Deriver Deriver
	// Signer signs the head of each commit; nil signs nothing.
	Signer note.Signer
	// Verifiers are the keys whose signatures count; nil checks none.
	Verifiers note.Verifiers
	// Witness remembers the newest signed head elsewhere.
	Witness Witness
	// Lost returns why a store without commits must have had some, "" if it need not. It is called after the
	// Witness.
	Lost func() string
	// Published is called by the writer with the delta of each moment that a commit or Hold makes, and with nil
	// when the chain is loaded. It may be nil.
	Published func(delta *graph.Delta)
	// Committed is called by the writer for each commit, in order. It may be nil.
	Committed func(Commit)
}

// Deriver makes from a state what readers search it with: indexes, built on demand.
type Deriver interface {
	// Derive starts from a moment alone, whose Derived is not set. loaded is the result of Load for an image of
	// it, else nil.
	Derive(m *Moment, loaded any) any
	// Follow updates what was derived from the state before a delta. The Derived of m is not set.
	Follow(before any, m *Moment, delta *graph.Delta) any
	// Encode returns the section of an image. It may be empty.
	Encode(derived any) ([]byte, error)
	// Load reads the section, nil if it cannot. It runs while the state is read.
	Load(section []byte) any
}

// Chain is the history of one scope. It is safe for concurrent use.
type Chain struct {
	opts  Options
	head  atomic.Pointer[Moment]
	past  atomic.Pointer[Moment] // the last one that At made
	swap  sync.RWMutex           // held for writing while Replace exchanges the store
	store atomic.Pointer[opened]

	mu sync.Mutex // the writer's; it guards the fields below
	tx Tx
}

// opened is a store in an atomic pointer.
type opened struct{ store.Store }

// Errors of a chain.
var (
	// ErrBroken is returned when a commit does not follow the one before it.
	ErrBroken = errors.New("the chain of commits is broken")
	// ErrNoCommit is returned for a commit that is not in the chain.
	ErrNoCommit = errors.New("no such commit, snapshot, name or date; see fovea log and fovea snapshot list")
	// ErrStop ends a walk over commits without an error.
	ErrStop = errors.New("enough")
)

// New returns an empty chain over a store. Load reads the store.
func New(from store.Store, opts Options) *Chain {
	if opts.Published == nil {
		opts.Published = func(*graph.Delta) {}
	}
	c := &Chain{opts: opts}
	c.store.Store(&opened{from})
	c.tx.c, c.tx.images.c, c.tx.signer.c, c.tx.witness.c = c, c, c, c
	c.head.Store(c.emptyMoment())
	return c
}

func (c *Chain) emptyMoment() *Moment {
	m := &Moment{State: graph.Empty(c.opts.Formats)}
	for _, e := range c.opts.Ledgers.list {
		m.values = append(m.values, e.Empty)
	}
	m.Derived = c.opts.Deriver.Derive(m, nil)
	return m
}

// Head returns the newest moment: one atomic load.
func (c *Chain) Head() *Moment { return c.head.Load() }

// Ledgers returns the ledgers of the chain.
func (c *Chain) Ledgers() *Ledgers { return c.opts.Ledgers }

// Store returns the store, which Replace may exchange: a reader that needs it to stay
// open holds Reading.
func (c *Chain) Store() store.Store { return c.store.Load().Store }

// Reading keeps the store in place until the returned function is called.
func (c *Chain) Reading() func() {
	c.swap.RLock()
	return c.swap.RUnlock
}

// Begin waits for the previous writer and makes the caller the writer until End.
func (c *Chain) Begin() *Tx {
	c.mu.Lock()
	return &c.tx
}

// Block returns a block of the history. A block that was taken out on purpose is
// graph.ErrGone, so that states can go on without it.
func (c *Chain) Block(d merkle.Digest) ([]byte, error) {
	b, err := c.Store().Block(d)
	if errors.Is(err, store.ErrPurged) {
		return nil, fmt.Errorf("%w: %w", graph.ErrGone, err)
	}
	return b, err
}

// Replace puts another store in place of a damaged one and loads it. exchange
// closes the old one and returns the new one, also after an error, if it can.
func (tx *Tx) Replace(ctx context.Context, exchange func(old store.Store) (store.Store, error), load func(context.Context) error) error {
	c := tx.c
	tx.images.Wait()
	c.swap.Lock()
	defer c.swap.Unlock()
	next, err := exchange(c.Store())
	if next != nil {
		c.store.Store(&opened{next})
	}
	if err != nil {
		return err
	}
	tx.signer.first = merkle.Digest{}
	tx.reset()
	return load(ctx)
}
