// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mend

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/working"
)

// minPurgeText is the minimum length, in bytes, of a text to purge: a shorter one occurs
// in ids, digests and signatures by chance.
const minPurgeText = 4

// Purge permanently removes content from history: every version of the nodes, under all
// their past ids and with the nodes forgotten together with them, and every version of
// any node that contains text, if given. This includes the history imported by merges and
// blocks that no commit names. The commits remain, with only the digests of the removed
// versions. A commit of the kind purge records the operation without its content. A dry
// run only counts. It returns the commit and the number of removed versions.
//
// It refuses while the present state contains any of it: forget or edit that first. It
// also refuses a text under 4 bytes, and one in the commits themselves (in a path, an id,
// a message), which never change. The bytes may stay on the medium, where the file system
// put them, and in copies of the state folder. Errors: Invalid, NotFound (history has
// none of it), ReadOnly. O(history).
func (md *Mender) Purge(ctx context.Context, ids []string, text string, opts *scope.WriteOptions) (chain.Commit, int, error) {
	tx := md.scope.Chain.Begin()
	defer tx.End()
	opts = opts.OrZero()
	what := strings.Join(ids, ", ")
	if len(ids) == 0 && text == "" {
		return chain.Commit{}, 0, fault.Wrap("purge", what, fault.Invalid, errors.New("nothing is named; give ids of nodes, or a text that is not empty"))
	}
	if text != "" && len(text) < minPurgeText {
		return chain.Commit{}, 0, fault.Wrap("purge", what, fault.Invalid,
			fmt.Errorf("a text of under %d bytes stands in ids and signatures by chance; give more of it, or name the nodes that held it", minPurgeText))
	}
	action := scope.Action{Name: "purge", Kind: graph.KindPurge, Key: opts.ReplayKey()}
	if first, err := md.scope.Enter(ctx, tx, action); first != nil || err != nil {
		n := 0
		if first != nil {
			counted(first.Message, &n)
		}
		return md.scope.Replay(first), n, err
	}
	if !opts.DryRun {
		if err := md.host.Purge(); err != nil {
			return chain.Commit{}, 0, fault.Wrap("purge", md.scope.StateDir, fault.Other, err)
		}
	}
	p := newPurge(md, text)
	if err := p.choose(ctx, ids); err != nil {
		return chain.Commit{}, 0, fault.Wrap("purge", what, fault.Corrupt, err)
	}
	if err := p.refuse(); err != nil {
		return chain.Commit{}, 0, fault.Wrap("purge", what, fault.Invalid, err)
	}
	drop := p.dropped()
	if len(drop) == 0 {
		if err := md.nothingToPurge(ctx, text); err != nil {
			return chain.Commit{}, 0, fault.Wrap("purge", what, fault.NotFound, err)
		}
	}
	n := p.count(drop)
	if opts.DryRun {
		return chain.Commit{}, n, nil
	}
	action.Message = scope.Count(n, "version") + purgeMessage
	c, err := md.rewrite(ctx, tx, action, drop)
	if err == nil && text != "" {
		err = md.redactLog(text)
		err = fault.Wrap("purge", md.scope.StateDir, fault.Other, errors.Join(err, md.requireAbsent(context.WithoutCancel(ctx), text)))
	}
	return c, n, err
}

const purgeMessage = " taken out of history"

// purge selects the content to drop.
type purge struct {
	mender      *Mender
	text        string
	afterwards  bool                              // check after a purge: commits and marks were checked before
	commits     []*graph.Commit                   // of the chain and of histories imported by merges
	parts       map[merkle.Digest]bool            // blocks that commits are cut into
	ownBlocks   map[merkle.Digest][]merkle.Digest // own blocks of the store, with their chunks
	broken      map[merkle.Digest]bool            // own blocks that lack a chunk
	looseChunks map[merkle.Digest]bool            // chunks that contain the text
	dropOwn     map[merkle.Digest]bool            // digests of own blocks to drop
}

func newPurge(m *Mender, text string) *purge {
	type set = map[merkle.Digest]bool
	return &purge{mender: m, text: text, ownBlocks: map[merkle.Digest][]merkle.Digest{}, parts: set{}, broken: set{}, looseChunks: set{}, dropOwn: set{}}
}

// choose reads the whole history, and holds all its commits in memory meanwhile.
func (p *purge) choose(ctx context.Context, ids []string) error {
	if err := p.read(ctx); err != nil || len(ids) == 0 {
		return err
	}
	return p.nodes(ids)
}

// nodes selects every version of nodes.
func (p *purge) nodes(ids []string) error {
	names := map[string]bool{}
	for _, id := range ids {
		names[id] = true
	}
	for n := 0; n < len(names); {
		n = len(names)
		for _, c := range p.commits {
			addAliases(c, names)
		}
	}
	found := map[string]bool{}
	for _, c := range p.commits {
		for i := range c.Delta {
			if r := &c.Delta[i]; names[r.ID] && r.New != nil {
				p.dropOwn[r.New.Own] = true
				found[r.ID] = true
			}
		}
	}
	for _, id := range ids {
		if !found[id] {
			return fault.Wrap("purge", id, fault.NotFound, errors.New("no such node in the history; give its whole id, as fovea show prints it"))
		}
	}
	return nil
}

// addAliases adds the ids that nodes had before and after a commit, and those of nodes
// removed together with their parent.
func addAliases(c *graph.Commit, names map[string]bool) {
	for _, e := range c.Lineage {
		if names[e.New] || names[e.Old] {
			names[e.New], names[e.Old] = true, true
		}
	}
	left := map[string]bool{}
	for i := range c.Delta {
		if r := &c.Delta[i]; r.New == nil && r.Old != nil && names[r.ID] {
			left[r.ID] = true
		}
	}
	for n := -1; n != len(left) && len(left) > 0; {
		n = len(left)
		for i := range c.Delta {
			if r := &c.Delta[i]; r.New == nil && r.Old != nil && left[r.Old.Parent] {
				left[r.ID], names[r.ID] = true, true
			}
		}
	}
}

// refuse returns an error if the present state contains content to drop.
func (p *purge) refuse() error {
	for n := range p.mender.scope.Present().All() {
		if p.dropOwn[n.Own] || p.holds(n) {
			if agent := working.AgentOf(n.Path); agent != "" { // no verb edits or forgets it
				return fmt.Errorf("%s of agent %s holds it now; take it away first: fovea block remove for a block, fovea review reject for a proposal", n.ID, agent)
			}
			return fmt.Errorf("%s in %s holds it now; edit or forget it first", n.ID, n.Path)
		}
	}
	return nil
}

// dropped returns the blocks to drop: own blocks and chunks that nothing else needs.
func (p *purge) dropped() map[merkle.Digest]bool {
	drop := maps.Clone(p.looseChunks)
	for d := range p.dropOwn {
		if links, there := p.ownBlocks[d]; there {
			drop[d] = true
			for _, l := range links {
				drop[l] = true
			}
		}
	}
	for d, links := range p.ownBlocks {
		if p.dropOwn[d] || p.broken[d] {
			continue
		}
		for _, l := range links {
			delete(drop, l)
		}
	}
	for d := range p.parts {
		delete(drop, d)
	}
	return drop
}

// count returns the number of versions to drop.
func (p *purge) count(drop map[merkle.Digest]bool) int {
	n := 0
	for d := range p.dropOwn {
		if drop[d] {
			n++
		}
	}
	return n
}
