// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// Record is one record of the journal.
type Record struct {
	// Kind says what the data is.
	Kind Kind
	// Batch numbers the batch, from 1 and without a gap; the records of one
	// Append share it.
	Batch uint64
	// Pos is where the record stands. It is no place to start a Replay from,
	// unless the record is the first of its batch.
	Pos Pos
	// Data is the record's content. It is the store's and valid until the
	// function that got it returns.
	Data []byte
}

// Replay calls fn with each record from a position on up to what is durable when
// it is called, in order and verified, whole batches only. The position is zero,
// the end of a batch as Append returned it, or an Image's At; one behind the end
// gives no record. An error of fn ends it and is returned as it is. Damage is a
// Corruption and makes the store read-only. O(bytes read); memory of the largest
// batch.
func (s *Store) Replay(from Pos, fn func(Record) error) error {
	s.mu.Lock()
	end, first, closed := s.end, s.first, s.closed
	s.mu.Unlock()
	if closed {
		return replayError(ErrClosed)
	}
	if from.Segment == 0 {
		from = Pos{first, segmentHeaderSize}
	}
	next := uint64(0)
	for ; from.Compare(end) < 0; from = (Pos{from.Segment + 1, segmentHeaderSize}) {
		var err error
		if next, err = s.replaySegment(from, end, next, fn); err != nil {
			return err
		}
	}
	return nil
}

// replaySegment replays the rest of one segment; next is the number of its first
// batch if that is known. It returns the number that the next segment begins with.
func (s *Store) replaySegment(from, end Pos, next uint64, fn func(Record) error) (uint64, error) {
	seg, err := s.segment(from.Segment)
	if err != nil {
		return 0, replayError(err)
	}
	limit := end.Offset
	if from.Segment != end.Segment {
		if limit, err = seg.size(); err != nil {
			return 0, replayError(err)
		}
	}
	if from.Offset == segmentHeaderSize {
		if next != 0 && seg.batch != next {
			return 0, replayError(s.damaged(seg.number, segmentBatchAt, "the segment does not follow the one before"))
		}
		next = seg.batch
	}
	if from.Offset < segmentHeaderSize || from.Offset > limit {
		return 0, replayError(s.damaged(seg.number, limit, "the segment ends before the position to replay from"))
	}
	walk := walkSegment(seg, from.Offset, limit, next)
	var failed error
	for err == nil {
		err = walk.batch(func(r Record) error {
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
	c := &Corruption{File: segmentName(number), Segment: number, Offset: at, Reason: reason}
	s.mu.Lock()
	if s.recovery.Corrupt == nil {
		s.recovery.Corrupt = c
	}
	s.mu.Unlock()
	_ = s.fail(c)
	return c
}

// segment returns a segment open for reading; the store closes it.
func (s *Store) segment(number uint64) (*segment, error) {
	s.mu.Lock()
	seg, closed := s.segments[number], s.closed
	s.mu.Unlock()
	if closed {
		return nil, ErrClosed
	}
	if seg != nil {
		return seg, nil
	}
	seg, err := openSegment(s.in, number)
	switch {
	case errors.Is(err, errBadHeader):
		return nil, s.damaged(number, 0, errBadHeader.Error())
	case errors.Is(err, fs.ErrNotExist):
		return nil, s.damaged(number, 0, "the segment is missing")
	case err != nil:
		return nil, fmt.Errorf("open %s: %w", segmentName(number), err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errors.Join(ErrClosed, seg.file.Close())
	}
	if other := s.segments[number]; other != nil {
		return other, seg.file.Close()
	}
	s.segments[number] = seg
	return seg, nil
}
