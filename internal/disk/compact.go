// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"context"
	"errors"

	"github.com/fovea-memory/fovea/internal/record"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// source is a file that history is in.
type source struct {
	pack        *pack // nil for a segment
	first, last uint64
	size        int64
}

// compaction writes new packs and puts them in the place of packs and segments.
type compaction struct {
	p          *packing
	ctx        context.Context
	old        *packSet
	sources    []source // the old packs, then the segments behind them
	generation uint64
	keepBatch  uint64                                    // whose intents nothing has settled: the last one
	drop       func(d merkle.Digest, data []byte) uint64 // the commit that says why, 0 for a block that stays
	gone       map[merkle.Digest]uint64                  // to note in the first pack besides

	done   store.Packed
	next   uint64 // number of the next batch
	before uint64 // commits in the packs before
	held   record.Held
}

// begin collects what may be moved: the closed segments below a number. p.mu is held.
func (p *packing) begin(ctx context.Context, below uint64) (*compaction, error) {
	if err := p.cond.writable(); err != nil {
		return nil, err
	}
	end, next := p.log.position()
	p.generation++ // even if this comes to nothing: the manifest may be on the disk
	c := &compaction{p: p, ctx: ctx, old: p.files.current(), generation: p.generation, keepBatch: next - 1, next: 1}
	for _, p := range c.old.packs {
		c.sources = append(c.sources, source{p, p.Info.First, p.Info.Last, p.Info.Size})
	}
	for n := c.old.Last() + 1; n < min(below, end.Segment); n++ {
		info, err := p.in.Stat(record.SegmentName(n))
		if err != nil {
			return nil, err
		}
		c.sources = append(c.sources, source{nil, n, n, info.Size()})
	}
	return c, nil
}

// run writes packs of all sources but the first few, which stay, and makes them
// current.
func (c *compaction) run(keep int) (done store.Packed, err error) {
	list := append([]record.Info(nil), c.old.Packs[:keep]...)
	if keep > 0 {
		last := list[keep-1]
		c.next, c.before = last.Next, last.Before+last.Commits
	}
	for _, p := range c.old.packs[:keep] {
		if err := c.held.Add(p.Pack); err != nil {
			return store.Packed{}, err
		}
	}
	var made []*pack
	named := false // the manifest may name them
	defer func() {
		for _, p := range made {
			err = errors.Join(err, p.Close())
			if !named {
				err = errors.Join(err, c.p.in.Remove(p.Name()))
			}
		}
	}()
	for rest := c.sources[keep:]; len(rest) > 0; {
		n, size := 1, rest[0].size
		for n < len(rest) && size+rest[n].size <= c.p.opts.PackMax {
			size += rest[n].size
			n++
		}
		p, err := c.write(rest[:n])
		if err != nil {
			return store.Packed{}, err
		}
		made, list = append(made, p), append(list, p.Info)
		c.done.Before += size
		c.done.After += p.Info.Size
		c.done.Packs++
		if rest = rest[n:]; len(rest) > 0 {
			if err := c.held.Add(p.Pack); err != nil {
				return store.Packed{}, err
			}
		}
	}
	for _, src := range c.sources[keep:] {
		if src.pack == nil {
			c.done.Segments++
		}
	}
	m := record.Manifest{Generation: c.generation, Packs: list}
	named = true
	c.p.placed.drop(record.ManifestFile)
	if err := vfs.WriteAtomic(c.p.in, record.ManifestFile, m.Encode(), filePerm); err != nil {
		return store.Packed{}, err
	}
	set := &packSet{Manifest: m, packs: append(append([]*pack(nil), c.old.packs[:keep]...), made...)}
	c.p.change(set)
	err = c.p.placed.keep(record.ManifestFile)
	for _, p := range made {
		err = errors.Join(err, c.p.placed.keep(p.Name()))
	}
	made = nil // they are the store's
	return c.done, errors.Join(err, c.remove(keep))
}

// write makes one pack of some sources.
func (c *compaction) write(sources []source) (*pack, error) {
	info := record.Info{First: sources[0].first, Generation: c.generation, Last: sources[len(sources)-1].last, Batch: c.next, Before: c.before}
	info, err := record.WritePack(c.p.in, filePerm, info, c.p.opts.Rand, func(out *record.PackWriter) (uint64, error) {
		for d, by := range c.gone {
			out.Drop(d, by)
		}
		c.gone = nil
		for _, src := range sources {
			if err := c.copy(out, src); err != nil {
				return 0, err
			}
		}
		return c.next, nil
	})
	if err != nil {
		return nil, err
	}
	c.before += info.Commits
	p, err := openPack(c.p.in, info)
	if err == nil && p.Bad != nil {
		err = errors.Join(p.Bad, p.Close())
	}
	return p, err
}

// copy moves the records of one source into a pack.
func (c *compaction) copy(out *record.PackWriter, src source) error {
	if src.pack != nil {
		return c.copyPack(out, src.pack)
	}
	seg, err := c.p.files.segment(src.first)
	if err != nil {
		return err
	}
	defer c.p.files.release(&seg.shared)
	size, err := seg.Size()
	if err != nil {
		return err
	}
	if bad := seg.Follows(c.next); bad != nil {
		return c.p.cond.corrupt(bad)
	}
	walk := seg.Walk(record.HeaderSize, size, seg.Batch)
	err = walk.Each(func(r store.Record) error { return c.add(out, r) })
	c.next = walk.Next()
	return c.p.cond.report(err)
}

func (c *compaction) copyPack(out *record.PackWriter, p *pack) error {
	err := p.Each(func(r store.Record) error { return c.add(out, r) })
	if err == nil {
		err = p.EachPurged(func(d merkle.Digest, by uint64) error { out.Drop(d, by); return nil })
	}
	c.next = p.Info.Next
	return c.p.cond.report(err)
}

// add takes a record over unless it means nothing any more.
func (c *compaction) add(out *record.PackWriter, r store.Record) error {
	if err := c.p.interrupted(c.ctx); err != nil {
		return err
	}
	if r.Kind == store.Intent && r.Batch != c.keepBatch {
		return nil
	}
	var d merkle.Digest
	if r.Kind.HasDigest() {
		d = merkle.Sum(r.Data)
	}
	if c.drop != nil && r.Kind == store.Block {
		if by := c.drop(d, r.Data); by > 0 {
			out.Drop(d, by)
			c.done.Dropped++
			return nil
		}
	}
	if r.Kind == store.Block {
		repeated, err := out.Has(d), error(nil)
		if !repeated {
			repeated, err = c.held.Has(d)
		}
		if repeated || err != nil {
			return err
		}
	}
	return out.Add(r, d)
}

// remove unlinks what the new packs replaced. What stays after an error or a
// crash goes when the store is opened again.
func (c *compaction) remove(keep int) error {
	for _, src := range c.sources[keep:] {
		name := record.SegmentName(src.first)
		if src.pack != nil {
			name = src.pack.Name()
		}
		c.p.placed.drop(name)
		if err := vfs.RemoveIfThere(c.p.in, name); err != nil {
			return err
		}
	}
	return errors.Join(c.p.in.SyncDir(record.JournalFolder), c.p.in.SyncDir(record.PackFolder))
}
