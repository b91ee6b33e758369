// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/fovea-memory/fovea/internal/store"
)

// maxGroupSize is the size in bytes from which on a group takes no further batch.
const maxGroupSize = 4 << 20

// pending is a batch of an Append that has not returned.
type pending struct {
	*store.Batch
	end store.Pos // behind it, set when it is written
}

// group is batches that become durable with one sync. The Append that begins a
// group leads it: it waits until the group before is durable and writes its own;
// the others wait for done, which wakes them all at once. journal.mu guards a group
// as long as it is in the queue; then it is the leader's.
type group struct {
	batches []*pending
	size    int64
	done    chan struct{} // closed when err and the ends of the batches are set
	err     error
}

// result is what Append returns for a batch of a group that is done.
func (g *group) result(b *pending) (store.Pos, error) {
	if g.err != nil {
		return store.Pos{}, fmt.Errorf("append batch: %w", g.err)
	}
	return b.end, nil
}

// finish wakes all calls of Append that wait for the group.
func (g *group) finish(err error) {
	g.err = err
	close(g.done)
}

// full reports whether a batch of size bytes needs another group.
func (g *group) full(size int64) bool {
	return len(g.batches) == maxGroup || g.size+size > maxGroupSize
}

// join puts a batch into the newest group that waits, or begins one, which the
// caller then leads. An empty batch needs none: it is at the journal's end.
func (j *journal) join(b *pending) (g *group, leads bool, err error) {
	if err := j.cond.writable(); err != nil {
		return nil, false, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if b.Len() == 0 {
		b.end = j.end
		return nil, false, nil
	}
	if n := len(j.queue); n > 0 {
		g = j.queue[n-1]
	}
	if leads = g == nil || g.full(b.Size()); leads {
		g = &group{batches: make([]*pending, 0, j.writers), done: make(chan struct{})}
		j.queue = append(j.queue, g)
	}
	g.batches = append(g.batches, b)
	g.size += b.Size()
	return g, leads, nil
}

// withdraw takes a batch out of its group; false means that the group is being
// written or done. If the batch led others, they are led on without it.
func (j *journal) withdraw(g *group, b *pending, leads bool) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	at := slices.Index(j.queue, g)
	if at < 0 {
		return false
	}
	g.batches = slices.DeleteFunc(g.batches, func(other *pending) bool { return other == b })
	g.size -= b.Size()
	switch {
	case len(g.batches) == 0:
		j.queue = slices.Delete(j.queue, at, at+1)
		g.finish(nil)
	case leads:
		go j.leadOn(g)
	}
	return true
}

// leadOn leads a group after its leader gave up.
func (j *journal) leadOn(g *group) {
	for {
		select {
		case <-g.done:
			return
		case j.lead <- struct{}{}:
			j.writeGroup()
		}
	}
}

// Limits on a leader's wait for one more writer: a number of yields, and a time, which ends the
// wait sooner while other processes keep the processors busy.
const (
	gatherYields = 64
	gatherTime   = 20 * time.Microsecond
)

// gathering is a leader's wait for more writers. It begins anew with each that arrives.
type gathering struct {
	waiting int // the largest number of batches that waited
	since   time.Time
	yields  int // since then
}

// goesOn reports whether to wait longer while waiting batches are queued and writers are
// expected.
func (g *gathering) goesOn(waiting, writers int, now time.Time) bool {
	if waiting > g.waiting {
		*g = gathering{waiting: waiting, since: now}
	}
	g.yields++
	return waiting < writers && g.yields <= gatherYields && now.Sub(g.since) <= gatherTime
}

// gather waits for the writers that the last group woke. They are on their way with
// their next batch, and without them each group would hold half of all writers: one
// half syncs while the other waits. A single writer does not wait. The caller
// leads.
func (j *journal) gather() {
	g := gathering{since: time.Now()}
	for {
		j.mu.Lock()
		waiting, writers := j.waiting(), min(j.writers, maxGroup)
		j.mu.Unlock()
		if !g.goesOn(waiting, writers, time.Now()) {
			return
		}
		runtime.Gosched()
	}
}

// waiting counts the batches that wait. j.mu is held.
func (j *journal) waiting() (n int) {
	for _, g := range j.queue {
		n += len(g.batches)
	}
	return n
}

// takeGroup takes the oldest group out of the queue, nil if there is none.
func (j *journal) takeGroup() (*group, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.queue) == 0 {
		return nil, nil
	}
	g := j.queue[0]
	j.queue = slices.Delete(j.queue, 0, 1)
	return g, j.cond.writable()
}

// writeGroup writes the oldest group. The caller leads, and does not any more then:
// the next group may begin before the writers of this one have woken.
func (j *journal) writeGroup() {
	j.gather()
	g, err := j.takeGroup()
	if g == nil {
		<-j.lead
		return
	}
	if err == nil {
		if err = j.write(g.batches); err != nil {
			err = j.cond.readOnly(err)
		}
	}
	if err == nil {
		j.mu.Lock()
		j.end, j.next = j.written(), j.writer.next
		j.writers = len(g.batches) + j.waiting()
		j.mu.Unlock()
	}
	<-j.lead
	g.finish(err)
}

// write makes a group durable, if the store still has its lock and the journal was not
// cut, which writing behind its end would hide, and then makes sure that all is in its
// place: the names lead to what was synced. The caller leads.
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
