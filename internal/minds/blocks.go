// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package minds

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/write"
	"github.com/fovea-memory/fovea/working"
)

// MaxBlocks is the maximum number of documents, and thus of blocks of all agents, in a session.
const MaxBlocks = 200_000

// Blocks holds the working memories of the agents in one session. It is safe for concurrent use.
type Blocks struct {
	scope  *scope.Scope
	writer *write.Writer
	files  *Files
	due    map[string]time.Time // by agent, the time before which no block leaves; guarded by the chain's writer
}

// BlocksOf returns the Blocks inside a fovea.Blocks.
func BlocksOf(bs any) *Blocks { return bs.(interface{ Inside() *Blocks }).Inside() }

// NewBlocks returns the working memories in a writer's scope. All scopes of a memex share files.
func NewBlocks(w *write.Writer, files *Files) *Blocks {
	return &Blocks{scope: w.Scope(), writer: w, files: files, due: map[string]time.Time{}}
}

// Files returns the reader of the files that blocks name.
func (bs *Blocks) Files() *Files { return bs.files }

// Of returns the blocks of an agent by their ids, as copies. O(documents of the session).
func (bs *Blocks) Of(agent string) []working.Block { return all(bs.scope.Present(), agent) }

func all(state *graph.State, agent string) []working.Block {
	var out []working.Block
	for n := range state.Documents() {
		if working.AgentOf(n.Path) == agent {
			if b, ok := working.OfNode(n); ok {
				out = append(out, *b)
			}
		}
	}
	slices.SortFunc(out, func(a, b working.Block) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// Get returns a block of an agent. The error is of kind NotFound.
func (bs *Blocks) Get(agent, id string) (working.Block, error) {
	return get(bs.scope.Present(), agent, id)
}

func get(state *graph.State, agent, id string) (working.Block, error) {
	if n, ok := state.Get(working.NodeID(agent, id)); ok {
		if b, ok := working.OfNode(n); ok {
			return *b, nil
		}
	}
	return working.Block{}, fault.Errorf("block", id, fault.NotFound, "agent %s has no such block in this session; see fovea block list", agent)
}

// named returns the block of an agent with an id, or with the only id that begins so. Errors: NotFound, Ambiguous.
func named(state *graph.State, agent, name string) (b working.Block, err error) {
	if b, err = get(state, agent, name); err == nil {
		return b, nil
	}
	var ids []string
	for _, other := range all(state, agent) {
		ids = append(ids, other.ID)
	}
	if name, err = fault.Meant("block", name, ids); err == nil {
		b, err = get(state, agent, name)
	}
	return b, err
}

// Apply implements fovea.Blocks.Apply.
func (bs *Blocks) Apply(ctx context.Context, c working.Change, opts *scope.WriteOptions) (chain.Commit, error) {
	if err := bs.check(c.Agent); err != nil {
		return chain.Commit{}, err
	}
	done, _, err := bs.writer.Do(ctx, scope.Action{Name: "block", Kind: graph.KindEdit, Key: opts.OrZero().Key}, func(w *write.Change) error {
		now := c
		if err := bs.complete(&now, w); err != nil {
			return err
		}
		w.Draft(func(_ *graph.State, draft *graph.Draft) error { return bs.put(draft, &now) })
		w.Check = func(before, after *graph.State, _ *graph.Delta) error {
			if after.DocumentCount() > max(MaxBlocks, before.DocumentCount()) {
				return w.Fail(c.Agent, fault.Invalid, fmt.Errorf("a session keeps at most %d blocks; remove some", MaxBlocks))
			}
			return nil
		}
		w.Action.Message = changeMessage(&now)
		return nil
	})
	return done, err
}

// complete resolves the blocks that a change puts and removes.
func (bs *Blocks) complete(c *working.Change, w *write.Change) error {
	c.Put, c.Remove = slices.Clone(c.Put), slices.Clone(c.Remove)
	if c.Score != nil {
		b, err := score(w.State(), c.Agent, c.Score)
		if err != nil {
			return err
		}
		c.Put = append(c.Put, b)
	}
	if len(c.Put)+len(c.Remove) == 0 && !c.Sweep {
		return fault.Errorf("block", c.Agent, fault.Invalid, "name the blocks to remove")
	}
	for i, id := range c.Remove {
		b, err := named(w.State(), c.Agent, id)
		if err != nil {
			return err
		}
		c.Remove[i] = b.ID
	}
	if c.Sweep {
		c.Remove = append(c.Remove, bs.leaving(w.State(), c.Agent, w.Action.Now)...)
	}
	return nil
}

// put applies a change to a draft.
func (bs *Blocks) put(draft *graph.Draft, c *working.Change) error {
	for _, id := range c.Remove {
		draft.Drop(working.NodePath(c.Agent, id))
	}
	for i := range c.Put {
		if err := draft.PutTree(working.NodePath(c.Agent, c.Put[i].ID), c.Put[i].Tree(c.Agent)); err != nil {
			return fault.Wrap("block", c.Put[i].ID, fault.Invalid, err)
		}
		bs.await(c.Agent, &c.Put[i])
	}
	return nil
}

// never is later than any time at which a block leaves.
var never = time.Unix(1<<40, 0)

// leaving lists the blocks of an agent that are due to leave. It reads all blocks only if one is due.
func (bs *Blocks) leaving(state *graph.State, agent string, now time.Time) []string {
	if due, known := bs.due[agent]; known && !now.After(due) {
		return nil
	}
	var ids []string
	bs.due[agent] = never
	for _, b := range all(state, agent) {
		if b.Leaves(now) != "" {
			ids = append(ids, b.ID)
		} else {
			bs.await(agent, &b)
		}
	}
	return ids
}

// await records when a block leaves.
func (bs *Blocks) await(agent string, b *working.Block) {
	due, known := bs.due[agent]
	if after, _ := b.Until(); known && !after.IsZero() && after.Before(due) {
		bs.due[agent] = after
	}
}

// score returns the block with its new confidence and priority.
func score(state *graph.State, agent string, to *working.Score) (working.Block, error) {
	b, err := named(state, agent, to.ID)
	if err != nil {
		return b, err
	}
	if to.Confidence == nil && to.Priority == "" {
		return b, fault.Errorf("block", to.ID, fault.Invalid, "give a confidence or a priority")
	}
	b.Confidence, b.Priority = cmp.Or(to.Confidence, b.Confidence), cmp.Or(to.Priority, b.Priority)
	return b.Complete(b.Timestamp)
}

// check returns an error for a scope that is not a session, and for an invalid name of an agent.
func (bs *Blocks) check(agent string) error {
	switch {
	case agent == "":
		return fault.Invalidf("block", "working memory is an agent's; name one with --agent")
	case !bs.scope.IsSession():
		return fault.Errorf("block", bs.scope.Name, fault.Invalid, "working memory is kept in a session; name one with --session")
	}
	return fault.Wrap("block", agent, fault.Invalid, author.Check(agent))
}

// changeMessage returns the commit message of a change.
func changeMessage(c *working.Change) string {
	var listed []string
	for _, b := range c.Put[:min(len(c.Put), 3)] {
		listed = append(listed, b.ID)
	}
	for _, id := range c.Remove[:min(len(c.Remove), 3)] {
		listed = append(listed, "-"+id)
	}
	if n := len(c.Put) + len(c.Remove) - len(listed); n > 0 {
		listed = append(listed, fmt.Sprintf("%d more", n))
	}
	return c.Agent + ": " + strings.Join(listed, ", ")
}
