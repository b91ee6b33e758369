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

// Check reads the manifest, every pack and every segment again from their bytes
// and calls fn with what is wrong with them, at most once for each file, in the
// order of the history. It trusts nothing that was read before: it recomputes
// checksums and digests, and makes the tables of the packs anew from the records
// to compare them. It returns how many records verified. Damage makes the store
// read-only, as it does when Replay meets it. Packs are not made meanwhile.
// Errors: ErrClosed, that of the context, those of the file system. O(history);
// memory of 48 bytes for each block in the largest pack.
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
	c.found(&store.Corruption{File: segmentName(number), Segment: number, Reason: "the segment is missing"})
}

func (c *checker) found(bad *store.Corruption) {
	_ = c.s.corrupt(bad)
	c.report(*bad)
}

func (c *checker) record() error {
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
	if errors.Is(err, errBadHeader) {
		c.found(&store.Corruption{File: segmentName(number), Segment: number, Reason: err.Error()})
		return nil
	}
	if err != nil {
		return err
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
		c.found(&store.Corruption{File: segmentName(number), Segment: number, Offset: segmentBatchAt, Reason: notNext})
		return nil
	}
	walk := walkSegment(seg, segmentHeaderSize, limit, seg.batch)
	for err == nil {
		err = walk.batch(func(store.Record) error { return c.record() })
	}
	bad, isDamage := errors.AsType[*damage](err)
	switch {
	case isDamage:
		c.found(&store.Corruption{File: segmentName(number), Segment: number, Offset: bad.at, Reason: bad.reason})
		return nil
	case err != io.EOF:
		return err
	case number == end.Segment && walk.at != end.Offset:
		c.found(&store.Corruption{File: segmentName(number), Segment: number, Offset: walk.at, Reason: "the journal ends here, before what was acknowledged"})
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
		err = &damage{reason: "digest mismatch"}
	}
	if bad, ok := errors.AsType[*damage](err); ok {
		c.found(p.corruption(bad.at, bad.reason))
		return nil
	}
	return err
}

// packRecords checks the records of a pack, and its tables against them.
func (c *checker) packRecords(p *pack) error {
	var index packIndex
	walk, err := p.records(), error(nil)
	for err == nil {
		err = walk.batch(func(at int64, r store.Record) error {
			if r.Kind == store.Block || r.Kind == store.Commit {
				index.add(at, r.Kind, merkle.Sum(r.Data))
			}
			return c.record()
		})
	}
	if err != io.EOF {
		return err
	}
	index.sort()
	commits, digests := p.commitTable(), p.digestTable()
	err = equalRows(commits, len(index.commits), func(b []byte, i int) []byte {
		return binary.LittleEndian.AppendUint64(b, uint64(index.commits[i]))
	})
	if err == nil {
		err = equalRows(digests, len(index.digests), func(b []byte, i int) []byte {
			return binary.LittleEndian.AppendUint64(append(b, index.digests[i].digest[:]...), uint64(index.digests[i].at))
		})
	}
	if err != nil {
		return err
	}
	var last []byte
	for gone, i := p.goneTable(), int64(0); i < p.gone; i++ {
		row, err := gone.row(i)
		if err != nil {
			return err
		}
		if bytes.Compare(row[:merkle.DigestSize], last) <= 0 {
			return &damage{at: gone.at, reason: "a table out of order"}
		}
		last = append(last[:0], row[:merkle.DigestSize]...)
	}
	return nil
}

// equalRows returns a *damage unless the table has just the rows that want
// appends to a slice.
func equalRows(t *table, count int, want func(b []byte, i int) []byte) error {
	differs := &damage{at: t.at, reason: "a table that does not fit the records"}
	if int64(count) != t.rows {
		return differs
	}
	var buf []byte
	for i := range count {
		row, err := t.row(int64(i))
		if err != nil {
			return err
		}
		if buf = want(buf[:0], i); !bytes.Equal(row, buf) {
			return differs
		}
	}
	return nil
}

// Size returns how many bytes journal and packs take. It looks at each file.
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

// Packed reports whether some of the history is in packs.
func (s *Store) Packed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.packs.packs) > 0
}
