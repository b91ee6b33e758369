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
	sinks   []*sinkQueue
	report  func(sink string, err error)
	cancel  context.CancelFunc
	workers sync.WaitGroup

	mu      sync.Mutex
	changed chan struct{} // closed and replaced after each attempt
	dropped int
	untried bool // some message has not been tried recently
}

// sinkQueue holds the pending messages of one sink.
type sinkQueue struct {
	sink    Sink
	wake    chan struct{} // buffered; signals a new message
	pending []*message    // guarded by q.mu
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
	q := &Queue{outbox: box, report: report, cancel: cancel, changed: make(chan struct{})}
	for _, s := range sinks {
		sq := &sinkQueue{sink: s, wake: make(chan struct{}, 1)}
		for _, m := range pending {
			if slices.Contains(m.Pending, s.ID) {
				sq.pending = append(sq.pending, m)
			}
		}
		q.untried = q.untried || len(sq.pending) > 0 && box.retryDue()
		q.sinks = append(q.sinks, sq)
	}
	for _, sq := range q.sinks { // start after all are set up: a message may be in several
		q.workers.Go(func() { q.run(ctx, sq) })
	}
	return q, nil
}

// Send enqueues a message for every sink. It returns once the message is on disk and
// waits for no sink. If the message cannot be stored, Send returns the error; the
// message is still sent while this process lives.
func (q *Queue) Send(text string) error {
	if len(q.sinks) == 0 {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	m, err := q.outbox.create(text)
	q.untried = true
	for _, sq := range q.sinks {
		if sq.pending = append(sq.pending, m); len(sq.pending) > maxPending {
			q.markDelivered(sq, sq.pending[0])
			q.dropped++
		}
		select {
		case sq.wake <- struct{}{}:
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
		idle, changed := !q.untried, q.changed
		if !idle {
			idle = !slices.ContainsFunc(q.sinks, func(sq *sinkQueue) bool { return len(sq.pending) > 0 && sq.lastErr == nil })
		}
		q.mu.Unlock()
		if idle {
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
	q.workers.Wait()
}

// run sends the pending messages of a sink, oldest first.
func (q *Queue) run(ctx context.Context, sq *sinkQueue) {
	backoff := minBackoff
	for ctx.Err() == nil {
		m := q.oldest(sq)
		if m == nil {
			select {
			case <-ctx.Done():
			case <-sq.wake:
			}
			continue
		}
		sendCtx, cancel := context.WithTimeout(ctx, sendTimeout)
		err := sq.sink.Send(sendCtx, m.Text)
		cancel()
		if ctx.Err() != nil && err != nil {
			return // interrupted by Close
		}
		if q.recordAttempt(sq, m, err) && q.report != nil {
			q.report(sq.sink.Name, err)
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

func (q *Queue) oldest(sq *sinkQueue) *message {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(sq.pending) == 0 {
		return nil
	}
	return sq.pending[0]
}

// recordAttempt records the result of an attempt, and reports whether the sink started
// to fail or recovered.
func (q *Queue) recordAttempt(sq *sinkQueue, m *message, err error) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	changed := (sq.lastErr == nil) != (err == nil)
	if sq.lastErr = err; err == nil {
		q.markDelivered(sq, m)
	} else {
		q.outbox.recordFailure()
	}
	close(q.changed)
	q.changed = make(chan struct{})
	return changed
}

// markDelivered removes a message from the queue of a sink, unless it was dropped
// meanwhile. q.mu is held.
func (q *Queue) markDelivered(sq *sinkQueue, m *message) {
	if i := slices.Index(sq.pending, m); i >= 0 {
		sq.pending = slices.Delete(sq.pending, i, i+1)
		q.outbox.markDelivered(m, sq.sink.ID)
	}
}
