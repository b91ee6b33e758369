// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mend

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/internal/ingest"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/options"
)

// Repair restores a damaged memory as far as possible. It moves damaged files to
// quarantine, keeps every block and commit that verifies, follows the chain as far as it
// is intact, and takes blocks that the journal has lost from images. Unless only images
// were damaged, a commit of the kind repair records the losses. Finally it reads the
// folder, so that the present state is that of the files. It returns problems of the kinds
// damaged, lost and aside; none means that the memory was intact. A dry run changes
// nothing.
//
// A crash leaves the old history or the new one. Errors: Corrupt (an unknown format),
// ReadOnly or Other (of the file system: a temporarily unreadable file is never given
// up), and those of Ingest.
func (md *Mender) Repair(ctx context.Context, opts *scope.WriteOptions) ([]document.Problem, error) {
	opts = opts.OrZero()
	tx := md.scope.Chain.Begin()
	defer tx.End()
	if md.scope.IsClosed(tx) {
		return nil, fault.Wrap("repair", md.scope.StateDir, fault.Invalid, scope.ErrClosed)
	}
	if err := md.scope.CheckKinds("repair"); err != nil {
		return nil, err
	}
	if _, err := md.scope.Chain.Store().Check(ctx, func(store.Corruption) {}); err != nil { // finds damage in blocks that were not read yet
		return nil, fault.Wrap("repair", md.scope.StateDir, fault.Other, err)
	}
	s, err := md.openSalvage(ctx)
	if err != nil {
		return nil, fault.Wrap("repair", md.scope.StateDir, fault.Other, err)
	}
	plan := s.plan()
	if opts.DryRun || len(plan) == 0 {
		return plan, nil
	}
	images := s.onlyImages() // the image written below moves them away
	if !images {
		err = md.rebuild(context.WithoutCancel(ctx), tx, opts.Key, s)
	}
	if err != nil {
		return plan, fault.Wrap("repair", md.scope.StateDir, fault.ReadOnly, err)
	}
	ingest.ForgetTable(md.folder) // every file is read
	if err := ingest.RunTx(context.WithoutCancel(ctx), tx, md.folder, &options.Ingest{}); err != nil {
		return plan, err
	}
	if err := md.refill(context.WithoutCancel(ctx), tx); err != nil {
		return plan, fault.Wrap("repair", md.scope.StateDir, fault.ReadOnly, err)
	}
	if err = tx.Images().Write(); err == nil && images {
		md.scope.SetRecovered(tx, "repaired: "+s.message())
	}
	return plan, fault.Wrap("repair", md.scope.StateDir, fault.Other, err)
}

// plan lists what a repair does; it is empty for an intact memory.
func (s *salvage) plan() []document.Problem {
	var plan []document.Problem
	reported := map[string]bool{}
	damage := s.from.Damage()
	if c := s.mender.scope.Chain.Store().Recovery().Corrupt; c != nil {
		damage = append(damage, *c)
	}
	for _, bad := range damage {
		if !reported[bad.File] {
			reported[bad.File] = true
			plan = append(plan, document.Problem{Path: bad.File, Kind: "damaged", Message: fmt.Sprintf("byte %d: %s", bad.Offset, bad.Reason)})
		}
	}
	for _, name := range s.aside {
		plan = append(plan, document.Problem{Path: name, Kind: "aside", Message: "the image is of a commit that is lost"})
	}
	return append(plan, s.lost()...)
}

// onlyImages reports whether the history itself is intact, so that it needs no repair commit.
func (s *salvage) onlyImages() bool {
	other := func(c store.Corruption) bool { return !isImage(c.File) }
	return s.mender.scope.Chain.Store().Recovery().Corrupt == nil && !slices.ContainsFunc(s.from.Damage(), other) && len(s.aside)+len(s.lost()) == 0
}

