// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/fovea-memory/fovea/internal/record"
	"github.com/fovea-memory/fovea/internal/store"
)

// Replay implements store.Store. Of a position that is in a pack, it reads the pack from
// its beginning. O(bytes read); memory of the largest batch.
func (s *Store) Replay(from store.Pos, fn func(store.Record) error) error {
	s.mu.Lock()
	end, first, closed := s.end, s.first, s.closed
	s.mu.Unlock()
	if closed {
		return replayError(store.ErrClosed)
	}
	if from.Segment == 0 {
		from = store.Pos{Segment: first, Offset: record.HeaderSize}
	}
	next := uint64(0)
	for from.Compare(end) < 0 {
		p, seg, err := s.place(from.Segment)
		switch {
		case err != nil:
			return replayError(err)
		case p != nil:
			err = s.replayPack(p, from, end, fn)
			from, next = store.Pos{Segment: p.Info.Last + 1, Offset: record.HeaderSize}, p.Info.Next
			s.release(&p.shared)
		default:
			next, err = s.replaySegment(seg, from, end, next, fn)
			from = store.Pos{Segment: from.Segment + 1, Offset: record.HeaderSize}
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
	return s.replayRest(p.Each, func(r store.Record) error {
		if r.Pos.Compare(from) < 0 || r.Pos.Compare(end) >= 0 {
			return nil
		}
		return fn(r)
	})
}

// replaySegment replays the rest of one segment; next is the number of its first
// batch if that is known. It returns the number that the next segment begins with.
func (s *Store) replaySegment(seg *segment, from, end store.Pos, next uint64, fn func(store.Record) error) (_ uint64, err error) {
	limit := end.Offset
	if from.Segment != end.Segment {
		if limit, err = seg.Size(); err != nil {
			return 0, replayError(err)
		}
	}
	if from.Offset == record.HeaderSize {
		if bad := seg.Follows(next); bad != nil {
			return 0, replayError(s.corrupt(bad))
		}
		next = seg.Batch
	}
	if from.Offset < record.HeaderSize || from.Offset > limit {
		return 0, replayError(s.damaged(seg.Number, limit, "the segment ends before the position to replay from"))
	}
	walk := seg.Walk(from.Offset, limit, next)
	err = s.replayRest(walk.Each, fn)
	return walk.Next(), err
}

// replayRest calls fn with the rest of the records. An error of fn is returned as it is.
func (s *Store) replayRest(each func(func(store.Record) error) error, fn func(store.Record) error) error {
	var failed error
	err := each(func(r store.Record) error {
		failed = fn(r)
		return failed
	})
	switch {
	case failed != nil:
		return failed
	case err != nil:
		return replayError(s.report(err))
	}
	return nil
}

func replayError(err error) error { return fmt.Errorf("replay journal: %w", err) }

// damaged records corruption of a segment, makes the store read-only and returns the error.
func (s *Store) damaged(number uint64, at int64, reason string) error {
	return s.corrupt(record.SegmentDamage(number, at, reason))
}

// report records a Corruption in an error and makes the store read-only; it returns other
// errors as they are.
func (s *Store) report(err error) error {
	if bad, ok := errors.AsType[*store.Corruption](err); ok {
		return s.corrupt(bad)
	}
	return err
}

// corrupt records corruption; the first counts.
func (s *Store) corrupt(c *store.Corruption) error {
	s.mu.Lock()
	s.recovery.Corrupt = cmp.Or(s.recovery.Corrupt, c)
	s.mu.Unlock()
	_ = s.fail(c)
	return c
}
