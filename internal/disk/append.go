// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
)

// Batch is records that become durable together or not at all. The zero Batch
// is empty and ready. A Batch is used by one goroutine, and for one Append.
type Batch struct {
	buf   []byte // the frames, unsealed
	last  int    // where the last frame begins
	count int
	err   error

	intent bool // has an Intent, which is synced at once: a file is touched next
	end    Pos  // behind it, once it is written
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
	g, leads, err := s.join(b)
	if err != nil {
		return Pos{}, fmt.Errorf("append batch: %w", err)
	}
	if g == nil {
		return b.end, nil
	}
	var lead chan<- struct{} // nil, which is never ready, for who does not lead
	if leads {
		lead = s.lead
	}
	for {
		select {
		case <-g.done:
			return g.result(b)
		case lead <- struct{}{}:
			s.writeGroup()
		case <-ctx.Done():
			if s.withdraw(g, b, leads) {
				return Pos{}, fmt.Errorf("append batch: %w", ctx.Err())
			}
			<-g.done
			return g.result(b)
		}
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