// rebuild replaces the damaged history by the salvaged one and opens it.
func (md *Mender) rebuild(ctx context.Context, tx *chain.Tx, key string, s *salvage) error {
	c := md.scope.NewCommit(ctx, scope.Action{Kind: graph.KindRepair, Key: key, Message: s.message(), Now: md.scope.Options.Now()})
	c.Time = max(c.Time, s.head.Time.UnixMilli())
	c.Seq, c.State = s.head.Seq+1, s.head.Root
	if s.head.Seq > 0 {
		c.Parents = []merkle.Digest{s.head.Digest}
	} else {
		c.State = (&graph.State{}).Root()
	}
	block, err := c.Encode(nil)
	if err != nil {
		return err
	}
	to := store.Rebuilt{
		Memex: md.scope.Dir, Keep: s.kindToKeep, Add: append(s.found, store.Record{Kind: store.Commit, Data: block}), By: c.Seq, Aside: s.aside, Rand: rand.Reader,
	}

	var marks [][]byte
	if md.rights.Trust().Doubt != "" && md.scope.Options.Signer == nil { // else the signed head records it
		marks = scope.TrustMarks(guard.Entry{Reset: true}, guard.Entry{Policy: md.rights.Policy.String()})
	}
	for _, mark := range tx.HeadMark(ctx, chain.Summary(&c), s.first, marks) { // the store may lack the first commit
		to.Add = append(to.Add, store.Record{Kind: store.Mark, Data: mark})
	}
	for d := range s.wanted {
		to.Lost = append(to.Lost, d)
	}
	return tx.Replace(ctx, func(old store.Store) (store.Store, error) {
		if err := old.Close(); err != nil {
			md.scope.Options.Log.Warn("the damaged store could not be closed", "error", err)
		}
		failed := s.from.Rebuild(ctx, to) // on failure the old history remains
		opened, err := md.host.Store()
		return opened, errors.Join(failed, err)
	}, func(ctx context.Context) error {
		md.scope.SetRecovered(tx, "repaired: "+c.Message)
		md.scope.Options.Log.Warn("repaired", "commit", c.Seq, "what", c.Message)
		return md.host.Load(ctx, tx)
	})
}

// kindToKeep returns the kind under which a record is kept, 0 to drop it. Commits outside the chain
// become blocks. Intents are dropped: they were completed, or their files are read again.
func (s *salvage) kindToKeep(r store.Record) store.Kind {
	switch r.Kind {
	case store.Intent:
		return 0
	case store.Mark:
		if s.newest > s.head.Seq && r.Batch > s.end {
			return 0 // about a commit that is lost
		}
	case store.Commit:
		if !s.chain[merkle.Sum(r.Data)] {
			return store.Block
		}
	}
	return r.Kind
}

// message returns the commit message, which lists the losses.
func (s *salvage) message() string {
	var losses []string
	for _, p := range s.lost() {
		losses = append(losses, p.Message)
	}
	switch {
	case s.head.Seq == 0 && s.newest > 0:
		losses = []string{"the history before is lost: no commit could be linked"}
	case s.head.Seq == 0:
		losses = []string{"the history before is lost: nothing of it could be read"}
	case len(losses) == 0:
		losses = []string{"damaged files put aside, nothing lost"}
	}
	return strings.Join(losses, "; ")
}

// refill appends blocks of the present state that the repair lost and the folder has.
func (md *Mender) refill(ctx context.Context, tx *chain.Tx) error {
	var b store.Batch
	for n := range md.scope.Present().All() {
		if _, err := md.scope.Chain.Block(n.Own); err == nil {
			continue
		}
		if err := n.Blocks(func(_ merkle.Digest, block []byte) error {
			b.Add(store.Block, block)
			return nil
		}); err != nil {
			return err
		}
	}
	if b.Len() == 0 {
		return nil
	}
	return tx.AppendBatch(ctx, &b)
}

// BeginChain begins a new history if the old one was read completely and nothing in it
// verifies. It reports whether it began one.
func BeginChain(ctx context.Context, tx *chain.Tx, md *Mender) (bool, error) {
	s, err := md.openSalvage(ctx)
	if err != nil || !s.isHopeless() {
		return false, err
	}
	return true, md.rebuild(ctx, tx, "", s)
}

func isImage(name string) bool { return path.Dir(name) == store.ImageFolder }
