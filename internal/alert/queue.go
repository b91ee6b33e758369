// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package alert

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	maxPending  = 100              // pending messages per sink
	sendTimeout = 30 * time.Second // of one attempt
	minBackoff  = time.Second      // after a failed attempt; doubles up to maxBackoff
	maxBackoff  = 5 * time.Minute
)

// Queue sends messages to sinks and stores pending ones in a folder. It is safe for
// concurrent use by one process at a time.
type Queue struct {
	outbox  *outbox
	workers []*worker
	report  func(sink string, err error)
	cancel  context.CancelFunc
	running sync.WaitGroup

	mu      sync.Mutex
	pending []*message    // that some sink has not received, oldest first
	changed chan struct{} // closed and replaced after each attempt
	dropped int
	untried bool // some message has not been tried recently
}

// worker sends to one sink.
type worker struct {
	Sink
	wake    chan struct{} // buffered; signals a new message
	lastErr error         // error of the last attempt; guarded by q.mu
}

// NewQueue starts sending to sinks until Close, beginning with the messages pending in
// the folder, which need not exist. The error is that of reading the folder. If report
// is not nil, it is called with the error when a sink starts to fail, and with nil when
// it recovers.
func NewQueue(folder string, sinks []Sink, report func(sink string, err error)) (*Queue, error) {
	box, pending, err := openOutbox(folder, sinks)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	q := &Queue{
		outbox: box, report: report, cancel: cancel, pending: pending, changed: make(chan struct{}), untried: len(pending) > 0 && box.retryDue(),
	}
	for _, s := range sinks {
		w := &worker{Sink: s, wake: make(chan struct{}, 1)}
		q.workers = append(q.workers, w)
		q.running.Go(func() { q.run(ctx, w) })
	}
	return q, nil
}

// Send enqueues a message for every sink. It returns once the message is on disk and
// waits for no sink. If the message cannot be stored, Send returns the error; the
// message is still sent while this process lives.
func (q *Queue) Send(text string) error {
	if len(q.workers) == 0 {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	m := &message{Text: text}
	for _, w := range q.workers {
		m.Pending = append(m.Pending, w.ID)
	}
	err := q.outbox.create(m)
	q.untried = true
	if q.pending = append(q.pending, m); len(q.pending) > maxPending {
		q.remove(q.pending[0])
		q.dropped++
	}
	for _, w := range q.workers {
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
	return err
}

// Drain waits until each sink has received its pending messages or has failed, or ctx
// is done. A process calls it before it exits. It does not wait if all pending messages
// were tried in the last minute, by this process or another.
func (q *Queue) Drain(ctx context.Context) {
	for {
		q.mu.Lock()
		waits := q.untried && slices.ContainsFunc(q.workers, func(w *worker) bool { return w.lastErr == nil && q.oldest(w) != nil })
		changed := q.changed
		q.mu.Unlock()
		if !waits {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
	}
}

// Close stops sending. The next Queue of the folder sends the pending messages.
func (q *Queue) Close() {
	q.cancel()
	q.running.Wait()
}

// run sends the pending messages of a sink, oldest first.
func (q *Queue) run(ctx context.Context, w *worker) {
	backoff := minBackoff
	for ctx.Err() == nil {
		q.mu.Lock()
		m := q.oldest(w)
		q.mu.Unlock()
		if m == nil {
			select {
			case <-ctx.Done():
			case <-w.wake:
			}
			continue
		}
		sendCtx, cancel := context.WithTimeout(ctx, sendTimeout)
		err := w.Send(sendCtx, m.Text)
		cancel()
		if ctx.Err() != nil && err != nil {
			return // interrupted by Close
		}
		if q.recordAttempt(w, m, err) && q.report != nil {
			q.report(w.Name, err)
		}
		if err == nil {
			backoff = minBackoff
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(backoff):
			backoff = min(2*backoff, maxBackoff)
		}
	}
}

// oldest returns the first message that a sink has not received, nil for none. q.mu is held.
func (q *Queue) oldest(w *worker) *message {
	for _, m := range q.pending {
		if slices.Contains(m.Pending, w.ID) {
			return m
		}
	}
	return nil
}

// recordAttempt records the result of an attempt, and reports whether the sink started
// to fail or recovered.
func (q *Queue) recordAttempt(w *worker, m *message, err error) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	changed := (w.lastErr == nil) != (err == nil)
	switch w.lastErr = err; {
	case err != nil:
		q.outbox.recordFailure()
	case slices.Contains(q.pending, m): // else it was dropped meanwhile
		m.Pending = slices.DeleteFunc(m.Pending, func(id string) bool { return id == w.ID })
		if len(m.Pending) == 0 {
			q.remove(m)
			break
		}
		_ = q.outbox.write(m) // if that fails, the next process sends it again
	}
	close(q.changed)
	q.changed = make(chan struct{})
	return changed
}

// remove removes a message. q.mu is held.
func (q *Queue) remove(m *message) {
	q.pending = slices.DeleteFunc(q.pending, func(other *message) bool { return other == m })
	q.outbox.remove(m)
}
