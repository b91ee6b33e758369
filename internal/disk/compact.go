// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"context"
	"errors"
	"slices"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// compaction writes new packs that replace packs and segments.
type compaction struct {
	p          *packing
	ctx        context.Context
	old        *packSet
	sources    []fileInfo // the old packs, then the segments after them
	generation uint64
	keepBatch  uint64                   // the last one: nothing has settled its intents
	gone       map[merkle.Digest]uint64 // blocks to leave out, with the commit that gives the reason

	next   uint64 // number of the next batch
	before uint64 // commits in the packs before
	held   heldBlocks
}

// begin collects what may be moved: the closed segments below a number. p.mu is held.
func (p *packing) begin(ctx context.Context, below uint64) (*compaction, error) {
	if err := p.cond.writable(); err != nil {
		return nil, err
	}
	end, next := p.log.position()
	p.generation++ // even if this fails: the manifest may be on disk
	c := &compaction{p: p, ctx: ctx, old: p.files.current(), generation: p.generation, keepBatch: next - 1, next: 1}
	c.sources = slices.Clone(c.old.Packs)
	for n := c.old.last() + 1; n < min(below, end.Segment); n++ {
		stat, err := p.in.Stat(segmentName(n))
		if err != nil {
			return nil, err
		}
		c.sources = append(c.sources, fileInfo{First: n, Last: n, Size: stat.Size()})
	}
	return c, nil
}

// run keeps the first sources as they are, writes packs of the others and makes all current.
func (c *compaction) run(keep int) (err error) {
	set := &packSet{manifest: manifest{c.generation, slices.Clone(c.old.Packs[:keep])}, packs: slices.Clone(c.old.packs[:keep])}
	if kept := set.tail(); keep > 0 {
		c.next, c.before = kept.Next, set.commits()
	}
	for _, p := range set.packs {
		if err := c.held.add(p); err != nil {
			return err
		}
	}
	named := false // the manifest may name them
	defer func() {
		if err == nil || named && c.p.files.current() == set {
			return // the store owns them
		}
		for _, p := range set.packs[keep:] {
			err = errors.Join(err, p.close())
			if !named {
				err = errors.Join(err, c.p.in.Remove(p.info.name()))
			}
		}
	}()
	for rest := c.sources[keep:]; len(rest) > 0; {
		n, size := 1, rest[0].Size
		for n < len(rest) && size+rest[n].Size <= c.p.opts.PackMax {
			size += rest[n].Size
			n++
		}
		p, err := c.write(rest[:n])
		if err != nil {
			return err
		}
		set.packs, set.Packs = append(set.packs, p), append(set.Packs, p.info)
		if rest = rest[n:]; len(rest) > 0 {
			if err := c.held.add(p); err != nil {
				return err
			}
		}
	}
	named = true
	c.p.placed.drop(manifestFile)
	if err := vfs.WriteAtomic(c.p.in, manifestFile, set.encode(), filePerm); err != nil {
		return err
	}
	c.p.change(set)
	err = c.p.placed.keep(manifestFile)
	for _, p := range set.packs[keep:] {
		err = errors.Join(err, c.p.placed.keep(p.info.name()))
	}
	return errors.Join(err, c.remove(keep))
}

// write makes one pack of some sources.
func (c *compaction) write(sources []fileInfo) (*source, error) {
	from, to := store.Pos{Segment: sources[0].First, Offset: headerSize}, store.Pos{Segment: sources[len(sources)-1].Last + 1, Offset: headerSize}
	made := fileInfo{First: from.Segment, Generation: c.generation, Last: to.Segment - 1, Batch: c.next, Before: c.before}
	made, err := writePack(c.p.in, made, c.p.opts.Rand, func(out *packWriter) (uint64, error) {
		if made.First == c.sources[0].First {
			for d, by := range c.gone {
				_ = out.drop(d, by) // it never fails
			}
		}
		r := reading{files: c.p.files, from: from, end: to, next: c.next, fn: func(r store.Record) error { return c.add(out, r) }}
		err := r.run()
		for _, src := range sources {
			if pack := c.old.of(src.First); pack != nil && err == nil {
				err = c.p.cond.report(pack.eachPurged(out.drop))
			}
		}
		c.next = r.next
		return c.next, err
	})
	if err != nil {
		return nil, err
	}
	c.before += made.Commits
	p, err := openSource(c.p.in, made)
	if err == nil && p.bad != nil {
		err = errors.Join(p.bad, p.close())
	}
	return p, err
}

// add copies a record unless it is obsolete.
func (c *compaction) add(out *packWriter, r store.Record) error {
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
	if r.Kind == store.Block {
		if c.gone[d] > 0 || out.has(d) {
			return nil
		}
		if has, err := c.held.has(d); has || err != nil {
			return err
		}
	}
	return out.add(r, d)
}

// remove unlinks what the new packs replaced. The next Open removes what an error or a crash leaves.
func (c *compaction) remove(keep int) error {
	for _, src := range c.sources[keep:] {
		c.p.placed.drop(src.name())
		if err := vfs.RemoveIfThere(c.p.in, src.name()); err != nil {
			return err
		}
	}
	return errors.Join(c.p.in.SyncDir(store.JournalFolder), c.p.in.SyncDir(store.PackFolder))
}
