// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"time"
)

// Batch is records that become durable together or not at all. The zero Batch
// is empty and ready. A Batch is used by one goroutine, and for one Append.
type Batch struct {
	buf   []byte // the frames, unsealed
	last  int    // where the last frame begins
	count int
	err   error

	intent bool // has an Intent, which is synced at once: a file is touched next
}

// Add appends a record; data is copied. A kind that is not one of the constants
// and data over MaxData make Append fail with ErrKind and ErrTooLarge.
func (b *Batch) Add(kind Kind, data []byte) {
	switch {
	case b.err != nil:
		return
	case !kind.known():
		b.err = fmt.Errorf("add record: %v: %w", kind, ErrKind)
		return
	case len(data) > MaxData:
		b.err = fmt.Errorf("add record: %d bytes: %w", len(data), ErrTooLarge)
		return
	}
	b.last = len(b.buf)
	b.buf = appendFrame(b.buf, kind, data)
	b.count++
	b.intent = b.intent || kind == Intent
}

// Grow makes room for so many more bytes, frames included, so that a large batch
// is not copied while it grows. It is a hint.
func (b *Batch) Grow(bytes int) { b.buf = slices.Grow(b.buf, max(0, bytes)) }

// Len returns the number of records.
func (b *Batch) Len() int { return b.count }

// Size returns what the batch takes in the journal, in bytes.
func (b *Batch) Size() int64 { return int64(len(b.buf)) }

// waiter is an Append that waits for its turn.
type waiter struct {
	batch *Batch
	done  chan struct{} // closed when end and err are set
	end   Pos
	err   error
}

func (w *waiter) finish(end Pos, err error) {
	w.end, w.err = end, err
	close(w.done)
}

// Append makes the batch durable and returns the position behind it. Batches of
// goroutines that call it at the same time are written as one group, with one
// sync, in the order of the calls. An empty batch does nothing. With
// Options.Relaxed it returns before the sync.
//
// When the context ends before the batch's turn, its error is returned and
// nothing was written; once writing has begun the result is waited for. After
// any other error the store is read-only (ErrReadOnly), and whether the batch is
// there shows when the store is opened again. A closed store returns ErrClosed.
func (s *Store) Append(ctx context.Context, b *Batch) (Pos, error) {
	if b.err != nil {
		return Pos{}, b.err
	}
	if err := ctx.Err(); err != nil {
		return Pos{}, fmt.Errorf("append batch: %w", err)
	}
	w := &waiter{batch: b, done: make(chan struct{})}
	if end, err := s.enqueue(w); err != nil || b.count == 0 {
		return end, err
	}
	for {
		select {
		case <-w.done:
			return w.end, w.err
		case s.lead <- struct{}{}:
			s.writeGroup()
			<-s.lead
		case <-ctx.Done():
			if s.withdraw(w) {
				return Pos{}, fmt.Errorf("append batch: %w", ctx.Err())
			}
			<-w.done
			return w.end, w.err
		}
	}
}

func (s *Store) enqueue(w *waiter) (Pos, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.writable(); err != nil {
		return Pos{}, fmt.Errorf("append batch: %w", err)
	}
	if w.batch.count > 0 {
		s.queue = append(s.queue, w)
	}
	return s.end, nil
}

// withdraw takes a waiter out of the queue; false means that it is being written
// or done.
func (s *Store) withdraw(w *waiter) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.queue, w)
	if i < 0 {
		return false
	}
	s.queue = slices.Delete(s.queue, i, i+1)
	return true
}

// maxGroupSize is the size in bytes from which on a group takes no further batch.
const maxGroupSize = 4 << 20

// How long gather waits for one more writer: so many yields, or so long where
// others keep the processors busy.
const (
	gatherYields = 64
	gatherTime   = 20 * time.Microsecond
)

// gather waits for the writers whom the last group woke. They are on their way with
// their next batch, and without them each group would hold half of all writers: one
// half syncs while the other waits. A single writer waits for nobody. The caller
// leads.
func (s *Store) gather() {
	most, grown := 0, time.Now()
	for yields := 0; yields < gatherYields; yields++ {
		s.mu.Lock()
		waiting, writers := len(s.queue), min(s.writers, maxGroup)
		s.mu.Unlock()
		switch {
		case waiting >= writers:
			return
		case waiting > most:
			most, grown, yields = waiting, time.Now(), 0
		case time.Since(grown) > gatherTime:
			return
		}
		runtime.Gosched()
	}
}

// takeGroup takes the batches that are written next out of the queue.
func (s *Store) takeGroup() ([]*waiter, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, size := 0, int64(0)
	for n < len(s.queue) && n < maxGroup && (n == 0 || size+s.queue[n].batch.Size() <= maxGroupSize) {
		size += s.queue[n].batch.Size()
		n++
	}
	group := slices.Clone(s.queue[:n])
	s.queue = slices.Delete(s.queue, 0, n)
	return group, s.writable()
}

// writeGroup writes the next group. The caller leads.
func (s *Store) writeGroup() {
	s.gather()
	group, err := s.takeGroup()
	if len(group) == 0 {
		return
	}
	var ends []Pos
	if err == nil {
		if ends, err = s.writer.write(group); err != nil {
			err = s.fail(err)
		}
	}
	if err != nil {
		for _, w := range group {
			w.finish(Pos{}, fmt.Errorf("append batch: %w", err))
		}
		return
	}
	s.syncLater()
	s.mu.Lock()
	s.end, s.next = ends[len(ends)-1], s.writer.next
	s.writers = len(group) + len(s.queue)
	s.mu.Unlock()
	for i, w := range group {
		w.finish(ends[i], nil)
	}
}

// seal completes the frames of a batch: numbers, flags and checksums.
func (b *Batch) seal(buf []byte, salt [saltSize]byte, at int64, batch uint64, rank int, groupEnd bool) {
	for start := 0; start < len(buf); {
		length := int(binary.LittleEndian.Uint32(buf[start+frameLengthAt:]))
		whole := buf[start:][:frameSize(length)]
		if start == b.last {
			whole[frameFlagsAt] = flagBatchEnd
			if groupEnd {
				whole[frameFlagsAt] |= flagGroupEnd
			}
		}
		binary.LittleEndian.PutUint16(whole[frameRankAt:], uint16(rank))
		binary.LittleEndian.PutUint64(whole[frameBatchAt:], batch)
		binary.LittleEndian.PutUint32(whole[frameCheckAt:], frameCheck(salt, at+int64(start), whole))
		start += len(whole)
	}
}
