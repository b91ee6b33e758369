// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"bytes"
	"context"
	"errors"

	"github.com/fovea-memory/fovea/internal/record"
	"github.com/fovea-memory/fovea/internal/store"
)

// checker is the state of one Check.
type checker struct {
	s       *Store
	ctx     context.Context
	report  func(store.Corruption)
	records uint64
	next    uint64 // number of the first batch of the next file, 0 if unknown
}

func (c *checker) run() error {
	if err := c.s.cond.readable(); err != nil {
		return err
	}
	end, packs := c.s.End(), c.s.files.current()
	m, bad, err := record.ReadManifest(c.s.in)
	if err != nil {
		return err
	}
	if bad == nil && !bytes.Equal(m.Encode(), packs.Encode()) && packs.Generation != 0 {
		bad = &store.Corruption{File: record.ManifestFile, Reason: "not the manifest that was read when the store was opened"}
	}
	if bad != nil {
		c.found(bad)
	}
	for _, info := range packs.Packs {
		if err := c.pack(info); err != nil {
			return err
		}
	}
	numbers, err := record.ListSegments(c.s.in)
	if err != nil {
		return err
	}
	expected := max(packs.Last()+1, c.s.log.first)
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
	c.found(record.SegmentDamage(number, 0, "the segment is missing"))
}

func (c *checker) found(bad *store.Corruption) {
	_ = c.s.cond.corrupt(bad)
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

func (c *checker) record() error {
	if err := c.s.packing.interrupted(c.ctx); err != nil {
		return err
	}
	c.records++
	return nil
}

// segment checks one segment. Each was closed, or is durable up to end.
func (c *checker) segment(number uint64, end store.Pos) error {
	next := c.next
	c.next = 0
	seg, err := record.OpenSegment(c.s.in, number)
	if err != nil {
		return c.judge(err)
	}
	defer seg.Close()
	limit, err := seg.Size()
	if err != nil {
		return err
	}
	if number == end.Segment {
		limit = min(limit, end.Offset)
	}
	if bad := seg.Follows(next); bad != nil {
		c.found(bad)
		return nil
	}
	walk := seg.Walk(record.HeaderSize, limit, seg.Batch)
	if err := walk.Each(func(store.Record) error { return c.record() }); err != nil {
		return c.judge(err)
	}
	if number == end.Segment && walk.At() != end.Offset {
		c.found(record.SegmentDamage(number, walk.At(), "the journal ends here, before what was acknowledged"))
	}
	c.next = walk.Next()
	return nil
}

// pack checks one pack.
func (c *checker) pack(info record.Info) error {
	next := c.next
	c.next = info.Next
	p, err := record.OpenPack(c.s.in, info.Name())
	if err != nil {
		return err
	}
	defer p.Close()
	if p.Expect(info); p.Bad == nil && info.Batch != next {
		p.Bad = p.Damage(0, "the pack does not follow the one before")
	}
	return c.judge(p.Check(c.record))
}
