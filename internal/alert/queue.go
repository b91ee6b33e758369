// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package alert

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

const (
	maxPending  = 100              // messages that wait at most
	sendTimeout = 30 * time.Second // of one try
	minBackoff  = time.Second      // after a try that failed; doubled each time
	maxBackoff  = 5 * time.Minute
)

// Queue sends messages to sinks, and keeps those that wait in a folder. It is safe
// for concurrent use, by one process at a time.
type Queue struct {
	outbox  *outbox
	sinks   []*sinkQueue
	report  func(sink string, err error)
	cancel  context.CancelFunc
	workers sync.WaitGroup

	mu      sync.Mutex
	changed chan struct{} // closed and made anew when a try ended
	dropped int
	untried bool // a message came that no process has tried before
}

// line are the messages that wait for one sink.
type sinkQueue struct {
	sink    Sink
	wake    chan struct{} // holds one where there is something to send
	pending []*message    // q.mu
	lastErr error         // of the last try; q.mu
}

// NewQueue starts to send to sinks, until Close, beginning with what waits in the
// folder for them. The folder need not exist; an error is that of reading it.
// report, unless it is nil, is told when a sink begins to fail, and with a nil error
// when it takes messages again.
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
	for _, sq := range q.sinks { // a message is on several lines, and all are known now
		q.workers.Go(func() { q.run(ctx, sq) })
	}
	return q, nil
}

// Send has a message sent to every sink. It returns once the message is on the
// disk, and waits for no sink. Where it cannot be kept, it is sent all the same
// while this process lives, and the error says so.
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

// Failures says of each sink that does not take messages at present why, and how
// many wait or were dropped.
func (q *Queue) Failures() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	var out []string
	for _, sq := range q.sinks {
		if sq.lastErr != nil {
			out = append(out, fmt.Sprintf("%s: %v; %d messages wait, %d were dropped", sq.sink.Name, sq.lastErr, len(sq.pending), q.dropped))
		}
	}
	return out
}

// Drain waits until each sink took what waits for it or has failed to, or ctx ends:
// for a process that is about to end. It does not wait where what waits was tried
// in the last minute, by this process or another.
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

// Close stops sending. Messages that wait are sent by the next Queue of the folder.
func (q *Queue) Close() {
	q.cancel()
	q.workers.Wait()
}

// run sends what waits, oldest first.
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
			return // that was not the sink's doing
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

// tried writes down what became of a try, and reports whether that is new.
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

// sent takes a message off a line. It may have been dropped meanwhile. q.mu is held.
func (q *Queue) markDelivered(sq *sinkQueue, m *message) {
	if i := slices.Index(sq.pending, m); i >= 0 {
		sq.pending = slices.Delete(sq.pending, i, i+1)
		q.outbox.markDelivered(m, sq.sink.ID)
	}
}
