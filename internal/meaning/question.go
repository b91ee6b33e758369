// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fovea-memory/fovea/embed"
	"github.com/fovea-memory/fovea/internal/vector"
)

const (
	maxKnown    = 256     // questions whose vectors are kept
	maxAsking   = 8       // questions that are embedded at once
	maxQuestion = 8 << 10 // bytes of a question
	askTimeout  = 30 * time.Second
)

// Quick is how long Question waits with a timeout of 0, if the embedder took no longer than
// that for its last answer. Otherwise it does not wait.
const Quick = 50 * time.Millisecond

// later is a value that is made in the background.
type later[T any] struct {
	done  chan struct{} // closed when the others are set
	value T
	err   error
}

func newLater[T any]() *later[T] { return &later[T]{done: make(chan struct{})} }

func (l *later[T]) isDone() bool {
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}

// asked is a question that is being embedded.
type asked = later[*vector.Query]

var (
	errLate = errors.New("the embedder has not answered yet")
	errBusy = errors.New("too many questions wait for the embedder")
)

// Question returns the vector of a question. It waits for the embedder no longer than
// timeout; a later answer is kept for the next call. With timeout 0 it does not wait
// unless the embedder last answered within Quick. The error is the reason for no vector.
func (x *Vectors) Question(ctx context.Context, text string, timeout time.Duration) (*vector.Query, error) {
	text = text[:min(len(text), maxQuestion)]
	x.mu.Lock()
	if q, ok := x.known.Get(text); ok {
		x.mu.Unlock()
		return q, nil
	}
	if last := x.pace.Load(); timeout == 0 && 0 < last && last <= int64(Quick) {
		timeout = Quick
	}
	a := x.asking[text]
	switch {
	case a != nil:
	case timeout == 0 && x.fault != nil: // it is asked again when it works
		err := x.fault
		x.mu.Unlock()
		return nil, err
	case len(x.asking) >= maxAsking:
		x.mu.Unlock()
		return nil, errBusy
	default:
		a = newLater[*vector.Query]()
		x.asking[text] = a
		go x.ask(text, a)
	}
	x.mu.Unlock()
	if timeout == 0 {
		return nil, errLate
	}
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-a.done:
		return a.value, a.err
	case <-timer.C:
		x.pace.late(timeout)
		return nil, errLate
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// ask embeds a question and keeps the answer.
func (x *Vectors) ask(text string, a *asked) {
	ctx, cancel := context.WithTimeout(x.open, askTimeout)
	defer cancel()
	start := time.Now()
	a.value, a.err = x.embedQuestion(ctx, text)
	x.leave(a.err)
	x.mu.Lock()
	defer x.mu.Unlock()
	if a.err == nil {
		x.pace.Store(int64(time.Since(start)))
		x.known.Set(text, a.value)
	} else if !isOfText(a.err) {
		x.fault = a.err
		x.Changed() // Run tries again
	}
	delete(x.asking, text)
	close(a.done)
}

func (x *Vectors) embedQuestion(ctx context.Context, text string) (*vector.Query, error) {
	e := x.connected()
	if e == nil {
		ctx, unlock, err := x.lock(ctx)
		if err != nil {
			return nil, err
		}
		e, err = x.connect(ctx)
		unlock()
		if err != nil {
			return nil, err
		}
	}
	results, err := e.Embed(ctx, embed.Query, []string{text})
	if err != nil {
		return nil, err
	}
	if len(results) != 1 {
		return nil, fmt.Errorf("%w: %d results for one text", embed.ErrProtocol, len(results))
	}
	if results[0].Err != nil {
		return nil, results[0].Err
	}
	return e.store.View().Prepare(results[0].Vector)
}

// isOfText reports whether an error concerns only the text, not the embedder.
func isOfText(err error) bool {
	return errors.Is(err, embed.ErrEmpty) || errors.Is(err, embed.ErrRefused) || errors.Is(err, embed.ErrVector)
}
