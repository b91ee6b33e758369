// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ipfs

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/fovea-memory/fovea/internal/archive"
	"github.com/fovea-memory/fovea/internal/bundle"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// PushState puts the newest state of one source on a daemon, plain and without history, and
// pins it. The CID is its root. Errors: as Push, and store.ErrPurged for a state without all of
// its content.
func PushState(ctx context.Context, c *Client, s bundle.Source) (Sent, error) {
	p := &pushing{Job: &Job{Client: c}, ctx: ctx, done: map[merkle.Digest]bool{}}
	err := c.Import(ctx, func(w io.Writer) (int, error) {
		var err error
		if p.out, err = archive.NewWriter(w, s.Root); err == nil {
			err = p.state(&s)
		}
		if err == nil && len(p.sent.Stateless) > 0 {
			err = fmt.Errorf("%s: content of its newest state: %w", s.Name, store.ErrPurged)
		}
		if err == nil {
			err = p.out.Close()
		}
		return p.out.Blocks(), err
	})
	if err == nil {
		err = c.Pin(ctx, s.Root, merkle.Digest{})
	}
	if err != nil {
		return Sent{}, fmt.Errorf("ipfs: %w", err)
	}
	return Sent{CID: s.Root, Root: s.Root, Bytes: p.out.Size()}, nil
}

// states writes what the newest states have and the archive before has not, and a list of it.
// From a number of lists on, all of it is written anew, so that what no state has any more goes.
func (p *pushing) states() error {
	m, before := &p.next.Manifest, p.known.Manifest.States
	p.anew = len(before) >= MaxPacks/2
	for i := range p.Sources {
		if err := p.state(&p.Sources[i]); err != nil {
			return err
		}
	}
	if !p.anew {
		m.States = slices.Clone(before)
	}
	if len(p.fresh) == 0 {
		return nil
	}
	list, err := writeList(p.out, p.fresh)
	m.States = append(m.States, list)
	return err
}

// state writes the blocks of a source's newest state: of the map, the versions and the contents.
// What the archive before has is left out.
func (p *pushing) state(s *bundle.Source) error {
	if s.State == nil || len(s.State.Gone()) > 0 {
		p.sent.Stateless = append(p.sent.Stateless, s.Name)
		return nil
	}
	p.next.States = append(p.next.States, s.Name)
	for _, last := range p.known.Manifest.Scopes {
		if p.anew || last.Scope != s.Name || !slices.Contains(p.known.States, s.Name) {
			continue
		}
		if ids, ok := changed(p.ctx, s, last); ok {
			return p.changes(s.State, ids)
		}
	}
	if err := s.State.Tree().Blocks(p.put); err != nil {
		return err
	}
	for n := range s.State.All() {
		if err := p.node(s.State, n, true); err != nil {
			return err
		}
	}
	return nil
}

// changed returns the ids of the nodes that commits behind one have changed, each with whether
// its own block is another one, and whether that can be told.
func changed(ctx context.Context, s *bundle.Source, since Head) (map[string]bool, bool) {
	ids := map[string]bool{}
	if since.Seq > s.Seq {
		return nil, false
	}
	err := s.Store.Commits(ctx, store.Span{From: since.Seq + 1, To: s.Seq}, func(r store.Record) error {
		c, err := graph.DecodeCommit(r.Data, s.Store.Block)
		if err != nil {
			return err
		}
		for _, change := range c.Delta {
			ids[change.ID] = ids[change.ID] || change.Old == nil || change.New == nil || change.Old.Own != change.New.Own
		}
		return ctx.Err()
	})
	return ids, err == nil
}

// changes writes the blocks of the map on the way to some nodes, and those of the nodes.
func (p *pushing) changes(s *graph.State, ids map[string]bool) error {
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		if err := s.Tree().BlocksOf(merkle.Sum([]byte(id)), p.put); err != nil {
			return err
		}
		if n, ok := s.Get(id); ok {
			if err := p.node(s, n, ids[id]); err != nil {
				return err
			}
		}
	}
	return nil
}

// node writes the blocks of a node's version and, where that is asked for, of its own.
func (p *pushing) node(s *graph.State, n *node.Node, own bool) error {
	kids := make([]merkle.Digest, len(n.Kids))
	for i, id := range n.Kids {
		if k, ok := s.Get(id); ok {
			kids[i] = k.Version
		}
	}
	if _, err := node.VersionBlock(n.Own, kids, p.put); err != nil || !own {
		return err
	}
	return n.Blocks(p.put)
}

// put writes a block once.
func (p *pushing) put(d merkle.Digest, block []byte) error {
	if p.done[d] {
		return p.ctx.Err()
	}
	p.done[d], p.fresh = true, append(p.fresh, d)
	_, err := p.out.Put(block)
	return err
}
