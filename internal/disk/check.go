// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"bytes"
	"context"
	"errors"

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
	m, bad, err := readManifest(c.s.in)
	if err != nil {
		return err
	}
	if bad == nil && !bytes.Equal(m.encode(), packs.encode()) && packs.Generation != 0 {
		bad = &store.Corruption{File: manifestFile, Reason: "not the manifest that was read when the store was opened"}
	}
	if bad != nil {
		c.found(bad)
	}
	for _, pack := range packs.Packs {
		if err := c.source(pack, end); err != nil {
			return err
		}
	}
	numbers, err := listSegments(c.s.in)
	if err != nil {
		return err
	}
	expected := max(packs.last()+1, c.s.log.first)
	for _, number := range numbers {
		if number < expected || number > end.Segment {
			continue
		}
		if number != expected {
			c.missing(expected)
		}
		if err := c.source(fileInfo{First: number}, end); err != nil {
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
	c.found(segmentDamage(number, 0, "the segment is missing"))
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

// source checks one file, which it opens anew. Each segment was closed, or is durable up to
// end.
func (c *checker) source(of fileInfo, end store.Pos) error {
	next := c.next
	c.next = of.Next
	src, err := openSource(c.s.in, of)
	if err != nil {
		return c.judge(err)
	}
	defer src.close()
	if src.packed() {
		if src.bad == nil && of.Batch != next {
			src.bad = src.layout.damage(0, "the pack does not follow the one before")
		}
		return c.judge(src.check(c.record))
	}
	if bad := src.follows(next); bad != nil {
		c.found(bad)
		return nil
	}
	limit, err := src.size()
	if err != nil {
		return err
	}
	if of.First == end.Segment {
		limit = min(limit, end.Offset)
	}
	walk := src.walk(headerSize, limit, src.info.Batch)
	if err := walk.each(func(store.Record) error { return c.record() }); err != nil {
		return c.judge(err)
	}
	if of.First == end.Segment && walk.at != end.Offset {
		c.found(src.layout.damage(walk.at, "the journal ends here, before what was acknowledged"))
	}
	c.next = walk.next
	return nil
}
