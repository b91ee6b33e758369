// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// Check implements store.Checker. It reads the manifest, every pack and every segment from
// their bytes and trusts nothing that was read before: it recomputes checksums and digests,
// and makes the tables of the packs anew from the records to compare them. Packs are not
// made meanwhile. O(history); memory of 48 bytes for each block in the largest pack.
func (s *Store) Check(ctx context.Context, fn func(store.Corruption)) (records uint64, err error) {
	s.packing.Lock()
	defer s.packing.Unlock()
	c := &checker{s: s, ctx: ctx, report: fn, next: 1}
	if err := c.run(); err != nil {
		return c.records, fmt.Errorf("check history: %w", err)
	}
	return c.records, nil
}

// checker is the state of one Check.
type checker struct {
	s       *Store
	ctx     context.Context
	report  func(store.Corruption)
	records uint64
	next    uint64 // number of the first batch of the next file, 0 if unknown
}

func (c *checker) run() error {
	s := c.s
	s.mu.Lock()
	end, closed, packs := s.end, s.closed, s.packs
	s.mu.Unlock()
	if closed {
		return store.ErrClosed
	}
	m, bad, err := readManifest(s.in)
	if err != nil {
		return err
	}
	if bad == nil && !bytes.Equal(m.encode(), packs.encode()) && packs.generation != 0 {
		bad = &store.Corruption{File: manifestFile, Reason: "not the manifest that was read when the store was opened"}
	}
	if bad != nil {
		c.found(bad)
	}
	for _, info := range packs.manifest.packs {
		if err := c.pack(info); err != nil {
			return err
		}
	}
	numbers, err := listSegments(s.in)
	if err != nil {
		return err
	}
	expected := max(packs.last()+1, s.first)
	for _, number := range numbers {
		if number < expected || number > end.Segment {
			continue
		}
		if number != expected {
			c.missing(expected)
		}
		if err := c.segment(number, end); err != nil {
			return err
		}
		expected = number + 1
	}
	if expected <= end.Segment {
		c.missing(expected)
	}
	return nil
}

func (c *checker) missing(number uint64) {
	c.next = 0
	c.found(corruption(number, 0, "the segment is missing"))
}

func (c *checker) found(bad *store.Corruption) {
	_ = c.s.corrupt(bad)
	c.report(*bad)
}

// judge reports a Corruption; it returns other errors.
func (c *checker) judge(err error) error {
	if bad, ok := errors.AsType[*store.Corruption](err); ok {
		c.found(bad)
		return nil
	}
	return err
}

func (c *checker) record(int64, store.Record) error {
	if err := c.s.interrupted(c.ctx); err != nil {
		return err
	}
	c.records++
	return nil
}

// segment checks one segment. Each was closed, or is durable up to end.
func (c *checker) segment(number uint64, end store.Pos) error {
	next := c.next
	c.next = 0
	seg, err := openSegment(c.s.in, number)
	if err != nil {
		return c.judge(err)
	}
	defer seg.file.Close()
	limit, err := seg.size()
	if err != nil {
		return err
	}
	if number == end.Segment {
		limit = min(limit, end.Offset)
	}
	if next != 0 && seg.batch != next {
		c.found(corruption(number, segmentBatchAt, notNext))
		return nil
	}
	walk := walkSegment(seg, segmentHeaderSize, limit, seg.batch)
	if err := walk.each(c.record); err != nil {
		return c.judge(err)
	}
	if number == end.Segment && walk.at != end.Offset {
		c.found(corruption(number, walk.at, "the journal ends here, before what was acknowledged"))
	}
	c.next = walk.next
	return nil
}

// pack checks one pack.
func (c *checker) pack(info packInfo) error {
	next := c.next
	c.next = info.next
	p, err := openPack(c.s.in, info.name())
	if err != nil {
		return err
	}
	defer p.retire()
	if p.expect(info); p.bad == nil && p.batch != next {
		p.bad = p.corruption(0, "the pack does not follow the one before")
	}
	if p.bad != nil {
		c.found(p.bad)
		return nil
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(p.file, 0, p.size-packFooterSize)); err != nil {
		return err
	}
	err = c.packRecords(p)
	if err == nil && [sha256.Size]byte(sum.Sum(nil)) != p.digest {
		err = p.corruption(0, "digest mismatch")
	}
	return c.judge(err)
}

// packRecords checks the records of a pack, and its tables against them.
func (c *checker) packRecords(p *pack) error {
	var index packIndex
	if err := walkPack(p).each(func(at int64, r store.Record) error {
		if r.Kind.HasDigest() {
			index.add(at, r.Kind, merkle.Sum(r.Data))
		}
		return c.record(at, r)
	}); err != nil {
		return err
	}
	index.sort()
	if err := p.commitTable().equals(len(index.commits), func(b []byte, i int) []byte {
		return binary.LittleEndian.AppendUint64(b, uint64(index.commits[i]))
	}); err != nil {
		return err
	}
	if err := p.digestTable().equals(len(index.digests), func(b []byte, i int) []byte {
		return binary.LittleEndian.AppendUint64(append(b, index.digests[i].digest[:]...), uint64(index.digests[i].at))
	}); err != nil {
		return err
	}
	var last []byte
	return p.eachPurged(func(d merkle.Digest, _ uint64) error {
		if bytes.Compare(d[:], last) <= 0 {
			return p.corruption(p.goneAt(), "a table out of order")
		}
		last = append(last[:0], d[:]...)
		return nil
	})
}

// Size implements store.Sizer: the bytes of journal and packs. It looks at each file.
func (s *Store) Size() (int64, error) {
	names, err := listPacks(s.in)
	if err != nil {
		return 0, err
	}
	numbers, err := listSegments(s.in)
	if err != nil {
		return 0, err
	}
	for _, n := range numbers {
		names = append(names, segmentName(n))
	}
	size := int64(0)
	for _, name := range names {
		info, err := s.in.Stat(name)
		if err != nil {
			return 0, err
		}
		size += info.Size()
	}
	return size, nil
}

// Packed implements store.Packer.
func (s *Store) Packed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.packs.packs) > 0
}
