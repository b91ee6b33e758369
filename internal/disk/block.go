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

// blockIndex maps the digests of blocks in no pack to their places. The first lookup builds it, and a lookup
// that fails extends it, so that Append hashes nothing.
type blockIndex struct {
	in    vfs.FS
	cond  *condition
	files *files
	log   *journal

	mu   sync.Mutex
	at   map[merkle.Digest]extent
	upTo store.Pos // everything before it is indexed
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
		if x.files.current() == packs { // else it may have moved between the two lookups
			return nil, packErr
		}
	}
}

// inPacks finds a block in packs, newest first. If no pack has it, the error is Purged, else the first damage
// found, else ErrNotFound.
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

// inJournal finds a block in the segments; with update set it extends the index before it gives up.
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

// find returns the place of a block; the caller releases the segment. The lock
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

// update extends the index to the end of the journal. It skips damaged records: each block is verified by its
// digest. x.mu is held.
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
		from := int64(headerSize)
		if number == x.upTo.Segment {
			from = max(from, x.upTo.Offset)
		}
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
