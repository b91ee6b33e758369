// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"sync"

	"github.com/fovea-memory/fovea/internal/store"
)

// commitIndex has the positions of the commits in no pack. Opening fills it if it reads all segments; otherwise
// the first lookup does. Later lookups extend it.
type commitIndex struct {
	cond  *condition
	files *files
	log   *journal

	mu     sync.Mutex
	before uint64      // commits in packs
	at     []store.Pos // of commit before+1 and so on
	upTo   store.Pos   // everything before it is indexed
	next   uint64      // number of the batch at upTo, 0 for any
}

// forget drops the commits that were moved into packs: those up to segment last, the first before ones of the
// history.
func (x *commitIndex) forget(last, before uint64) {
	n := sort.Search(len(x.at), func(i int) bool { return x.at[i].Segment > last })
	x.at, x.before = slices.Clone(x.at[n:]), before
	if x.upTo.Segment <= last {
		x.upTo, x.next = store.Pos{}, 0
	}
}

// each is Store.Commits.
func (x *commitIndex) each(ctx context.Context, span store.Span, fn func(store.Record) error) error {
	newest, err := x.update()
	if err != nil {
		return fmt.Errorf("read commits: %w", err)
	}
	from, to := max(span.From, 1), min(span.To, newest)
	r := commitReader{x: x}
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

// update extends the index and returns the number of the newest commit. The lock keeps segments from being
// packed while they are read. Each part must follow the one before: a commit is found by counting.
func (x *commitIndex) update() (uint64, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.cond.readable(); err != nil {
		return 0, err
	}
	end, _ := x.log.position()
	packs := x.files.current().tail()
	if x.upTo.Segment == 0 {
		x.upTo, x.next = store.Pos{Segment: max(packs.Last+1, x.log.first), Offset: headerSize}, packs.Next
	}
	var found []store.Pos
	r := reading{files: x.files, from: x.upTo, end: end, fn: func(r store.Record) error {
		if r.Kind == store.Commit {
			found = append(found, r.Pos)
		}
		return nil
	}}
	if x.upTo.Offset == headerSize { // else it may begin inside a group
		r.next = x.next
	}
	if err := r.run(); err != nil {
		return 0, err
	}
	if x.upTo.Compare(end) < 0 {
		x.at, x.upTo, x.next = append(x.at, found...), end, max(x.next, r.next)
	}
	return x.before + uint64(len(x.at)), nil
}

// commitReader reads commits by number. It keeps the pack that it read last.
type commitReader struct {
	x    *commitIndex
	pack packCommits
}

func (r *commitReader) done() {
	if r.pack.source != nil {
		r.x.files.release(r.pack.source)
		r.pack = packCommits{}
	}
}

// commit reads the commit with a number that the index has.
func (r *commitReader) commit(seq uint64) (store.Record, error) {
	for {
		if r.pack.has(seq) {
			record, err := r.pack.commit(seq)
			return record, r.x.cond.report(err)
		}
		r.done()
		at, err := r.find(seq)
		if err != nil {
			return store.Record{}, err
		}
		if r.pack.source != nil {
			continue
		}
		record, err := r.x.recordAt(at)
		if !errors.Is(err, errPacked) {
			return record, err
		}
	}
}

// find opens the pack of a commit, or returns its position in the journal. The lock keeps segments from being
// packed meanwhile.
func (r *commitReader) find(seq uint64) (at store.Pos, err error) {
	r.x.mu.Lock()
	defer r.x.mu.Unlock()
	if seq > r.x.before {
		return r.x.at[seq-r.x.before-1], r.x.cond.readable()
	}
	pack, err := r.x.files.packOf(seq)
	if err == nil {
		r.pack = packCommits{pack, pack.commitTable()}
	}
	return store.Pos{}, err
}

// recordAt reads a record of a segment, or returns errPacked.
func (x *commitIndex) recordAt(at store.Pos) (store.Record, error) {
	seg, err := x.files.segment(at.Segment)
	if err != nil {
		return store.Record{}, err
	}
	defer x.files.release(seg)
	upTo, _ := x.log.position() // the newest segment may lose its preallocated end at any moment
	limit := upTo.Offset
	if at.Segment != upTo.Segment {
		if limit, err = seg.size(); err != nil {
			return store.Record{}, err
		}
	}
	record, err := seg.reader(at.Offset, limit).record(at.Offset)
	return record, x.cond.report(err)
}
