// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"fmt"

	"github.com/fovea-memory/fovea/internal/record"
	"github.com/fovea-memory/fovea/internal/store"
)

// replay is one call of Store.Replay.
type replay struct {
	files *files
	from  store.Pos // what is not read yet begins here
	end   store.Pos
	next  uint64 // number of the first batch of the next segment, 0 if unknown
	fn    func(store.Record) error
}

func (r *replay) run() error {
	for r.from.Compare(r.end) < 0 {
		p, seg, err := r.files.place(r.from.Segment)
		switch {
		case err != nil:
			return replayError(err)
		case p != nil:
			err = r.rest(r.pack(p))
			r.from, r.next = store.Pos{Segment: p.Info.Last + 1, Offset: record.HeaderSize}, p.Info.Next
			r.files.release(&p.shared)
		default:
			err = r.segment(seg)
			r.from = store.Pos{Segment: r.from.Segment + 1, Offset: record.HeaderSize}
			r.files.release(&seg.shared)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// pack gives the records of a pack from the position on.
func (r *replay) pack(p *pack) func(fn func(store.Record) error) error {
	return func(fn func(store.Record) error) error {
		return p.Each(func(record store.Record) error {
			if record.Pos.Compare(r.from) < 0 || record.Pos.Compare(r.end) >= 0 {
				return nil
			}
			return fn(record)
		})
	}
}

// segment replays the rest of one segment.
func (r *replay) segment(seg *segment) error {
	limit := r.end.Offset
	if r.from.Segment != r.end.Segment {
		var err error
		if limit, err = seg.Size(); err != nil {
			return replayError(err)
		}
	}
	if r.from.Offset == record.HeaderSize {
		if bad := seg.Follows(r.next); bad != nil {
			return replayError(r.files.cond.corrupt(bad))
		}
		r.next = seg.Batch
	}
	if r.from.Offset < record.HeaderSize || r.from.Offset > limit {
		return replayError(r.files.cond.corrupt(record.SegmentDamage(seg.Number, limit, "the segment ends before the position to replay from")))
	}
	walk := seg.Walk(r.from.Offset, limit, r.next)
	err := r.rest(walk.Each)
	r.next = walk.Next()
	return err
}

// rest calls fn with the records that each gives. An error of fn is returned as it is.
func (r *replay) rest(each func(func(store.Record) error) error) error {
	var failed error
	err := each(func(record store.Record) error {
		failed = r.fn(record)
		return failed
	})
	switch {
	case failed != nil:
		return failed
	case err != nil:
		return replayError(r.files.cond.report(err))
	}
	return nil
}

func replayError(err error) error { return fmt.Errorf("replay journal: %w", err) }
