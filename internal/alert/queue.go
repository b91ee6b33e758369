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
	kept      = 100              // messages that wait for a sink at most
	patience  = 30 * time.Second // of one try
	firstWait = time.Second      // after a try that failed; doubled each time
	longWait  = 5 * time.Minute
)

// Queue sends messages to sinks. It is safe for concurrent use.
type Queue struct {
	lines []*line
	stop  context.CancelFunc
	done  sync.WaitGroup
}

// line are the messages that wait for one sink.
type line struct {
	sink Sink
	wake chan struct{} // holds one where there is something to send

	mu      sync.Mutex
	waiting []string
	dropped int
	failed  error // of the last try
}

// NewQueue starts to send to sinks, until Close.
func NewQueue(sinks []Sink) *Queue {
	ctx, stop := context.WithCancel(context.Background())
	q := &Queue{stop: stop}
	for _, s := range sinks {
		l := &line{sink: s, wake: make(chan struct{}, 1)}
		q.lines = append(q.lines, l)
		q.done.Go(func() { l.run(ctx) })
	}
	return q
}

// Send has a message sent to every sink, and returns at once.
func (q *Queue) Send(text string) {
	for _, l := range q.lines {
		l.add(text)
	}
}

// Failing says of each sink that does not take messages at present why, and how
// many wait or were dropped.
func (q *Queue) Failing() []string {
	var out []string
	for _, l := range q.lines {
		l.mu.Lock()
		if l.failed != nil {
			out = append(out, fmt.Sprintf("%s: %v; %d messages wait, %d were dropped", l.sink.Name, l.failed, len(l.waiting), l.dropped))
		}
		l.mu.Unlock()
	}
	return out
}

// Close stops sending. Messages that wait are lost.
func (q *Queue) Close() {
	q.stop()
	q.done.Wait()
}

func (l *line) add(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting = append(l.waiting, text); len(l.waiting) > kept {
		l.waiting = slices.Delete(l.waiting, 0, 1)
		l.dropped++
	}
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// run sends what waits, oldest first.
func (l *line) run(ctx context.Context) {
	wait := firstWait
	for {
		text, dropped, ok := l.first()
		if !ok {
			select {
			case <-ctx.Done():
				return
			case <-l.wake:
				continue
			}
		}
		try, stop := context.WithTimeout(ctx, patience)
		err := l.sink.Send(try, text)
		stop()
		l.tried(err, dropped)
		if err == nil {
			wait = firstWait
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
			wait = min(2*wait, longWait)
		}
	}
}

func (l *line) first() (text string, dropped int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		return "", 0, false
	}
	return l.waiting[0], l.dropped, true
}

// tried takes the message off that was sent, unless it was dropped meanwhile.
func (l *line) tried(err error, dropped int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed = err; err == nil && l.dropped == dropped {
		l.waiting = slices.Delete(l.waiting, 0, 1)
	}
}
