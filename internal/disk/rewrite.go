// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"context"
	"errors"
	"fmt"

	"github.com/fovea-memory/fovea/internal/record"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// Rewrite implements store.Rewriter. Quarantine is not looked at. The old files are
// unlinked, not overwritten, and readers that use one at the moment end first, so the bytes
// may stay on the medium and in its backups.
func (s *Store) Rewrite(ctx context.Context, by uint64, drop func(d merkle.Digest, data []byte) bool) (store.Packed, error) {
	s.packing.Lock()
	defer s.packing.Unlock()
	done, err := s.rewrite(ctx, by, drop)
	if err != nil {
		return store.Packed{}, fmt.Errorf("rewrite history: %w", err)
	}
	return done, nil
}

func (s *Store) rewrite(ctx context.Context, by uint64, drop func(d merkle.Digest, data []byte) bool) (store.Packed, error) {
	below, err := s.beginSegment()
	if err != nil {
		return store.Packed{}, err
	}
	c, err := s.newCompaction(ctx, below)
	if err != nil || len(c.sources) == 0 {
		return store.Packed{}, err
	}
	c.by, c.drop = by, drop
	return c.run(0)
}

// beginSegment closes the newest segment, so that what is appended from now on
// is in a later one, and returns the number of that.
func (s *Store) beginSegment() (uint64, error) {
	s.lead <- struct{}{}
	defer func() { <-s.lead }()
	s.mu.Lock()
	err := s.writable()
	s.mu.Unlock()
	w := &s.writer
	if err != nil || w.at <= record.HeaderSize {
		return w.number, err
	}
	if err = w.close(true); err == nil {
		err = w.create(w.number + 1)
	}
	if err != nil {
		return 0, s.fail(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end = store.Pos{Segment: w.number, Offset: w.at}
	return w.number, nil
}

// RemoveImages implements store.Rewriter.
func (s *Store) RemoveImages(before uint64) error {
	s.images.Lock()
	defer s.images.Unlock()
	s.mu.Lock()
	err := s.writable()
	s.mu.Unlock()
	if err == nil {
		err = s.removeImages(before)
	}
	if err != nil {
		return fmt.Errorf("remove images before %d: %w", before, err)
	}
	return nil
}

func (s *Store) removeImages(before uint64) error {
	seqs, err := listImages(s.in)
	for _, seq := range seqs {
		if seq < before && err == nil {
			s.placed.drop(imageName(seq))
			err = s.in.Remove(imageName(seq))
		}
	}
	return errors.Join(err, s.in.SyncDir(imageFolder))
}
