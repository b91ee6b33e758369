// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mend

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/write"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
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
// Records that Fovea itself keeps of agents, such as the questions of windows, are removed from
// the present state first. A purge of a text from the memex or a project also purges the sessions;
// the commit is that of the memex or project, zero if only sessions had the text.
//
// It fails while the present state contains any other of the content: forget or edit that first.
// It also rejects a text under 4 bytes, and one in the commits themselves (in a path, an id,
// a message), which never change. The bytes may remain on the storage medium, where the file
// system put them, and in copies of the state folder. Errors: Invalid, NotFound (history has
// none of it), ReadOnly. O(history).
func (md *Mender) Purge(ctx context.Context, ids []string, text string, opts *scope.WriteOptions) (chain.Commit, int, error) {
	opts = opts.OrZero()
	if text == "" || md.scope.IsSession() {
		return md.purge(ctx, ids, text, opts)
	}
	dry := *opts
	dry.DryRun = true
	if _, _, err := md.purge(ctx, ids, text, &dry); err != nil && fault.KindOf(err) != fault.NotFound {
		return chain.Commit{}, 0, err
	}
	inSessions, err := md.purgeSessions(ctx, text, opts)
	if err != nil {
		return chain.Commit{}, 0, err
	}
	c, n, err := md.purge(ctx, ids, text, opts)
	if inSessions > 0 && len(ids) == 0 && fault.KindOf(err) == fault.NotFound {
		err = nil
	}
	return c, n + inSessions, err
}

// purgeSessions purges a text from all sessions of the memex, or from none if one cannot be purged.
// It returns the number of removed versions.
func (md *Mender) purgeSessions(ctx context.Context, text string, opts *scope.WriteOptions) (all int, err error) {
	names, err := md.host.Scopes()
	if err != nil {
		return 0, err
	}
	var having []*Mender
	for _, name := range names {
		if !strings.HasPrefix(name, author.SessionPrefix) {
			continue
		}
		s, err := md.host.Open(ctx, name)
		if err != nil {
			return 0, err
		}
		_, n, err := s.purge(ctx, nil, text, &scope.WriteOptions{DryRun: true})
		switch {
		case err == nil:
			having, all = append(having, s), all+n
		case fault.KindOf(err) != fault.NotFound:
			return 0, err
		}
	}
	if opts.DryRun {
		return all, nil
	}
	all = 0
	for _, s := range having {
		_, n, err := s.purge(ctx, nil, text, &scope.WriteOptions{})
		if err != nil {
			return all, err
		}
		all += n
	}
	return all, nil
}

