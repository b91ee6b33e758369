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
	kept      = 100              // messages that wait at most
	patience  = 30 * time.Second // of one try
	firstWait = time.Second      // after a try that failed; doubled each time
	longWait  = 5 * time.Minute
)

// Queue sends messages to sinks, and keeps those that wait in a folder. It is safe
// for concurrent use, by one process at a time.
type Queue struct {
	out    *outbox
	lines  []*line
	report func(sink string, err error)
	stop   context.CancelFunc
	done   sync.WaitGroup

	mu      sync.Mutex
	moved   chan struct{} // closed and made anew when a try ended
	dropped int
	fresh   bool // a message came that no process has tried before
}

// line are the messages that wait for one sink.
type line struct {
	sink    Sink
	wake    chan struct{} // holds one where there is something to send
	waiting []*message    // q.mu
	failed  error         // of the last try; q.mu
}

// NewQueue starts to send to sinks, until Close, beginning with what waits in the
// folder for them. The folder need not exist; an error is that of reading it.
// report, unless it is nil, is told when a sink begins to fail, and with a nil error
// when it takes messages again.
func NewQueue(folder string, sinks []Sink, report func(sink string, err error)) (*Queue, error) {
	out, waiting, err := openOutbox(folder, sinks)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	q := &Queue{out: out, report: report, stop: stop, moved: make(chan struct{})}
	for _, s := range sinks {
		l := &line{sink: s, wake: make(chan struct{}, 1)}
		for _, m := range waiting {
			if slices.Contains(m.Waits, s.ID) {
				l.waiting = append(l.waiting, m)
			}
		}
		q.fresh = q.fresh || len(l.waiting) > 0 && out.stale()
		q.lines = append(q.lines, l)
	}
	for _, l := range q.lines { // a message is on several lines, and all are known now
		q.done.Go(func() { q.run(ctx, l) })
	}
	return q, nil
}

// Send has a message sent to every sink. It returns once the message is on the
// disk, and waits for no sink. Where it cannot be kept, it is sent all the same
// while this process lives, and the error says so.
func (q *Queue) Send(text string) error {
	if len(q.lines) == 0 {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	m, err := q.out.add(text)
	q.fresh = true
	for _, l := range q.lines {
		if l.waiting = append(l.waiting, m); len(l.waiting) > kept {
			q.sent(l, l.waiting[0])
			q.dropped++
		}
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
	return err
}

// Failing says of each sink that does not take messages at present why, and how
// many wait or were dropped.
func (q *Queue) Failing() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	var out []string
	for _, l := range q.lines {
		if l.failed != nil {
			out = append(out, fmt.Sprintf("%s: %v; %d messages wait, %d were dropped", l.sink.Name, l.failed, len(l.waiting), q.dropped))
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
		idle, moved := !q.fresh, q.moved
		if !idle {
			idle = !slices.ContainsFunc(q.lines, func(l *line) bool { return len(l.waiting) > 0 && l.failed == nil })
		}
		q.mu.Unlock()
		if idle {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-moved:
		}
	}
}

// Close stops sending. Messages that wait are sent by the next Queue of the folder.
func (q *Queue) Close() {
	q.stop()
	q.done.Wait()
}

// run sends what waits, oldest first.
func (q *Queue) run(ctx context.Context, l *line) {
	wait := firstWait
	for ctx.Err() == nil {
		m := q.first(l)
		if m == nil {
			select {
			case <-ctx.Done():
			case <-l.wake:
			}
			continue
		}
		try, stop := context.WithTimeout(ctx, patience)
		err := l.sink.Send(try, m.Text)
		stop()
		if ctx.Err() != nil && err != nil {
			return // that was not the sink's doing
		}
		if q.tried(l, m, err) && q.report != nil {
			q.report(l.sink.Name, err)
		}
		if err == nil {
			wait = firstWait
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
			wait = min(2*wait, longWait)
		}
	}
}

func (q *Queue) first(l *line) *message {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(l.waiting) == 0 {
		return nil
	}
	return l.waiting[0]
}

// tried writes down what became of a try, and reports whether that is new.
func (q *Queue) tried(l *line, m *message, err error) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	turned := (l.failed == nil) != (err == nil)
	if l.failed = err; err == nil {
		q.sent(l, m)
	} else {
		q.out.touch()
	}
	close(q.moved)
	q.moved = make(chan struct{})
	return turned
}

// sent takes a message off a line. It may have been dropped meanwhile. q.mu is held.
func (q *Queue) sent(l *line, m *message) {
	if i := slices.Index(l.waiting, m); i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
		q.out.sent(m, l.sink.ID)
	}
}
