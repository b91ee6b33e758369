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
		_ = c.judge(bad)
	}
	next := uint64(1)
	for _, pack := range packs.Packs {
		if err := c.pack(pack, next); err != nil {
			return err
		}
		next = pack.Next
	}
	fresh := files{in: c.s.in, cond: &c.s.cond, segments: map[uint64]*source{}, packs: &packSet{manifest: packs.manifest}}
	defer fresh.close()
	from := store.Pos{Segment: max(packs.last()+1, c.s.log.first), Offset: headerSize}
	r := reading{files: &fresh, from: from, end: end, next: next, fn: func(store.Record) error { return c.record() }}
	for r.from.Compare(end) < 0 {
		if err := c.judge(r.run()); err != nil {
			return err
		}
	}
	return nil
}

// judge reports a Corruption; it returns other errors.
func (c *checker) judge(err error) error {
	if bad, ok := errors.AsType[*store.Corruption](err); ok {
		c.report(*bad)
		err = nil
		_ = c.s.cond.corrupt(bad)
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

// pack opens a pack again and checks it; next is the number that its first batch must have.
func (c *checker) pack(of fileInfo, next uint64) error {
	src, err := openSource(c.s.in, of)
	if err != nil {
		return err
	}
	defer src.close()
	if src.bad == nil && of.Batch != next {
		src.bad = src.layout.damage(0, "the pack does not follow the one before")
	}
	return c.judge(src.check(c.record))
}