// purge is Purge for one scope.
func (md *Mender) purge(ctx context.Context, ids []string, text string, opts *scope.WriteOptions) (chain.Commit, int, error) {
	tx := md.scope.Chain.Begin()
	defer tx.End()
	what := strings.Join(ids, ", ")
	if err := checkPurge(ids, text); err != nil {
		return chain.Commit{}, 0, fault.Wrap("purge", what, fault.Invalid, err)
	}
	action := scope.ActionOf(opts, "purge", graph.KindPurge)
	if first, err := md.scope.Enter(ctx, tx, action); first != nil || err != nil {
		n := 0
		if first != nil {
			counted(first.Message, &n)
		}
		return md.scope.Replay(first), n, err
	}
	p := newPurge(md, text)
	if !opts.DryRun {
		err := md.host.Purge()
		if err == nil {
			err = p.dropRecords(ctx, tx, ids)
		}
		if err != nil {
			return chain.Commit{}, 0, fault.Wrap("purge", md.scope.StateDir, fault.Other, err)
		}
	}
	if err := p.read(ctx); err != nil {
		return chain.Commit{}, 0, fault.Wrap("purge", what, fault.Corrupt, err)
	}
	if err := p.nodes(ids); err != nil {
		return chain.Commit{}, 0, err
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
	n := 0
	for d := range p.dropOwn {
		if drop[d] {
			n++
		}
	}
	if opts.DryRun {
		return chain.Commit{}, n, nil
	}
	action.Message = scope.Count(n, "version") + purgeMessage
	c, err := md.rewrite(ctx, tx, action, drop)
	if err == nil && text != "" {
		err = fault.Wrap("purge", md.scope.StateDir, fault.Other, md.removeCopies(context.WithoutCancel(ctx), text))
	}
	return c, n, err
}

// checkPurge returns an error if a purge names nothing that can be purged.
func checkPurge(ids []string, text string) error {
	if len(ids) == 0 && text == "" {
		return errors.New("nothing is named; give ids of nodes, or a text that is not empty")
	}
	if text != "" && len(text) < minPurgeText {
		return fmt.Errorf("a text of under %d bytes stands in ids and signatures by chance; give more of it, or name the nodes that held it", minPurgeText)
	}
	return nil
}

const purgeMessage = " taken out of history"

// purge selects the content to drop.
type purge struct {
	mender      *Mender
	text        string
	forms       []string                          // in which the text is stored; nil for no text
	afterwards  bool                              // check after a purge: commits and marks were checked before
	commits     []*graph.Commit                   // of the chain and of histories imported by merges
	parts       map[merkle.Digest]bool            // blocks that commits are split into
	ownBlocks   map[merkle.Digest][]merkle.Digest // own blocks of the store, with their chunks
	broken      map[merkle.Digest]bool            // own blocks that lack a chunk
	looseChunks map[merkle.Digest]bool            // chunks that contain the text
	dropOwn     map[merkle.Digest]bool            // digests of own blocks to drop
}

func newPurge(m *Mender, text string) *purge {
	type set = map[merkle.Digest]bool
	return &purge{
		mender: m, text: text, forms: formsOf(text), ownBlocks: map[merkle.Digest][]merkle.Digest{}, parts: set{}, broken: set{}, looseChunks: set{}, dropOwn: set{},
	}
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
			return fault.Errorf("purge", id, fault.NotFound, "no such node in the history; give its whole id, as fovea show prints it")
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

// refuse returns an error if the present state contains content to drop, other than records.
func (p *purge) refuse() error {
	for n := range p.mender.scope.Present().All() {
		if !p.dropOwn[n.Own] && !p.holds(n) || isRecord(n) {
			continue
		}
		if b, ok := working.OfNode(n); ok {
			session, _ := strings.CutPrefix(p.mender.scope.Name, author.SessionPrefix)
			agent := working.AgentOf(n.Path)
			return fmt.Errorf("the block %s of agent %s holds it now; take it out first: fovea block remove %[1]q --agent %[2]s --session %[3]s",
				b.ID, agent, session)
		}
		if agent := working.AgentOf(n.Path); agent != "" {
			return fmt.Errorf("a proposal of agent %s holds it now; decide about it first: fovea review reject %s", agent, path.Base(n.ID))
		}
		return fmt.Errorf("%s in %s holds it now; edit or forget it first", n.ID, n.Path)
	}
	return nil
}

// isRecord reports whether a node is a record that Fovea keeps of agents: a window, feedback, or a
// block that it made from an action.
func isRecord(n *node.Node) bool {
	b, ok := working.OfNode(n)
	return working.IsRecord(n.Path) || ok && b.Automatic
}

// dropRecords removes the records that contain the text, or have one of the ids, from the present
// state, in a separate commit.
func (p *purge) dropRecords(ctx context.Context, tx *chain.Tx, ids []string) error {
	s := p.mender.scope
	if !s.IsSession() {
		return nil
	}
	var gone []string
	for _, path := range s.Present().Paths() {
		n, ok := s.Present().Document(path)
		if ok && isRecord(n) && (p.holds(n) || slices.Contains(ids, n.ID)) {
			gone = append(gone, path)
		}
	}
	action := scope.Action{Name: "purge", Kind: graph.KindEdit, Message: scope.Count(len(gone), "record") + " of agents taken out"}
	_, _, err := p.mender.writer.Within(ctx, tx, action, func(c *write.Change) error {
		c.Draft(func(_ *graph.State, draft *graph.Draft) error {
			for _, path := range gone {
				draft.Drop(path)
			}
			return nil
		})
		return nil
	})
	return err
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

// removeCopies overwrites a purged text in the logs of a daemon, and returns an error if any file
// of the state folder still contains it.
func (md *Mender) removeCopies(ctx context.Context, text string) (err error) {
	for _, name := range logFiles {
		err = errors.Join(err, md.redactLog(name, text))
	}
	name, findErr := md.fileContaining(ctx, text)
	if name != "" {
		findErr = fmt.Errorf("%s still holds the text", name)
	}
	return errors.Join(err, findErr)
}
