// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"errors"
	"fmt"
	"io"

	"github.com/fovea-memory/fovea/internal/store"
)

// Replay calls fn with each record from a position on up to what is durable when
// it is called, in order and verified, whole batches only. The position is zero,
// the end of a batch as Append returned it, or an Image's At; one behind the end
// gives no record. Pack and Rewrite leave positions as they are; one that is in a
// pack takes reading that pack from its beginning. Of blocks that were given before, a
// batch may have none: they are found with Block. An error of fn ends it and is returned
// as it is. Damage is a Corruption and makes the store read-only. O(bytes read); memory
// of the largest batch.
func (s *Store) Replay(from store.Pos, fn func(store.Record) error) error {
	s.mu.Lock()
	end, first, closed := s.end, s.first, s.closed
	s.mu.Unlock()
	if closed {
		return replayError(store.ErrClosed)
	}
	if from.Segment == 0 {
		from = store.Pos{Segment: first, Offset: segmentHeaderSize}
	}
	next := uint64(0)
	for from.Compare(end) < 0 {
		p, seg, err := s.place(from.Segment)
		switch {
		case err != nil:
			return replayError(err)
		case p != nil:
			err = s.replayPack(p, from, end, fn)
			from, next = store.Pos{Segment: p.last + 1, Offset: segmentHeaderSize}, p.next
			s.release(&p.shared)
		default:
			next, err = s.replaySegment(seg, from, end, next, fn)
			from = store.Pos{Segment: from.Segment + 1, Offset: segmentHeaderSize}
			s.release(&seg.shared)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// replayPack replays the records of a pack from a position in it on.
func (s *Store) replayPack(p *pack, from, end store.Pos, fn func(store.Record) error) error {
	if p.bad != nil {
		return replayError(s.corrupt(p.bad))
	}
	var failed error
	walk, err := p.records(), error(nil)
	for err == nil {
		err = walk.batch(func(_ int64, r store.Record) error {
			if r.Pos.Compare(from) >= 0 && r.Pos.Compare(end) < 0 {
				failed = fn(r)
			}
			return failed
		})
	}
	switch {
	case failed != nil:
		return failed
	case err != io.EOF:
		return replayError(s.packTrouble(p, err))
	}
	return nil
}

// replaySegment replays the rest of one segment; next is the number of its first
// batch if that is known. It returns the number that the next segment begins with.
func (s *Store) replaySegment(seg *segment, from, end store.Pos, next uint64, fn func(store.Record) error) (_ uint64, err error) {
	limit := end.Offset
	if from.Segment != end.Segment {
		if limit, err = seg.size(); err != nil {
			return 0, replayError(err)
		}
	}
	if from.Offset == segmentHeaderSize {
		if next != 0 && seg.batch != next {
			return 0, replayError(s.damaged(seg.number, segmentBatchAt, notNext))
		}
		next = seg.batch
	}
	if from.Offset < segmentHeaderSize || from.Offset > limit {
		return 0, replayError(s.damaged(seg.number, limit, "the segment ends before the position to replay from"))
	}
	walk := walkSegment(seg, from.Offset, limit, next)
	var failed error
	for err == nil {
		err = walk.batch(func(r store.Record) error {
			failed = fn(r)
			return failed
		})
	}
	bad, isDamage := errors.AsType[*damage](err)
	switch {
	case failed != nil:
		return 0, failed
	case isDamage:
		return 0, replayError(s.damaged(seg.number, bad.at, bad.reason))
	case err != io.EOF:
		return 0, replayError(err)
	}
	return walk.next, nil
}

func replayError(err error) error { return fmt.Errorf("replay journal: %w", err) }

// damaged records corruption, makes the store read-only and returns the error.
func (s *Store) damaged(number uint64, at int64, reason string) error {
	return s.corrupt(&store.Corruption{File: segmentName(number), Segment: number, Offset: at, Reason: reason})
}

// corrupt is damaged for any file.
func (s *Store) corrupt(c *store.Corruption) error {
	s.mu.Lock()
	if s.recovery.Corrupt == nil {
		s.recovery.Corrupt = c
	}
	s.mu.Unlock()
	_ = s.fail(c)
	return c
}
