// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"encoding/binary"
	"errors"
	"math/bits"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// heldBlocks finds blocks in the packs before the one being written, so that each block is in one pack only. A
// filter of each table, read once, avoids almost all lookups that would fail. The zero heldBlocks is empty. It
// is for one goroutine.
type heldBlocks struct {
	packs   []*source
	filters []digestFilter
}

// add adds a pack. Blocks in an unreadable part of its table do not count: another copy stays. O(blocks), 4
// bytes of memory for each.
func (b *heldBlocks) add(p *source) error {
	f := newDigestFilter(p.footer.Digests)
	t := p.digestTable()
	for i := range p.footer.Digests {
		row, err := t.row(i)
		if errors.Is(err, store.ErrCorrupt) {
			break
		}
		if err != nil {
			return err
		}
		f.add(merkle.Digest(row))
	}
	b.packs, b.filters = append(b.packs, p), append(b.filters, f)
	return nil
}

// has reports whether a pack has a copy of the block that verifies now, so that
// the caller may drop its own.
func (b *heldBlocks) has(d merkle.Digest) (bool, error) {
	for i, p := range b.packs {
		if !b.filters[i].mayHave(d) {
			continue
		}
		data, err := p.look(d)
		if err != nil && !errors.Is(err, store.ErrCorrupt) {
			return false, err
		}
		if data != nil {
			return true, nil
		}
	}
	return false, nil
}

// digestFilter is a Bloom filter: it reports one in 200 of the digests that were not added. Digests are random,
// so their own bits serve as hashes.
type digestFilter struct {
	words []uint64
	mask  uint64 // of the number of a bit
}

func newDigestFilter(digests int64) digestFilter {
	size := uint64(1) << bits.Len64(uint64(max(digests, 4))*16-1)
	return digestFilter{make([]uint64, size/64), size - 1}
}

func (f *digestFilter) add(d merkle.Digest) {
	for i := range 3 {
		bit := binary.LittleEndian.Uint64(d[8*i:]) & f.mask
		f.words[bit/64] |= 1 << (bit % 64)
	}
}

func (f *digestFilter) mayHave(d merkle.Digest) bool {
	for i := range 3 {
		bit := binary.LittleEndian.Uint64(d[8*i:]) & f.mask
		if f.words[bit/64]&(1<<(bit%64)) == 0 {
			return false
		}
	}
	return true
}
