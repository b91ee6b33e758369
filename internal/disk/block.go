// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/fovea-memory/fovea/internal/record"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// blockIndex says where the blocks are that are in no pack. It is built when the first one is asked
// for, and then brought up to date when one is not found, so that Append hashes
// nothing.
type blockIndex struct {
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

// Block implements store.Store. Blocks behind damage are found too. In packs it takes
// O(packs × log blocks) reads; the first call for a block that is in none reads the rest
// of the journal, later ones what was appended since, and then one record.
func (s *Store) Block(d merkle.Digest) ([]byte, error) {
	data, err := s.block(d)
	if err != nil {
		return nil, fmt.Errorf("read block %v: %w", d, err)
	}
	return data, nil
}

func (s *Store) block(d merkle.Digest) ([]byte, error) {
	for {
		if data, err := s.journalBlock(d, false); !errors.Is(err, store.ErrNotFound) {
			return data, err
		}
		packs, done, err := s.usePacks()
		if err != nil {
			return nil, err
		}
		data, packErr := s.packedBlock(packs, d)
		done()
		if packErr == nil {
			return data, nil
		}
		if data, err := s.journalBlock(d, true); !errors.Is(err, store.ErrNotFound) {
			return data, err
		}
		s.mu.Lock()
		same := s.packs == packs
		s.mu.Unlock()
		if same { // else it may have moved between the two looks
			return nil, packErr
		}
	}
}

// packedBlock finds a block in packs, the newest first. Of several reasons why
// it has none it returns the first: damage comes before ErrNotFound.
func (s *Store) packedBlock(packs *packSet, d merkle.Digest) ([]byte, error) {
	var trouble error
	by := uint64(0)
	for _, p := range slices.Backward(packs.packs) {
		data, err := p.Block(d)
		err = s.report(err)
		if data != nil {
			return data, nil
		}
		if err == nil {
			var purged uint64
			purged, err = p.PurgedBy(d)
			err, by = s.report(err), max(by, purged)
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

// journalBlock finds a block in the segments; update says to bring the index up
// to date before giving up.
func (s *Store) journalBlock(d merkle.Digest, update bool) ([]byte, error) {
	place, seg, err := s.findBlock(d, update)
	if err != nil {
		return nil, err
	}
	defer s.release(&seg.shared)
	data := make([]byte, place.length)
	_, err = seg.ReadAt(data, place.offset)
	if err == nil && merkle.Sum(data) != d {
		err = record.SegmentDamage(place.segment, place.offset, "digest mismatch")
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// findBlock returns where a block is; the caller releases the segment. The lock
// keeps the segment from being packed meanwhile.
func (s *Store) findBlock(d merkle.Digest, update bool) (extent, *segment, error) {
	s.blocks.mu.Lock()
	defer s.blocks.mu.Unlock()
	place, ok := s.blocks.at[d]
	if !ok && update {
		if err := s.indexBlocks(); err != nil {
			return extent{}, nil, err
		}
		place, ok = s.blocks.at[d]
	}
	if !ok {
		return extent{}, nil, store.ErrNotFound
	}
	seg, err := s.segment(place.segment)
	return place, seg, err
}

// indexBlocks brings the index up to date. It leaves out what is damaged: each
// block proves itself. s.blocks.mu is held.
func (s *Store) indexBlocks() error {
	s.mu.Lock()
	end, closed, corrupt, packed := s.end, s.closed, s.recovery.Corrupt != nil, s.packs.Last()
	s.mu.Unlock()
	if closed {
		return store.ErrClosed
	}
	numbers, err := record.ListSegments(s.in)
	if err != nil {
		return err
	}
	if s.blocks.at == nil {
		s.blocks.at = map[merkle.Digest]extent{}
	}
	for _, number := range numbers {
		from := max(record.HeaderSize, s.blocks.offsetIn(number))
		limit := int64(-1) // the whole segment
		if number == end.Segment && !corrupt {
			limit = end.Offset
		}
		if number <= packed || number < s.blocks.upTo.Segment || number > end.Segment && !corrupt || limit == from {
			continue
		}
		if err := s.indexSegment(number, from, limit); err != nil {
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

func (s *Store) indexSegment(number uint64, from, limit int64) error {
	seg, err := s.segment(number)
	if errors.Is(err, store.ErrCorrupt) {
		return nil
	}
	if err != nil {
		return err
	}
	defer s.release(&seg.shared)
	size, err := seg.Size()
	if err != nil {
		return err
	}
	if limit < 0 {
		limit = size
	}
	err = seg.Reader(from, min(limit, size)).Scan(func(f record.Frame, data []byte) bool {
		if f.Kind.HasDigest() {
			s.blocks.at[merkle.Sum(data)] = extent{number, f.DataAt, f.Length}
		}
		return true
	})
	if err == nil {
		s.blocks.upTo = store.Pos{Segment: number, Offset: limit}
	}
	return err
}
