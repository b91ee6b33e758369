// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"context"
	"errors"
	"io"
	"os"

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
	s          *Store
	ctx        context.Context
	old        *packSet
	sources    []source // the old packs, then the segments behind them
	generation uint64
	keepBatch  uint64 // whose intents nothing has settled: the last one
	drop       func(d merkle.Digest, data []byte) bool
	by         uint64 // the commit that says why

	done   store.Packed
	next   uint64 // number of the next batch
	before uint64 // commits in the packs before
	held   packedBefore
}

// newCompaction collects what may be moved: the closed segments below a number.
// s.packing is held.
func (s *Store) newCompaction(ctx context.Context, below uint64) (*compaction, error) {
	s.mu.Lock()
	err, end, next := s.writable(), s.end, s.next
	c := &compaction{s: s, ctx: ctx, old: s.packs, keepBatch: next - 1, next: 1}
	s.generation++ // even if this comes to nothing: the manifest may be on the disk
	c.generation = s.generation
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	for _, p := range c.old.packs {
		c.sources = append(c.sources, source{p, p.first, p.last, p.size})
	}
	for n := c.old.last() + 1; n < min(below, end.Segment); n++ {
		info, err := s.in.Stat(segmentName(n))
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
	list := append([]packInfo(nil), c.old.manifest.packs[:keep]...)
	if keep > 0 {
		last := list[keep-1]
		c.next, c.before = last.next, last.before+last.commits
	}
	for _, p := range c.old.packs[:keep] {
		if err := c.held.add(p); err != nil {
			return store.Packed{}, err
		}
	}
	var made []*pack
	named := false // the manifest may name them
	defer func() {
		for _, p := range made {
			err = errors.Join(err, p.file.Close())
			if !named {
				err = errors.Join(err, c.s.in.Remove(p.layout.name))
			}
		}
	}()
	for rest := c.sources[keep:]; len(rest) > 0; {
		n, size := 1, rest[0].size
		for n < len(rest) && size+rest[n].size <= c.s.opts.PackMax {
			size += rest[n].size
			n++
		}
		p, err := c.write(rest[:n])
		if err != nil {
			return store.Packed{}, err
		}
		made, list = append(made, p), append(list, p.packInfo)
		c.done.Before += size
		c.done.After += p.size
		c.done.Packs++
		if rest = rest[n:]; len(rest) > 0 {
			if err := c.held.add(p); err != nil {
				return store.Packed{}, err
			}
		}
	}
	for _, src := range c.sources[keep:] {
		if src.pack == nil {
			c.done.Segments++
		}
	}
	m := manifest{generation: c.generation, packs: list}
	named = true
	c.s.placed.drop(manifestFile)
	if err := vfs.WriteAtomic(c.s.in, manifestFile, m.encode(), filePerm); err != nil {
		return store.Packed{}, err
	}
	set := &packSet{manifest: m, packs: append(append([]*pack(nil), c.old.packs[:keep]...), made...)}
	c.s.switchPacks(set)
	err = c.s.placed.keep(manifestFile)
	for _, p := range made {
		err = errors.Join(err, c.s.placed.keep(p.layout.name))
	}
	made = nil // they are the store's
	return c.done, errors.Join(err, c.remove(keep))
}

// write makes one pack of some sources.
func (c *compaction) write(sources []source) (*pack, error) {
	header := packHeader{first: sources[0].first, generation: c.generation}
	if _, err := io.ReadFull(c.s.opts.Rand, header.salt[:]); err != nil {
		return nil, err
	}
	info := packInfo{first: header.first, generation: c.generation, last: sources[len(sources)-1].last, batch: c.next, before: c.before}
	err := vfs.WriteAtomicFunc(c.s.in, info.name(), filePerm, func(w io.Writer) error {
		out, err := newPackWriter(w, header)
		if err != nil {
			return err
		}
		for _, src := range sources {
			if err := c.copy(out, src); err != nil {
				return err
			}
		}
		info.next = c.next
		info, err = out.finish(info)
		return err
	})
	if err != nil {
		return nil, err
	}
	c.before += info.commits
	p, err := openPack(c.s.in, info.name())
	if err != nil {
		return nil, err
	}
	if p.expect(info); p.bad != nil {
		return nil, errors.Join(p.bad, p.retire())
	}
	return p, nil
}

// copy moves the records of one source into a pack.
func (c *compaction) copy(out *packWriter, src source) error {
	if src.pack != nil {
		return c.copyPack(out, src.pack)
	}
	seg, err := c.s.segment(src.first)
	if err != nil {
		return err
	}
	defer c.s.release(&seg.shared)
	size, err := seg.size()
	if err != nil {
		return err
	}
	if seg.batch != c.next {
		return c.s.damaged(seg.number, segmentBatchAt, notNext)
	}
	walk := walkSegment(seg, segmentHeaderSize, size, seg.batch)
	err = walk.each(func(_ int64, r store.Record) error { return c.add(out, r) })
	c.next = walk.next
	return c.s.report(err)
}

func (c *compaction) copyPack(out *packWriter, p *pack) error {
	if p.bad != nil {
		return c.s.corrupt(p.bad)
	}
	err := walkPack(p).each(func(_ int64, r store.Record) error { return c.add(out, r) })
	if err == nil {
		err = p.eachPurged(func(d merkle.Digest, by uint64) error { out.drop(d, by); return nil })
	}
	c.next = p.next
	return c.s.report(err)
}

// add takes a record over unless it means nothing any more.
func (c *compaction) add(out *packWriter, r store.Record) error {
	if err := c.s.interrupted(c.ctx); err != nil {
		return err
	}
	if r.Kind == store.Intent && r.Batch != c.keepBatch {
		return nil
	}
	var d merkle.Digest
	if r.Kind.HasDigest() {
		d = merkle.Sum(r.Data)
	}
	if c.drop != nil && r.Kind == store.Block && c.drop(d, r.Data) {
		out.drop(d, c.by)
		c.done.Dropped++
		return nil
	}
	if r.Kind == store.Block {
		repeated, err := out.holds(d), error(nil)
		if !repeated {
			repeated, err = c.held.holds(d)
		}
		if repeated || err != nil {
			return err
		}
	}
	return out.add(r, d)
}

// remove unlinks what the new packs replaced. What stays after an error or a
// crash goes when the store is opened again.
func (c *compaction) remove(keep int) error {
	for _, src := range c.sources[keep:] {
		name := segmentName(src.first)
		if src.pack != nil {
			name = src.pack.layout.name
		}
		c.s.placed.drop(name)
		if err := c.s.in.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return errors.Join(c.s.in.SyncDir(journalFolder), c.s.in.SyncDir(packFolder))
}
