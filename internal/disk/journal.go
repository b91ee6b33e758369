// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"context"
	"sync"

	"github.com/fovea-memory/fovea/internal/store"
)

// journal appends to the newest segment. Batches that wait at the same time become one
// group; a group is written only after the one before is durable, in the order of the calls.
// It is safe for concurrent use.
type journal struct {
	opts   *Options
	cond   *condition
	placed *placement
	first  uint64 // number of the first segment there is or will be

	// lead is held, by sending, by the goroutine that writes or closes; writer belongs to it.
	lead   chan struct{}
	writer writer

	mu      sync.Mutex
	queue   []*pending // what waits, the oldest first
	writers int        // how many wrote at the same time, when the last group was synced
	end     store.Pos
	next    uint64 // number of the next batch
}

// position returns the end of the journal, and the number of the batch that comes next.
func (j *journal) position() (end store.Pos, next uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.end, j.next
}

// written returns where the writer is. The caller leads.
func (j *journal) written() store.Pos {
	return store.Pos{Segment: j.writer.number, Offset: j.writer.at}
}

// append is Store.Append: it queues a batch and waits for its turn to write, in which it may find
// that another call has written the batch. A batch whose context ends before that is taken out.
func (j *journal) append(ctx context.Context, b *store.Batch) (store.Pos, error) {
	if err := b.Err(); err != nil {
		return store.Pos{}, err
	}
	p := &pending{Batch: b}
	err := ctx.Err()
	if err == nil {
		err = j.join(p)
	}
	if err == nil && b.Len() > 0 {
		select {
		case j.lead <- struct{}{}:
		case <-ctx.Done():
			if j.withdraw(p) {
				return store.Pos{}, doing(ctx.Err(), "append batch")
			}
			j.lead <- struct{}{}
		}
		for !p.done {
			j.writeGroup()
		}
		<-j.lead
		err = p.err
	}
	return p.end, doing(err, "append batch")
}

// sync is Store.Sync: it syncs what was written, where its name still leads to it.
func (j *journal) sync() error {
	j.lead <- struct{}{}
	defer func() { <-j.lead }()
	err := j.cond.writable()
	if err == nil && j.writer.late > 0 {
		if err = j.writer.sync(); err == nil {
			err = j.placed.check(j.written())
		}
		if err != nil {
			err = j.cond.readOnly(err)
		}
	}
	return doing(err, "sync journal")
}

// beginSegment closes the newest segment, so that what is appended from now on
// is in a later one, and returns the number of that.
func (j *journal) beginSegment() (uint64, error) {
	j.lead <- struct{}{}
	defer func() { <-j.lead }()
	w := &j.writer
	if err := j.cond.writable(); err != nil || w.at <= headerSize {
		return w.number, err
	}
	err := w.close(true)
	if err == nil {
		err = w.create(w.number + 1)
	}
	if err != nil {
		return 0, j.cond.readOnly(err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.end = j.written()
	return w.number, nil
}
