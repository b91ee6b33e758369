// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// salvage determines the intact part of a damaged history: the chain of commits from the first
// on, and the blocks that it names.
type salvage struct {
	mender  *Mender
	from    store.Salvage
	order   []merkle.Digest          // commits that verify, in stored order
	batches map[merkle.Digest]uint64 // batch number of each commit
	newest  uint64                   // largest known commit number

	ledger graph.Ledger
	first  merkle.Digest // first commit of the chain
	head   chain.Commit  // last commit of the chain
	end    uint64        // batch number of head
	chain  map[merkle.Digest]bool
	wanted map[merkle.Digest][]uint64 // missing own blocks and chunks, with the commits that name them
	found  []store.Record             // rebuilt blocks
	aside  []string                   // images whose commit is not in the chain
	images int                        // number of images that verify, outside quarantine
}

// openSalvage reads what remains of the history, and the images.
func (md *Mender) openSalvage(ctx context.Context) (*salvage, error) {
	damaged, ok := md.scope.Chain.Store().(store.Salvager)
	if !ok {
		return nil, fmt.Errorf("salvage history: %w", errors.ErrUnsupported)
	}
	from, err := damaged.Salvage()
	if err != nil {
		return nil, err
	}
	s := &salvage{
		mender: md, from: from, batches: map[merkle.Digest]uint64{}, chain: map[merkle.Digest]bool{}, wanted: map[merkle.Digest][]uint64{},
		newest: max(md.scope.Chain.Store().Head().Seq, md.scope.Chain.Head().Commit.Seq),
	}
	if err := from.Read(ctx, s.record); err != nil {
		return nil, err
	}
	if err := s.follow(); err != nil {
		return nil, err
	}
	return s, from.Images(s.image)
}

// record collects a commit.
func (s *salvage) record(r store.Record) error {
	if r.Kind != store.Commit {
		return nil
	}
	seq, err := graph.CommitSeq(r.Data)
	if err != nil {
		return nil // not of this version: it cannot be linked
	}
	d := merkle.Sum(r.Data)
	s.order = append(s.order, d)
	s.batches[d] = r.Batch
	s.newest = max(s.newest, seq)
	return nil
}

// follow walks the chain as long as each commit can be read, follows the previous one and leads to
// its root.
func (s *salvage) follow() error {
	for _, d := range s.order {
		block, err := s.from.Block(d)
		if err != nil {
			return err
		}
		c, err := graph.DecodeCommit(block, s.from.Block)
		if errors.Is(err, store.ErrNotFound) {
			return nil // a part of the commit is lost
		}
		if err != nil || chain.Follows(c, s.head) != nil || s.ledger.Apply(c) != nil {
			return nil
		}
		if s.head.Seq == 0 {
			s.first = d
		}
		s.head, s.end = chain.Summary(c), s.batches[d]
		s.chain[d] = true
		for i := range c.Delta { // versions follow from commits
			if e := c.Delta[i].New; e != nil {
				if err := s.checkOwnBlock(e.Own, c.Seq); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// checkOwnBlock records a missing own block, or its missing chunks, that a commit names.
func (s *salvage) checkOwnBlock(d merkle.Digest, seq uint64) error {
	if _, gone := s.from.Gone()[d]; gone && !s.from.Has(d) {
		return nil
	}
	block, err := s.from.Block(d)
	if errors.Is(err, store.ErrNotFound) {
		s.wanted[d] = append(s.wanted[d], seq)
		return nil
	}
	if err != nil {
		return err
	}
	var failed error // of reading, not of a missing block
	_, err = node.Links(block, func(d merkle.Digest) ([]byte, error) {
		chunk, err := s.from.Block(d)
		if !errors.Is(err, store.ErrNotFound) {
			failed = cmp.Or(failed, err)
		} else if _, gone := s.from.Gone()[d]; !gone {
			s.wanted[d] = append(s.wanted[d], seq)
		}
		return chunk, err
	})
	if failed != nil || errors.Is(err, store.ErrNotFound) {
		return failed
	}
	return err
}

// image recovers wanted blocks from an image. It lists the image in aside if its commit is not in
// the chain.
func (s *salvage) image(name string, img *store.Image) {
	if isImage(name) {
		s.images++
		s.newest = max(s.newest, img.Seq)
		if !s.chain[img.Commit] {
			s.aside = append(s.aside, name)
		}
	}
	if len(s.wanted) == 0 {
		return
	}
	state, _, err := chain.ImageState(img, s.mender.scope.Options.Formats, false)
	if err != nil {
		return
	}
	for n := range state.All() {
		_ = n.Blocks(func(d merkle.Digest, block []byte) error { // returns no error
			if s.wanted[d] != nil && !s.from.Has(d) {
				s.found = append(s.found, store.Record{Kind: store.Block, Data: slices.Clone(block)})
			}
			delete(s.wanted, d)
			return nil
		})
	}
}

// lost reports the commits and blocks that cannot be recovered.
func (s *salvage) lost() []document.Problem {
	var out []document.Problem
	if after := s.newest - s.head.Seq; after > 0 && s.newest > s.head.Seq {
		message := fmt.Sprintf("commits %d to %d are lost", s.head.Seq+1, s.newest)
		if after == 1 {
			message = fmt.Sprintf("commit %d is lost", s.newest)
		}
		if readable := len(s.order) - len(s.chain); readable > 0 {
			message += fmt.Sprintf("; %d of them can be read and hang on nothing: they are kept as blocks", readable)
		}
		out = append(out, document.Problem{Path: "history", Kind: "lost", Message: message})
	}
	if n := len(s.wanted); n > 0 {
		message := fmt.Sprintf("%s of old versions missing, named by %s", scope.Count(n, "block"), s.commitsOfWanted())
		out = append(out, document.Problem{Path: "history", Kind: "lost", Message: message})
	}
	return out
}

// commitsOfWanted lists the commits that name missing blocks. Equal blocks are stored once, so
// several commits can name one block.
func (s *salvage) commitsOfWanted() string {
	by := slices.Concat(slices.Collect(maps.Values(s.wanted))...)
	slices.Sort(by)
	by = slices.Compact(by)
	const few = 8
	if len(by) > few {
		return fmt.Sprintf("%d commits from %d to %d", len(by), by[0], by[len(by)-1])
	}
	names := make([]string, len(by))
	for i, seq := range by {
		names[i] = fmt.Sprint(seq)
	}
	if last := len(names) - 1; last > 0 {
		return "commits " + strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return "commit " + names[0]
}

// isHopeless reports whether all files of the history were read and are damaged, without
// a commit or an image. A missing file may come back.
func (s *salvage) isHopeless() bool {
	return len(s.order) == 0 && s.images == 0 && s.from.Final()
}
