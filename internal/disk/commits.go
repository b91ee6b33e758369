// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sort"
	"sync"

	"github.com/fovea-memory/fovea/internal/store"
)

// commitIndex says where the commits are that are in no pack. Opening fills it if
// it reads all segments; else it is built when a commit is asked for. It is then
// brought up to date.
type commitIndex struct {
	mu     sync.Mutex
	before uint64      // commits in packs
	at     []store.Pos // of commit before+1 and so on
	upTo   store.Pos   // what lies before is in the index
	next   uint64      // number of the batch at upTo, 0 for any
}

// forget drops what was moved into packs, which end with a segment and have so
// many commits.
func (x *commitIndex) forget(last, before uint64) {
	n := sort.Search(len(x.at), func(i int) bool { return x.at[i].Segment > last })
	x.at, x.before = slices.Clone(x.at[n:]), before
	if x.upTo.Segment <= last {
		x.upTo, x.next = store.Pos{}, 0
	}
}

// Commits implements store.Store. O(commits given), each with one or two reads;
// besides, the part of the journal that is in no pack is read once, by Open or the
// first call.
func (s *Store) Commits(ctx context.Context, span store.Span, fn func(store.Record) error) error {
	newest, err := s.indexCommits()
	if err != nil {
		return fmt.Errorf("read commits: %w", err)
	}
	from, to := max(span.From, 1), min(span.To, newest)
	r := commitReader{s: s}
	defer r.done()
	for i := range max(to+1, from) - from {
		seq := from + i
		if span.Backward {
			seq = to - i
		}
		record, err := r.commit(seq)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("read commit %d: %w", seq, err)
		}
		if err := fn(record); err != nil {
			return err
		}
	}
	return nil
}

// indexCommits brings the index up to date and returns the number of the newest
// commit.
func (s *Store) indexCommits() (uint64, error) {
	s.commits.mu.Lock()
	defer s.commits.mu.Unlock()
	s.mu.Lock()
	end, closed, packs := s.end, s.closed, s.packs.tail()
	s.mu.Unlock()
	if closed {
		return 0, store.ErrClosed
	}
	x := &s.commits
	if x.upTo.Segment == 0 {
		x.upTo, x.next = store.Pos{Segment: max(packs.last+1, s.first), Offset: segmentHeaderSize}, packs.next
	}
	for x.upTo.Compare(end) < 0 {
		if err := s.indexCommitsOf(x.upTo.Segment, end); err != nil {
			return 0, err
		}
	}
	return x.before + uint64(len(x.at)), nil
}

// indexCommitsOf reads one segment; s.commits.mu is held, so it is in no pack. It
// must follow what was read before it: a commit is found by its place in the row.
func (s *Store) indexCommitsOf(number uint64, end store.Pos) error {
	x := &s.commits
	seg, err := s.segment(number)
	if err != nil {
		return err
	}
	defer s.release(&seg.shared)
	limit, next := end.Offset, store.Pos{Segment: number, Offset: end.Offset}
	if number != end.Segment {
		if limit, err = seg.size(); err != nil {
			return err
		}
		next = store.Pos{Segment: number + 1, Offset: segmentHeaderSize}
	}
	if x.upTo.Offset == segmentHeaderSize {
		if x.next != 0 && seg.batch != x.next {
			return s.damaged(number, segmentBatchAt, notNext)
		}
		x.next = seg.batch
	}
	var found []store.Pos
	walk := walkSegment(seg, x.upTo.Offset, limit, 0) // it may begin inside a group
	if err := walk.each(func(_ int64, r store.Record) error {
		if r.Kind == store.Commit {
			found = append(found, r.Pos)
		}
		return nil
	}); err != nil {
		return s.report(err)
	}
	x.at, x.upTo, x.next = append(x.at, found...), next, max(x.next, walk.next)
	return nil
}

// commitReader reads commits by number. It keeps the pack and the page of its
// table that it read last.
type commitReader struct {
	s     *Store
	pack  *pack
	table *table
}

func (r *commitReader) done() {
	if r.pack != nil {
		r.s.release(&r.pack.shared)
		r.pack = nil
	}
}

// commit reads one commit, of which there are so many.
func (r *commitReader) commit(seq uint64) (store.Record, error) {
	for {
		if r.pack != nil && r.pack.before < seq && seq <= r.pack.before+r.pack.commits {
			return r.inPack(seq)
		}
		r.done()
		s := r.s
		s.commits.mu.Lock()
		s.mu.Lock()
		if seq <= s.commits.before {
			p := s.packs.packs[sort.Search(len(s.packs.packs), func(i int) bool { return s.packs.packs[i].before+s.packs.packs[i].commits >= seq })]
			p.users++
			r.pack, r.table = p, nil
		}
		closed := s.closed
		s.mu.Unlock()
		if closed || r.pack != nil {
			s.commits.mu.Unlock()
			if closed {
				return store.Record{}, store.ErrClosed
			}
			continue
		}
		at := s.commits.at[seq-s.commits.before-1]
		s.commits.mu.Unlock()
		record, err := s.recordAt(at)
		if !errors.Is(err, errPacked) {
			return record, err
		}
	}
}

func (r *commitReader) inPack(seq uint64) (store.Record, error) {
	p := r.pack
	if p.bad != nil {
		return store.Record{}, r.s.corrupt(p.bad)
	}
	if r.table == nil {
		r.table = p.commitTable()
	}
	var record store.Record
	row, err := r.table.row(int64(seq - p.before - 1))
	if err == nil {
		record, err = p.recordAt(int64(binary.LittleEndian.Uint64(row)))
	}
	if err == nil && record.Kind != store.Commit {
		err = p.corruption(r.table.at, "the table names a record that is no commit")
	}
	return record, r.s.report(err)
}

// recordAt reads a record of a segment, or returns errPacked.
func (s *Store) recordAt(at store.Pos) (store.Record, error) {
	seg, err := s.segment(at.Segment)
	if err != nil {
		return store.Record{}, err
	}
	defer s.release(&seg.shared)
	// The newest segment may lose its preallocated end at any moment.
	limit := s.End()
	if limit.Segment != at.Segment {
		if limit.Offset, err = seg.size(); err != nil {
			return store.Record{}, err
		}
	}
	from := seg.reader(at.Offset, limit.Offset)
	record, err := from.record(at.Offset)
	return record, s.report(err)
}
