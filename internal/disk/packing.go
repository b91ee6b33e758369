// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"context"
	"sync"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// packing makes packs, one compaction at a time.
type packing struct {
	in     vfs.FS
	opts   *Options
	cond   *condition
	placed *placement
	files  *files
	log    *journal
	blocks *blockIndex
	index  *commitIndex

	mu         sync.Mutex // held while packs are made or checked
	generation uint64     // of the newest manifest that was begun; mu guards it
	ending     sync.Once
	closing    chan struct{} // closed when Close begins, so that packing ends
}

// end stops the current compaction and prevents another until done is called.
func (p *packing) end() (done func()) {
	p.ending.Do(func() { close(p.closing) })
	p.mu.Lock()
	return p.mu.Unlock
}

// pack is Store.Pack: it moves the closed segments before below.
func (p *packing) pack(ctx context.Context, below uint64) error {
	c, err := p.begin(ctx, below)
	if err != nil || len(c.sources) == len(c.old.packs) {
		return err
	}
	// A pack is merged while it is no larger than what follows it, so that sizes fall by half at least and each
	// record is moved O(log history) times.
	keep, behind := len(c.old.packs), int64(0)
	for _, src := range c.sources[keep:] {
		behind += src.Size
	}
	for ; keep > 0 && c.sources[keep-1].Size <= behind && c.sources[keep-1].Size+behind <= p.opts.PackMax; keep-- {
		behind += c.sources[keep-1].Size
	}
	return c.run(keep)
}

// rewrite writes all but the newest segment again, without the blocks of gone.
func (p *packing) rewrite(ctx context.Context, gone map[merkle.Digest]uint64) error {
	below, err := p.log.beginSegment()
	if err != nil {
		return err
	}
	c, err := p.begin(ctx, below)
	if err != nil || len(c.sources) == 0 {
		return err
	}
	c.gone = gone
	return c.run(0)
}

// interrupted returns the reason to stop a long operation, nil for none.
func (p *packing) interrupted(ctx context.Context) error {
	select {
	case <-p.closing:
		return store.ErrClosed
	default:
		return ctx.Err()
	}
}

// change makes packs current in memory, when their manifest is durable.
func (p *packing) change(set *packSet) {
	p.blocks.mu.Lock()
	defer p.blocks.mu.Unlock()
	p.index.mu.Lock()
	defer p.index.mu.Unlock()
	p.files.change(set)
	p.blocks.forget(set.last())
	p.index.forget(set.last(), set.commits())
}
