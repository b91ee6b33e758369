// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ipfs

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// PushState writes the newest state of the first source to a daemon, plain and without history, and
// pins it. The CID is its root. Errors: those of Push, and store.ErrPurged if the state lacks
// content.
func PushState(ctx context.Context, job *Job) (Sent, error) {
	if len(job.Sources) == 0 {
		return Sent{}, place.ErrNothing
	}
	p, s := &pushing{Job: job, ctx: ctx, done: map[merkle.Digest]bool{}}, &job.Sources[0]
	if err := Record(job.State, s.Root); err != nil {
		return Sent{}, err
	}
	err := job.Client.Import(ctx, func(w io.Writer) (int, error) {
		var err error
		if p.out, err = place.NewWriter(w, s.Root); err == nil {
			err = p.state(s)
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
		err = job.Client.Pin(ctx, s.Root, merkle.Digest{})
	}
	if err != nil {
		return Sent{}, err
	}
	return Sent{CID: s.Root, Root: s.Root, Carried: Carried{Bytes: p.out.Size()}}, nil
}

// states writes the blocks of the newest states that the previous archive lacks, and a list of them.
// Sometimes it writes everything, so that obsolete blocks disappear.
func (p *pushing) states() error {
	m, before := &p.next.Manifest, p.known.Manifest.States
	p.anew = p.known.Lists.stale(before)
	for i := range p.Sources {
		if err := p.state(&p.Sources[i]); err != nil {
			return err
		}
	}
	if p.anew {
		before = nil
	}
	m.States, p.next.Lists = slices.Clone(before), p.known.Lists
	if len(p.fresh) == 0 {
		return nil
	}
	var err error
	m.States, err = p.next.Lists.add(p.out, m.States, p.fresh)
	return err
}

// state writes the blocks of a source's newest state, of its map, versions and contents, that the
// previous archive lacks.
func (p *pushing) state(s *place.Source) error {
	if s.State == nil || len(s.State.Gone()) > 0 {
		p.sent.Stateless = append(p.sent.Stateless, s.Name)
		return nil
	}
	p.next.States = append(p.next.States, s.Name)
	for _, last := range p.known.Manifest.Scopes {
		if p.anew || last.Scope != s.Name || !slices.Contains(p.known.States, s.Name) {
			continue
		}
		if old, was, err := before(p.ctx, s, last); err == nil {
			return p.changes(s, old, was)
		}
	}
	if err := s.State.Tree().Blocks(p.put); err != nil {
		return err
	}
	for n := range s.State.All() {
		if err := p.node(s.State, n, nil); err != nil {
			return err
		}
	}
	return nil
}

// before undoes the commits of a source after since. It returns the map of that state, and the former
// entries of the nodes changed since, nil for new nodes. The root proves both.
func before(ctx context.Context, s *place.Source, since place.End) (old merkle.Map[*node.Node], was map[string]*node.Entry, err error) {
	if since.Seq > s.Seq {
		return old, nil, fmt.Errorf("commit %d of %d: %w", since.Seq, s.Seq, store.ErrNotFound)
	}
	var changes []graph.Record
	err = s.Store.Commits(ctx, store.Span{From: since.Seq + 1, To: s.Seq}, func(r store.Record) error {
		c, err := graph.DecodeCommit(r.Data, s.Store.Block)
		if err == nil {
			changes, err = append(changes, c.Delta...), ctx.Err()
		}
		return err
	})
	if err != nil {
		return old, nil, err
	}
	was = map[string]*node.Entry{}
	for _, change := range slices.Backward(changes) {
		is, known := was[change.ID]
		if n, ok := s.State.Get(change.ID); ok && !known {
			is = &n.Entry
		}
		if was[change.ID], err = change.Before(is); err != nil {
			return old, nil, err
		}
	}
	e := s.State.Tree().Edit()
	for id, entry := range was {
		if entry == nil {
			e.Delete(node.Key(id))
		} else {
			e.Set((&node.Node{}).Place(id, *entry))
		}
	}
	if old = e.Map(); old.Root() != since.Root {
		return old, nil, fmt.Errorf("commit %d has root %s and not %s: %w", since.Seq, old.Root(), since.Root, merkle.ErrDigest)
	}
	return old, was, nil
}

// changes writes the blocks of a source's state that an earlier state lacks. old is the map of that
// state, and was has its entries of the nodes changed since.
func (p *pushing) changes(s *place.Source, old merkle.Map[*node.Node], was map[string]*node.Entry) error {
	there := map[merkle.Digest]bool{} // former blocks of these nodes
	for id, entry := range was {
		if entry != nil {
			hadBlocks(s, id, was, there)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(was)) {
		n, ok := s.State.Get(id)
		if !ok {
			continue
		}
		if err := p.node(s.State, n, there); err != nil {
			return err
		}
	}
	return s.State.Tree().BlocksSince(old, p.put)
}

// hadBlocks adds a node's former blocks: its own block, its version, and the chunks of a long content
// and of a long list of children.
func hadBlocks(s *place.Source, id string, was map[string]*node.Entry, there map[merkle.Digest]bool) {
	entry := was[id]
	note := func(d merkle.Digest, _ []byte) error {
		there[d] = true
		return nil
	}
	if n, ok := s.State.Get(id); ok && len(n.Content) > merkle.ChunkSize && n.Own != entry.Own {
		if own, err := s.Store.Block(entry.Own); err == nil {
			links, _ := node.Links(own, s.Store.Block) // unreadable blocks are written again
			for _, d := range links {
				there[d] = true
			}
		}
	}
	if len(entry.Kids) > merkle.ListSize {
		kids := make([]merkle.Digest, len(entry.Kids))
		for i, id := range entry.Kids {
			if kid := was[id]; kid != nil {
				kids[i] = kid.Version
			} else if n, ok := s.State.Get(id); ok {
				kids[i] = n.Version
			}
		}
		_, _ = node.VersionBlock(entry.Own, kids, note) // it only writes to memory
	}
	there[entry.Own], there[entry.Version] = true, true
}

// node writes the version block and the own block of a node, unless they are there.
func (p *pushing) node(s *graph.State, n *node.Node, there map[merkle.Digest]bool) error {
	put := func(d merkle.Digest, block []byte) error {
		if there[d] {
			return nil
		}
		return p.put(d, block)
	}
	if n.Version != n.Own && !there[n.Version] {
		kids := make([]merkle.Digest, len(n.Kids))
		for i, id := range n.Kids {
			if k, ok := s.Get(id); ok {
				kids[i] = k.Version
			}
		}
		if _, err := node.VersionBlock(n.Own, kids, put); err != nil {
			return err
		}
	}
	if there[n.Own] {
		return nil
	}
	return n.Blocks(put)
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
