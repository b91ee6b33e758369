// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fovea-memory/fovea/embed"
	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/vector"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// Options configure Vectors.
type Options struct {
	// Connect opens the embedder. It is called again after it failed.
	Connect func(context.Context) (embed.Embedder, error)
	// States returns the present states of the memex and its scopes, without what is locked
	// down.
	States func(context.Context) []*graph.State
	Folder vfs.FS // of the vectors
	All    bool   // another computer may see every node
	Log    *slog.Logger
}

// Vectors are those of a memory. It is safe for concurrent use.
type Vectors struct {
	opts Options
	open context.Context // ends with Close
	end  context.CancelFunc
	wake chan struct{} // has an entry after a change
	work chan struct{} // has an entry during connect and Fill

	mu      sync.Mutex
	engine  *engine // nil until connected
	kept    *engine // until then: of the vectors used last, nil before a request needs it
	fault   error   // why there is no engine, or why the last attempt failed
	pending int
	pace    pace
	known   bound.Map[string, *vector.Query]
	asking  map[string]*asked
}

// engine is an embedder with the vectors that it made.
type engine struct {
	embed.Embedder
	store   *vector.Store
	proof   proof
	counted atomic.Pointer[counted]
}

// New returns the vectors of a memory. It does not connect yet.
func New(opts Options) *Vectors {
	open, end := context.WithCancel(context.Background())
	return &Vectors{
		opts: opts, open: open, end: end, wake: make(chan struct{}, 1), work: make(chan struct{}, 1),
		known: bound.Map[string, *vector.Query]{Size: maxKnown}, asking: map[string]*asked{},
	}
}

// Changed reports that nodes may have changed. It returns at once.
func (x *Vectors) Changed() {
	select {
	case x.wake <- struct{}{}:
	default:
	}
}

// Run makes missing vectors until ctx ends: at once, after each change, and after a delay if
// the embedder failed.
func (x *Vectors) Run(ctx context.Context) {
	const first, last = time.Second, 5 * time.Minute
	pause := first
	for {
		var again <-chan time.Time
		wake := x.wake
		switch err := x.Fill(ctx, nil); {
		case ctx.Err() != nil:
			return
		case err != nil:
			x.opts.Log.Warn("vectors are missing", "error", err, "again", pause)
			again, pause = time.After(pause), min(2*pause, last)
			wake = nil // a change does not repair the embedder
		default:
			pause = first
		}
		select {
		case <-ctx.Done():
			return
		case <-again:
		case <-wake:
		}
	}
}

// connect returns the engine, and connects first if needed. x.work is held.
func (x *Vectors) connect(ctx context.Context) (*engine, error) {
	if e := x.connected(); e != nil {
		return e, nil
	}
	embedder, err := x.opts.Connect(ctx)
	var e *engine
	if err == nil {
		e, err = x.opts.engine(embedder)
	}
	if err != nil {
		return nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	_ = x.kept.close() // nothing was written
	x.engine, x.kept, x.fault = e, nil, nil
	x.pace.Store(0) // earlier times were of connecting
	return e, nil
}

// failed records the result of the last attempt to reach the embedder.
func (x *Vectors) failed(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.fault = err
}

// engine opens the vectors of an embedder.
func (o *Options) engine(of embed.Embedder) (*engine, error) {
	m := of.Model()
	store, err := vector.Open(o.Folder, vector.Model{Fingerprint: m.Fingerprint, Dim: m.Dim})
	if err != nil {
		return nil, err
	}
	return &engine{Embedder: of, store: store, proof: readProof(o.Folder, m)}, nil
}

// close closes the vectors. e may be nil.
func (e *engine) close() error {
	if e == nil {
		return nil
	}
	return e.store.Close()
}

// leave disconnects from an embedder that answers with another model than before. The next
// connection makes the vectors of that model and keeps the others.
func (x *Vectors) leave(err error) {
	if !errors.Is(err, embed.ErrModelChanged) && !errors.Is(err, embed.ErrDimension) {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	_ = x.engine.close() // its vectors are kept as they are
	x.engine = nil
	x.known.Clear()
	x.Changed()
}

// Forget removes the vectors of all models. A Fill in progress fails. The vectors of present
// texts are made again.
func (x *Vectors) Forget() (err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	err = errors.Join(x.engine.close(), x.kept.close())
	x.engine, x.kept = nil, nil
	x.Changed()
	return errors.Join(err, RemoveAll(x.opts.Folder))
}

// RemoveAll empties a folder of vectors that is not in use: the vectors and proofs of all models.
func RemoveAll(folder vfs.FS) error {
	entries, err := folder.ReadDir(".")
	for _, e := range entries {
		if e.Type().IsRegular() {
			err = errors.Join(err, folder.Remove(e.Name()))
		}
	}
	return errors.Join(err, folder.SyncDir("."))
}

func (x *Vectors) connected() *engine {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.engine
}

// lock takes x.work, and returns a context that also ends when x is closed.
func (x *Vectors) lock(ctx context.Context) (_ context.Context, unlock func(), _ error) {
	if x.open.Err() != nil {
		return nil, nil, errClosed
	}
	select {
	case x.work <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	case <-x.open.Done():
		return nil, nil, errClosed
	}
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(x.open, cancel)
	return ctx, func() { stop(); cancel(); <-x.work }, nil
}

// Status is the state of the vectors.
type Status struct {
	Model   string  // of the embedder; "" until it is connected
	Vectors int     // number of vectors
	Failed  int     // texts that the embedder refuses
	Pending int     // nodes whose vectors are missing
	Trust   float64 // how well the model has proven itself, 0 to 1
	Fault   error   // why the embedder is not used now, nil if it is
	Kept    bool    // there are vectors of earlier runs
}

// String describes the model and its vectors, or the fault.
func (s Status) String() string {
	switch {
	case s.Fault != nil:
		return s.Fault.Error()
	case s.Model != "":
		return fmt.Sprintf("%s, %d vectors", s.Model, s.Vectors)
	case s.Kept:
		return "not asked in this run, its vectors are kept"
	}
	return "not asked yet"
}

// Status returns the state of the vectors. It does not wait.
func (x *Vectors) Status() Status {
	x.mu.Lock()
	s := Status{Pending: x.pending, Fault: x.fault}
	e := x.engine
	x.mu.Unlock()
	if e == nil {
		models, err := vector.Models(x.opts.Folder)
		s.Kept = err == nil && len(models) > 0
		return s
	}
	s.Model, s.Trust = e.Model().Name, x.trust(e)
	s.Vectors, s.Failed = e.store.Counts()
	return s
}

// Close cancels work in progress and closes the vectors. Closing twice is not an error.
func (x *Vectors) Close() error {
	if x.open.Err() != nil {
		return nil
	}
	x.end()
	x.work <- struct{}{} // waits for the end of Fill
	x.mu.Lock()
	defer x.mu.Unlock()
	err := errors.Join(x.engine.close(), x.kept.close())
	x.engine, x.kept, x.fault = nil, nil, errClosed
	return err
}

var errClosed = errors.New("the memory is closed")
