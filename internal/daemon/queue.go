// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/fovea-memory/fovea/internal/vfs"
)

const (
	maxPending  = 100              // pending messages per sink
	sendTimeout = 30 * time.Second // of one attempt
	minBackoff  = time.Second      // after a failed attempt; doubles up to maxBackoff
	maxBackoff  = 5 * time.Minute
	retryWait   = time.Minute // after a failed attempt, for which Drain does not wait again
)

// Queue sends messages to sinks and stores pending ones in a file. It is safe for
// concurrent use by one process at a time.
type Queue struct {
	file    string
	workers []*worker
	report  func(sink string, err error)
	cancel  context.CancelFunc
	running sync.WaitGroup

	mu      sync.Mutex
	stored  stored
	changed chan struct{} // closed and replaced after each message and attempt
	dropped int
	untried bool // some message has not been tried recently
}

// stored is the content of the file.
type stored struct {
	Tried   time.Time  `json:"tried,omitzero"` // time of the last failed attempt
	Pending []*message `json:"pending"`        // oldest first
}

// message is an alert that some sinks have not received.
type message struct {
	Text  string   `json:"text"`
	Waits []string `json:"waits"` // Sink.IDs
}

// worker sends to one sink.
type worker struct {
	Sink
	lastErr error // error of the last attempt; guarded by q.mu
}

// NewQueue starts sending to one or more sinks until Close, beginning with the messages pending in
// the file, which need not exist. It drops messages for other sinks, and a file of another form.
// The error is that of reading the file. If report is not nil, it is called with the error when a
// sink starts to fail, and with nil when it recovers.
func NewQueue(file string, sinks []Sink, report func(sink string, err error)) (*Queue, error) {
	q := &Queue{file: file, report: report, changed: make(chan struct{})}
	text, err := vfs.ReadPlain(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("alerts: %w", err)
	}
	if json.Unmarshal(text, &q.stored) != nil {
		q.stored = stored{}
	}
	q.stored.Pending = slices.DeleteFunc(q.stored.Pending, func(m *message) bool {
		if m == nil {
			return true
		}
		m.Waits = slices.DeleteFunc(m.Waits, func(id string) bool {
			return !slices.ContainsFunc(sinks, func(s Sink) bool { return s.ID == id })
		})
		return len(m.Waits) == 0
	})
	q.untried = len(q.stored.Pending) > 0 && time.Since(q.stored.Tried) >= retryWait
	ctx, cancel := context.WithCancel(context.Background())
	q.cancel = cancel
	for _, s := range sinks {
		q.workers = append(q.workers, &worker{Sink: s})
	}
	for _, w := range q.workers {
		q.running.Go(func() { q.run(ctx, w) })
	}
	return q, nil
}

// Send enqueues a message for every sink. It returns once the message is on disk and
// waits for no sink. If the message cannot be stored, Send returns the error; the
// message is still sent while this process lives.
func (q *Queue) Send(text string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	m := &message{Text: text}
	for _, w := range q.workers {
		m.Waits = append(m.Waits, w.ID)
	}
	q.untried = true
	if q.stored.Pending = append(q.stored.Pending, m); len(q.stored.Pending) > maxPending {
		q.stored.Pending = q.stored.Pending[1:]
		q.dropped++
	}
	return q.save()
}

// save stores the messages and signals a change. It removes the file if there are none. q.mu is held.
func (q *Queue) save() error {
	close(q.changed)
	q.changed = make(chan struct{})
	if len(q.stored.Pending) == 0 {
		_ = os.Remove(q.file) // if it remains, its messages are sent again
		return nil
	}
	text, _ := json.Marshal(q.stored) // texts and times always encode
	if err := vfs.WriteFile(q.file, text, 0o600); err != nil {
		return fmt.Errorf("alerts: %w", err)
	}
	return nil
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

// Close stops sending. The next Queue of the file sends the pending messages.
func (q *Queue) Close() {
	q.cancel()
	q.running.Wait()
}

// run sends the pending messages of a sink, oldest first.
func (q *Queue) run(ctx context.Context, w *worker) {
	backoff := minBackoff
	for ctx.Err() == nil {
		q.mu.Lock()
		m, changed := q.oldest(w), q.changed
		q.mu.Unlock()
		if m == nil {
			select {
			case <-ctx.Done():
			case <-changed:
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
	for _, m := range q.stored.Pending {
		if slices.Contains(m.Waits, w.ID) {
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
	if w.lastErr = err; err != nil {
		q.stored.Tried = time.Now()
	} else {
		m.Waits = slices.DeleteFunc(m.Waits, func(id string) bool { return id == w.ID })
		q.stored.Pending = slices.DeleteFunc(q.stored.Pending, func(m *message) bool { return len(m.Waits) == 0 })
	}
	_ = q.save() // after an error the next process sends it again
	return changed
}
