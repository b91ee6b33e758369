// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// blockIndex says where the blocks are that are in no pack. It is built when the first one is asked
// for, and then brought up to date when one is not found, so that Append hashes
// nothing.
type blockIndex struct {
	in    vfs.FS
	cond  *condition
	files *files
	log   *journal

	mu   sync.Mutex
	at   map[merkle.Digest]extent
	upTo store.Pos // what lies before is in the index
}

// extent is a part of a segment.
type extent struct {
	segment uint64
	offset  int64
	length  int
}

// block is Store.Block.
func (x *blockIndex) block(d merkle.Digest) ([]byte, error) {
	for {
		if data, err := x.inJournal(d, false); !errors.Is(err, store.ErrNotFound) {
			return data, err
		}
		packs, done, err := x.files.usePacks()
		if err != nil {
			return nil, err
		}
		data, packErr := x.inPacks(packs, d)
		done()
		if packErr == nil {
			return data, nil
		}
		if data, err := x.inJournal(d, true); !errors.Is(err, store.ErrNotFound) {
			return data, err
		}
		if x.files.current() == packs { // else it may have moved between the two looks
			return nil, packErr
		}
	}
}

// inPacks finds a block in packs, the newest first. Of several reasons why
// it has none it returns the first: damage comes before ErrNotFound.
func (x *blockIndex) inPacks(packs *packSet, d merkle.Digest) ([]byte, error) {
	var trouble error
	by := uint64(0)
	for _, p := range slices.Backward(packs.packs) {
		data, err := p.block(d)
		err = x.cond.report(err)
		if data != nil {
			return data, nil
		}
		if err == nil {
			var purged uint64
			purged, err = p.purgedBy(d)
			err, by = x.cond.report(err), max(by, purged)
		}
		trouble = cmp.Or(trouble, err)
	}
	switch {
	case by > 0:
		return nil, &store.Purged{By: by}
	case trouble != nil:
		return nil, trouble
	}
	return nil, store.ErrNotFound
}

// inJournal finds a block in the segments; update says to bring the index up
// to date before giving up.
func (x *blockIndex) inJournal(d merkle.Digest, update bool) ([]byte, error) {
	place, seg, err := x.find(d, update)
	if err != nil {
		return nil, err
	}
	defer x.files.release(seg)
	data := make([]byte, place.length)
	_, err = seg.file.ReadAt(data, place.offset)
	if err == nil && merkle.Sum(data) != d {
		err = seg.layout.damage(place.offset, "digest mismatch")
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// find returns where a block is; the caller releases the segment. The lock
// keeps the segment from being packed meanwhile.
func (x *blockIndex) find(d merkle.Digest, update bool) (extent, *source, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	place, ok := x.at[d]
	if !ok && update {
		if err := x.update(); err != nil {
			return extent{}, nil, err
		}
		place, ok = x.at[d]
	}
	if !ok {
		return extent{}, nil, store.ErrNotFound
	}
	seg, err := x.files.segment(place.segment)
	return place, seg, err
}

// update brings the index up to date. It leaves out what is damaged: each
// block proves itself. x.mu is held.
func (x *blockIndex) update() error {
	if err := x.cond.readable(); err != nil {
		return err
	}
	end, _ := x.log.position()
	corrupt, packed := x.cond.found().Corrupt != nil, x.files.current().last()
	numbers, err := listSegments(x.in)
	if err != nil {
		return err
	}
	for _, number := range numbers {
		from := max(headerSize, x.offsetIn(number))
		limit := int64(-1) // the whole segment
		if number == end.Segment && !corrupt {
			limit = end.Offset
		}
		if number <= packed || number < x.upTo.Segment || number > end.Segment && !corrupt || limit == from {
			continue
		}
		if err := x.addSegment(number, from, limit); err != nil {
			return err
		}
	}
	return nil
}

// offsetIn returns how far a segment is indexed.
func (x *blockIndex) offsetIn(number uint64) int64 {
	if number == x.upTo.Segment {
		return x.upTo.Offset
	}
	return 0
}

func (x *blockIndex) addSegment(number uint64, from, limit int64) error {
	seg, err := x.files.segment(number)
	if errors.Is(err, store.ErrCorrupt) {
		return nil
	}
	if err != nil {
		return err
	}
	defer x.files.release(seg)
	size, err := seg.size()
	if err != nil {
		return err
	}
	if limit < 0 {
		limit = size
	}
	err = seg.reader(from, min(limit, size)).scan(func(f frame) bool {
		if f.Kind.HasDigest() {
			x.at[merkle.Sum(f.Data)] = extent{number, f.dataAt, f.length}
		}
		return true
	})
	if err == nil {
		x.upTo = store.Pos{Segment: number, Offset: limit}
	}
	return err
}

// forget drops the blocks of segments that were moved into packs. x.mu is held.
func (x *blockIndex) forget(last uint64) {
	maps.DeleteFunc(x.at, func(_ merkle.Digest, at extent) bool { return at.segment <= last })
}
