// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"errors"
	"fmt"
	"sync"

	"github.com/fovea-memory/fovea/merkle"
)

// blockIndex says where the blocks are. It is built when the first one is asked
// for, and then brought up to date when one is not found, so that Append hashes
// nothing.
type blockIndex struct {
	mu   sync.Mutex
	at   map[merkle.Digest]extent
	upTo Pos // what lies before is in the index
}

// extent is a part of a segment.
type extent struct {
	segment uint64
	offset  int64
	length  int
}

// Block returns the block or commit with the digest, hashed after it was read;
// the caller owns it. It returns ErrNotFound when no record has it, and a
// Corruption when the record was damaged since it was found. Blocks behind
// damage are found too. The first call reads the journal, O(its size); later
// ones read what was appended since, and then one record.
func (s *Store) Block(d merkle.Digest) ([]byte, error) {
	place, err := s.findBlock(d)
	if err != nil {
		return nil, fmt.Errorf("read block %v: %w", d, err)
	}
	seg, err := s.segment(place.segment)
	if err != nil {
		return nil, fmt.Errorf("read block %v: %w", d, err)
	}
	data := make([]byte, place.length)
	_, err = seg.file.ReadAt(data, place.offset)
	if err == nil && merkle.Sum(data) != d {
		err = &Corruption{File: segmentName(place.segment), Segment: place.segment, Offset: place.offset, Reason: "digest mismatch"}
	}
	if err != nil {
		return nil, fmt.Errorf("read block %v: %w", d, err)
	}
	return data, nil
}

func (s *Store) findBlock(d merkle.Digest) (extent, error) {
	s.blocks.mu.Lock()
	defer s.blocks.mu.Unlock()
	if place, ok := s.blocks.at[d]; ok {
		return place, nil
	}
	if err := s.indexBlocks(); err != nil {
		return extent{}, err
	}
	if place, ok := s.blocks.at[d]; ok {
		return place, nil
	}
	return extent{}, ErrNotFound
}

// indexBlocks brings the index up to date. It leaves out what is damaged: each
// block proves itself. s.blocks.mu is held.
func (s *Store) indexBlocks() error {
	s.mu.Lock()
	end, closed, corrupt := s.end, s.closed, s.recovery.Corrupt != nil
	s.mu.Unlock()
	if closed {
		return ErrClosed
	}
	numbers, err := listSegments(s.in)
	if err != nil {
		return err
	}
	if s.blocks.at == nil {
		s.blocks.at = map[merkle.Digest]extent{}
	}
	for _, number := range numbers {
		from := max(segmentHeaderSize, s.blocks.offsetIn(number))
		limit := int64(-1) // the whole segment
		if number == end.Segment && !corrupt {
			limit = end.Offset
		}
		if number < s.blocks.upTo.Segment || number > end.Segment && !corrupt || limit == from {
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
	if errors.Is(err, ErrCorrupt) {
		return nil
	}
	if err != nil {
		return err
	}
	size, err := seg.size()
	if err != nil {
		return err
	}
	if limit < 0 {
		limit = size
	}
	err = behind(seg, from, min(limit, size), func(f frame, at int64, data []byte) bool {
		if f.kind == Block || f.kind == Commit {
			s.blocks.at[merkle.Sum(data)] = extent{number, at + frameHeaderSize, f.length}
		}
		return true
	})
	if err == nil {
		s.blocks.upTo = Pos{number, limit}
	}
	return err
}
