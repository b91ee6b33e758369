// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"sync"

	"github.com/fovea-memory/fovea/internal/record"
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
	end, closed, packs := s.end, s.closed, s.packs.Tail()
	s.mu.Unlock()
	if closed {
		return 0, store.ErrClosed
	}
	x := &s.commits
	if x.upTo.Segment == 0 {
		x.upTo, x.next = store.Pos{Segment: max(packs.Last+1, s.first), Offset: record.HeaderSize}, packs.Next
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
		if limit, err = seg.Size(); err != nil {
			return err
		}
		next = store.Pos{Segment: number + 1, Offset: record.HeaderSize}
	}
	if x.upTo.Offset == record.HeaderSize {
		if bad := seg.Follows(x.next); bad != nil {
			return s.corrupt(bad)
		}
		x.next = seg.Batch
	}
	var found []store.Pos
	walk := seg.Walk(x.upTo.Offset, limit, 0) // it may begin inside a group
	if err := walk.Each(func(r store.Record) error {
		if r.Kind == store.Commit {
			found = append(found, r.Pos)
		}
		return nil
	}); err != nil {
		return s.report(err)
	}
	x.at, x.upTo, x.next = append(x.at, found...), next, max(x.next, walk.Next())
	return nil
}

// commitReader reads commits by number. It keeps the pack that it read last.
type commitReader struct {
	s      *Store
	pack   *pack // nil for none
	inPack *record.Commits
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
		if r.pack != nil && r.inPack.Has(seq) {
			record, err := r.inPack.Commit(seq)
			return record, r.s.report(err)
		}
		r.done()
		s := r.s
		s.commits.mu.Lock()
		s.mu.Lock()
		if seq <= s.commits.before {
			infos := s.packs.Packs
			p := s.packs.packs[sort.Search(len(infos), func(i int) bool { return infos[i].Before+infos[i].Commits >= seq })]
			p.users++
			r.pack, r.inPack = p, p.Commits()
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
		if limit.Offset, err = seg.Size(); err != nil {
			return store.Record{}, err
		}
	}
	record, err := seg.Record(at.Offset, limit.Offset)
	return record, s.report(err)
}
