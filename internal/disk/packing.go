// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"context"
	"fmt"
	"maps"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// Pack implements store.Packer. It moves the closed segments before the one that the older
// of the two newest images leads into. Without an image, or where nothing is cold, it does
// nothing. Packs are merged so that there are few of them. Replay gives no intents that a
// later batch settled then, and of equal blocks the first alone. A crash leaves the segments
// or the pack. Errors leave the history as it was, unless only the removal of replaced files
// failed; the next Open makes up for it. O(bytes moved, and the tables of the packs before),
// memory of about 80 bytes for each block in the largest pack and 4 for each in the others.
func (s *Store) Pack(ctx context.Context) (store.Packed, error) {
	s.packing.Lock()
	defer s.packing.Unlock()
	done, err := s.pack(ctx)
	if err != nil {
		return store.Packed{}, fmt.Errorf("pack history: %w", err)
	}
	return done, nil
}

func (s *Store) pack(ctx context.Context) (store.Packed, error) {
	s.images.Lock()
	limit, err := olderImageAt(s.in)
	s.images.Unlock()
	if err != nil {
		return store.Packed{}, err
	}
	c, err := s.newCompaction(ctx, limit.Segment)
	if err != nil || len(c.sources) == len(c.old.packs) {
		return store.Packed{}, err
	}
	// A pack is merged while it is no larger than what comes behind it, so the
	// sizes fall by half at least and each record is moved O(log history) times.
	keep, behind := len(c.old.packs), int64(0)
	for _, src := range c.sources[keep:] {
		behind += src.size
	}
	for ; keep > 0 && c.sources[keep-1].size <= behind && c.sources[keep-1].size+behind <= s.opts.PackMax; keep-- {
		behind += c.sources[keep-1].size
	}
	return c.run(keep)
}

// olderImageAt returns the position that the older of the two newest images
// goes up to, zero if there is none.
func olderImageAt(in vfs.FS) (store.Pos, error) {
	seqs, err := listImages(in)
	if err != nil {
		return store.Pos{}, err
	}
	var older store.Pos
	for _, seq := range seqs[:min(len(seqs), maxImages)] {
		at, good, err := imageAt(in, seq)
		if err != nil {
			return store.Pos{}, err
		}
		if good && (older == store.Pos{} || at.Compare(older) < 0) {
			older = at
		}
	}
	return older, nil
}

// interrupted returns why a long work must end.
func (s *Store) interrupted(ctx context.Context) error {
	select {
	case <-s.closing:
		return store.ErrClosed
	default:
		return ctx.Err()
	}
}

// switchPacks makes packs current in memory, when their manifest is durable.
// Files that readers still use stay open for them.
func (s *Store) switchPacks(set *packSet) {
	s.blocks.mu.Lock()
	defer s.blocks.mu.Unlock()
	s.commits.mu.Lock()
	defer s.commits.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := map[*pack]bool{}
	for _, p := range set.packs {
		kept[p] = true
	}
	for _, p := range s.packs.packs {
		if !kept[p] {
			_ = p.retire()
		}
	}
	last := set.Last()
	for number, seg := range s.segments {
		if number <= last {
			_ = seg.retire()
			delete(s.segments, number)
		}
	}
	s.packs = set
	maps.DeleteFunc(s.blocks.at, func(_ merkle.Digest, at extent) bool { return at.segment <= last })
	s.commits.forget(last, set.Commits())
}
