// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/fovea-memory/fovea/internal/store"
)

// Append makes the batch durable and returns the position behind it. Batches of
// goroutines that call it at the same time are written as one group, with one
// sync, in the order of the calls. An empty batch does nothing. With
// Options.Relaxed it returns before the sync.
//
// When the context ends before the batch's turn, its error is returned and
// nothing was written; once writing has begun the result is waited for. After
// any other error the store is read-only (ErrReadOnly), and whether the batch is
// there shows when the store is opened again. A closed store returns ErrClosed.
func (s *Store) Append(ctx context.Context, b *store.Batch) (store.Pos, error) {
	if err := b.Err(); err != nil {
		return store.Pos{}, err
	}
	if err := ctx.Err(); err != nil {
		return store.Pos{}, fmt.Errorf("append batch: %w", err)
	}
	p := &pending{Batch: b}
	g, leads, err := s.join(p)
	if err != nil {
		return store.Pos{}, fmt.Errorf("append batch: %w", err)
	}
	if g == nil {
		return p.end, nil
	}
	var lead chan<- struct{} // nil, which is never ready, for who does not lead
	if leads {
		lead = s.lead
	}
	for {
		select {
		case <-g.done:
			return g.result(p)
		case lead <- struct{}{}:
			s.writeGroup()
		case <-ctx.Done():
			if s.withdraw(g, p, leads) {
				return store.Pos{}, fmt.Errorf("append batch: %w", ctx.Err())
			}
			<-g.done
			return g.result(p)
		}
	}
}

// seal turns the records of a batch, as store.Batch lays them out, into frames: it fills
// in numbers, flags and checksums.
func seal(buf []byte, salt [saltSize]byte, at int64, batch uint64, rank int, groupEnd bool) {
	for start := 0; start < len(buf); {
		length := int(binary.LittleEndian.Uint32(buf[start+frameLengthAt:]))
		whole := buf[start:][:frameSize(length)]
		if start+len(whole) == len(buf) {
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
