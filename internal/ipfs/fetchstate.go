// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ipfs

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

const (
	// maxState bounds the bytes of the blocks of a fetched state.
	maxState = 1 << 32
	// fetchBatch is the number of these bytes that are written at once.
	fetchBatch = 8 << 20
	// expands and mayExpand bound the content of a state by the bytes of its blocks: many nodes may
	// have the same block, and a content may repeat a chunk.
	expands, mayExpand = 16, 64 << 20
)

// FetchState fetches a state by its root and writes it to an empty store, as a commit without
// history. It checks each block, the shape of the map, and that nothing is missing; loading the store
// checks that the contents lead to the root. After an error the store holds a part. Errors:
// ErrExpands, ErrOther, store.ErrNotFound for a missing child, place.ErrTooLarge,
// those of merkle, of the store and of a call.
func (c *Client) FetchState(ctx context.Context, root merkle.Digest, into store.Store) error {
	got, err := c.fetchBlocks(ctx, root, into)
	if err != nil {
		return err
	}
	s := stateReader{into: into, left: expands*got + mayExpand}
	commit := &graph.Commit{Seq: 1, State: root, Kind: graph.KindIngest, Author: author.Author{Kind: author.File}, Op: "ipfs:" + root.String()}
	if commit.Delta, err = s.records(root); err != nil {
		return fmt.Errorf("state %s: %w", root, err)
	}
	b := &store.Batch{}
	block, err := commit.Encode(func(_ merkle.Digest, part []byte) error {
		b.Add(store.Block, part)
		return nil
	})
	if err != nil {
		return err
	}
	b.Add(store.Commit, block)
	if _, err := into.Append(ctx, b); err != nil {
		return err
	}
	into.SetHead(store.Head{Seq: 1, Commit: commit.Digest})
	return nil
}

// fetchBlocks writes all blocks below a root to a store and returns their bytes.
func (c *Client) fetchBlocks(ctx context.Context, root merkle.Digest, into store.Store) (got int64, err error) {
	a, err := c.export(ctx, root)
	if err != nil {
		return 0, err
	}
	defer a.Close()
	in, err := place.NewReader(a)
	b := &store.Batch{}
	for err == nil {
		var block place.Block
		if block, err = in.Next(); err != nil {
			break
		}
		if got += int64(len(block.Data)) + merkle.DigestSize; got > maxState {
			return got, fmt.Errorf("a state of more than %d bytes: %w", int64(maxState), place.ErrTooLarge)
		}
		if b.Add(store.Block, block.Data); b.Size() >= fetchBatch {
			b.Defer()
			_, err = into.Append(ctx, b)
			b = &store.Batch{}
		}
	}
	if !errors.Is(err, io.EOF) {
		return got, unwrapped(err)
	}
	if b.Len() > 0 {
		_, err = into.Append(ctx, b)
		return got, err
	}
	return got, nil
}

// leaf is an entry of the map of a state.
type leaf struct {
	raw    []byte
	id     string
	parent merkle.Digest // the key of the parent, zero for a document
	node   node.Entry
}

func (l *leaf) Key() merkle.Digest                { return node.Key(l.id) }
func (l *leaf) AppendCanonical(dst []byte) []byte { return append(dst, l.raw...) }

func decodeLeaf(value []byte) (*leaf, error) {
	r := merkle.NewReader(value)
	r.FixedList(5)
	l := &leaf{raw: bytes.Clone(value), id: r.Text()}
	l.node.Own, l.node.Version = r.Link(), r.Link()
	if r.Peek() == merkle.KindNull {
		r.Null()
	} else if key := r.Bytes(); len(key) == len(l.parent) {
		l.parent = merkle.Digest(key)
	} else if r.Err() == nil {
		return nil, fmt.Errorf("the key of a parent has %d bytes: %w", len(key), merkle.ErrShape)
	}
	l.node.Path = string(r.Bytes())
	return l, r.Done()
}

// stateReader derives the changes that lead to a state from its blocks.
type stateReader struct {
	into store.Store
	left int64 // bytes that the remaining contents may have
}

func (s *stateReader) records(root merkle.Digest) ([]graph.Record, error) {
	m, err := merkle.ReadMap(root, s.into.Block, decodeLeaf)
	if err != nil {
		return nil, err
	}
	var all []*leaf
	below := map[merkle.Digest]map[merkle.Digest][]string{} // ids by parent and version, sorted
	ids := map[merkle.Digest]string{}
	for l := range m.All() {
		all = append(all, l)
		ids[l.Key()] = l.id
	}
	slices.SortFunc(all, func(a, b *leaf) int { return cmp.Compare(a.id, b.id) })
	for _, l := range all {
		of := below[l.parent]
		if of == nil {
			of = map[merkle.Digest][]string{}
			below[l.parent] = of
		}
		if l.node.Parent = ids[l.parent]; l.node.Parent == "" && !l.parent.IsZero() {
			return nil, fmt.Errorf("node %s: its parent is not in the map: %w", l.id, ErrOther)
		}
		of[l.node.Version] = append(of[l.node.Version], l.id)
	}
	records := make([]graph.Record, len(all))
	for i, l := range all {
		if err := s.complete(l, below[l.Key()]); err != nil {
			return nil, fmt.Errorf("node %s: %w", l.id, err)
		}
		records[i] = graph.Record{ID: l.id, New: &l.node}
	}
	return records, nil
}

// complete reads the version of a node: its own block and its children. Children with one version
// have the same text, so that their order does not matter.
func (s *stateReader) complete(l *leaf, below map[merkle.Digest][]string) error {
	block, err := s.into.Block(l.node.Version)
	if err != nil {
		return err
	}
	alone := l.node.Version
	if own, kids, ok, err := node.ReadVersion(block, s.into.Block); err != nil {
		return err
	} else if ok {
		alone = own
		for _, version := range kids {
			ids := below[version]
			if len(ids) == 0 {
				return fmt.Errorf("its child %s is not in the map: %w", version, ErrOther)
			}
			l.node.Kids = append(l.node.Kids, ids[0])
			below[version] = ids[1:]
		}
		if block, err = s.into.Block(own); err != nil {
			return err
		}
	}
	if alone != l.node.Own {
		return fmt.Errorf("its version belongs to %s and not to %s: %w", alone, l.node.Own, ErrOther)
	}
	for version, ids := range below {
		if len(ids) > 0 {
			return fmt.Errorf("the map has another child %s: %w", version, ErrOther)
		}
	}
	size, err := node.ContentSize(block)
	if err != nil {
		return err
	}
	if s.left -= size + int64(len(block)); s.left < 0 {
		return ErrExpands
	}
	return nil
}
