// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"runtime"
	"slices"
	"time"

	"github.com/fovea-memory/fovea/internal/store"
)

// maxGroupSize is the size in bytes from which on a group takes no further batch.
const maxGroupSize = 4 << 20

// pending is a batch of an Append that has not returned. The leader owns its fields.
type pending struct {
	*store.Batch
	end  store.Pos // position after it, set when it is written
	done bool      // it is written, or err is the reason why not
	err  error
}

// join puts a batch at the end of the queue. An empty batch is not queued: its position is the end of the
// journal.
func (j *journal) join(b *pending) error {
	if err := j.cond.writable(); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if b.Len() == 0 {
		b.end = j.end
	} else {
		j.queue = append(j.queue, b)
	}
	return nil
}

// withdraw takes a batch out of the queue; false means that it is being written or done.
func (j *journal) withdraw(b *pending) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	at := slices.Index(j.queue, b)
	if at >= 0 {
		j.queue = slices.Delete(j.queue, at, at+1)
	}
	return at >= 0
}

// Limits on a leader's wait for one more writer: a number of yields, and a time, which ends the
// wait sooner while other processes keep the processors busy.
const (
	gatherYields = 64
	gatherTime   = 20 * time.Microsecond
)

// gathering is a leader's wait for more writers. It restarts with each writer that arrives.
type gathering struct {
	waiting int // the largest number of batches that waited
	since   time.Time
	yields  int // since then
}

// goesOn reports whether to wait longer, given the numbers of queued batches and of expected writers.
func (g *gathering) goesOn(waiting, writers int, now time.Time) bool {
	if waiting > g.waiting {
		*g = gathering{waiting: waiting, since: now}
	}
	g.yields++
	return waiting < writers && g.yields <= gatherYields && now.Sub(g.since) <= gatherTime
}

// gather waits for the writers that the last group woke: their next batches will arrive soon. Without it each
// group would contain half of the writers: one half syncs while the other waits. A single writer does not wait.
// The caller leads.
func (j *journal) gather() {
	g := gathering{since: time.Now()}
	for {
		j.mu.Lock()
		waiting, writers := len(j.queue), min(j.writers, maxGroup)
		j.mu.Unlock()
		if !g.goesOn(waiting, writers, time.Now()) {
			return
		}
		runtime.Gosched()
	}
}

// takeGroup takes the oldest batches out of the queue that become durable with one sync.
func (j *journal) takeGroup() []*pending {
	j.mu.Lock()
	defer j.mu.Unlock()
	n, size := 1, j.queue[0].Size()
	for n < min(len(j.queue), maxGroup) && size+j.queue[n].Size() <= maxGroupSize {
		size += j.queue[n].Size()
		n++
	}
	group := slices.Clone(j.queue[:n])
	j.queue = slices.Delete(j.queue, 0, n)
	return group
}

// writeGroup writes the oldest batches that wait; there is one. The caller leads.
func (j *journal) writeGroup() {
	j.gather()
	group := j.takeGroup()
	err := j.cond.writable()
	if err == nil {
		if err = j.write(group); err != nil {
			err = j.cond.readOnly(err)
		}
	}
	if err == nil {
		j.mu.Lock()
		j.end, j.next = j.written(), j.writer.next
		j.writers = len(group) + len(j.queue)
		j.mu.Unlock()
	}
	for _, b := range group {
		b.done, b.err = true, err
	}
}

// write makes a group durable. Before, it checks that the store still has its lock and that the journal was not
// cut, which writing past its end would hide; after, that all names still lead to what was synced. The caller
// leads.
func (j *journal) write(group []*pending) error {
	if err := j.placed.owned(); err != nil {
		return err
	}
	if err := j.placed.reaches(j.written()); err != nil {
		return err
	}
	if err := j.writer.write(group); err != nil {
		return err
	}
	return j.placed.check(j.written())
}
