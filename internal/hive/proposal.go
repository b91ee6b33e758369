// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hive

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/write"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/working"
)

// Bounds of proposals.
const (
	MaxProposals = 1000     // waiting proposals of an agent
	MaxRequest   = 96 << 10 // bytes of a request, and of the stored description of its change
)

// Errors of proposals. Each is the cause of a *fault.Error.
var (
	ErrNoProposal       = errors.New("no such proposal waits; fovea review list shows those that do")
	ErrTooManyProposals = fmt.Errorf("%d proposals of this agent wait already; let the owner decide about them first", MaxProposals)
	ErrProposalTooLarge = fmt.Errorf("a proposal has at most %d bytes", MaxRequest)
)

// Proposal is a change that waits for the owner.
type Proposal struct {
	ID      string          `json:"id" jsonschema:"id of the proposal"`
	Agent   string          `json:"agent" jsonschema:"who proposes it"`
	Op      string          `json:"op" jsonschema:"the operation: remember, edit, refile, archive or forget"`
	Request json.RawMessage `json:"request" jsonschema:"its request"`
	Project string          `json:"project,omitempty" jsonschema:"project in which it was made"`
	Path    string          `json:"path" jsonschema:"file below the memex that the note goes to or is removed from"`
	From    string          `json:"from,omitempty" jsonschema:"file that the note would leave, if different"`
	Title   string          `json:"title" jsonschema:"title of the note"`
	Change  string          `json:"change" jsonschema:"the changed lines"`
	Made    time.Time       `json:"made" jsonschema:"when it was made"`

	Original json.RawMessage `json:"original,omitempty" jsonschema:"the agent's original request, if the owner has edited it"`
	// The place of a note that an edit identifies by its place.
	Parent string `json:"parent,omitempty" jsonschema:"only of an edit that identifies the note by its place: id of the parent node"`
	File   string `json:"file,omitempty" jsonschema:"only of such an edit: file that the note was in"`
	Line   int    `json:"line,omitempty" jsonschema:"line at which the note began; the request counts lines from it"`
}

// A proposal is a tree of one element, whose attribute holds the proposal as JSON.
const (
	proposalType   = "proposal"
	proposalAttr   = "PROPOSAL"
	proposalFolder = "proposal/"
)

// tree returns the tree that stores a proposal.
func (p *Proposal) tree() (*ast.Tree, error) {
	id, title := working.NodeID(p.Agent, proposalFolder+p.ID), "Proposed, not decided: "+p.Op+" "+p.Title
	return working.Record(proposalType, id, proposalAttr, p, title, p.Change)
}

// proposalOf returns the proposal that a node stores, false if it stores none.
func proposalOf(n *node.Node) (p Proposal, ok bool) {
	if n == nil || n.Type != proposalType || working.AgentOf(n.Path) == "" {
		return p, false
	}
	err := json.Unmarshal([]byte(document.Lookup(n.Attrs, proposalAttr).String()), &p)
	return p, err == nil && p.ID != ""
}

// Proposals are the proposals that a session keeps. It is safe for concurrent use.
type Proposals struct {
	scope    *scope.Scope
	writer   *write.Writer
	deciding sync.Mutex
}

// NewProposals returns the proposals that a writer's scope keeps.
func NewProposals(w *write.Writer) *Proposals { return &Proposals{scope: w.Scope(), writer: w} }

// All lists the proposals of the session, oldest first. O(documents of the session).
func (ps *Proposals) All() []Proposal {
	state := ps.scope.Present()
	var out []Proposal
	for n := range state.Documents() {
		if p, ok := proposalOf(n); ok {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b Proposal) int { return cmp.Or(a.Made.Compare(b.Made), strings.Compare(a.ID, b.ID)) })
	return out
}

// Get returns a proposal by its id. Errors: NotFound (ErrNoProposal).
func (ps *Proposals) Get(id string) (Proposal, error) {
	all := ps.All()
	i := slices.IndexFunc(all, func(p Proposal) bool { return p.ID == id })
	if i < 0 {
		return Proposal{}, fault.Wrap("review", id, fault.NotFound, ErrNoProposal)
	}
	return all[i], nil
}

// Put stores a proposal, replacing one with the same id. Of opts, only Key is used. Errors: Invalid
// (ErrProposalTooLarge, a scope that is no session), Conflict (ErrTooManyProposals), ReadOnly.
func (ps *Proposals) Put(ctx context.Context, p Proposal, opts *scope.WriteOptions) (chain.Commit, error) {
	if len(p.Request) > MaxRequest {
		return chain.Commit{}, fault.Wrap("propose", p.ID, fault.Invalid, ErrProposalTooLarge)
	}
	mine := slices.DeleteFunc(ps.All(), func(o Proposal) bool { return o.Agent != p.Agent || o.ID == p.ID })
	if len(mine) >= MaxProposals {
		return chain.Commit{}, fault.Wrap("propose", p.Agent, fault.Conflict, ErrTooManyProposals)
	}
	if more := len(p.Change) - MaxRequest; more > 0 {
		p.Change = fmt.Sprintf("%s\n%d more bytes are not kept; fovea review diff shows them\n", strings.ToValidUTF8(p.Change[:MaxRequest], "\uFFFD"), more)
	}
	return ps.commit(ctx, "proposed", p, opts, func(draft *graph.Draft, path string) error {
		tree, err := p.tree()
		if err != nil {
			return err
		}
		return draft.PutTree(path, tree)
	})
}

// Edit changes a proposal that still waits by do, and stores it. Errors: NotFound (ErrNoProposal),
// and those of do and Put.
func (ps *Proposals) Edit(ctx context.Context, id string, opts *scope.WriteOptions, do func(*Proposal) error) (Proposal, error) {
	ps.deciding.Lock()
	defer ps.deciding.Unlock()
	p, err := ps.Get(id)
	if err == nil {
		err = do(&p)
	}
	if err == nil {
		_, err = ps.Put(ctx, p, opts)
	}
	return p, err
}

// Decide calls do with a proposal, and removes the proposal if do returns no error. The message of
// the commit has the decision, such as accepted. Only one decision runs at a time. Errors: NotFound
// (ErrNoProposal), and those of do.
func (ps *Proposals) Decide(ctx context.Context, id, decided string, do func(Proposal) error) error {
	ps.deciding.Lock()
	defer ps.deciding.Unlock()
	p, err := ps.Get(id)
	if err == nil {
		err = do(p)
	}
	if err != nil {
		return err
	}
	_, err = ps.commit(ctx, decided, p, nil, func(draft *graph.Draft, path string) error {
		draft.Drop(path)
		return nil
	})
	return err
}

// commit makes a change of one proposal. became is its new status, for the message.
func (ps *Proposals) commit(ctx context.Context, became string, p Proposal, opts *scope.WriteOptions,
	change func(draft *graph.Draft, path string) error) (chain.Commit, error) {
	const op = "review"
	s := ps.scope
	if !s.IsSession() {
		return chain.Commit{}, fault.Errorf(op, s.Name, fault.Invalid, "proposals are kept in a session")
	}
	action := scope.Action{Name: op, Kind: graph.KindEdit, Key: opts.OrZero().Key, Message: p.Agent + ": proposal " + p.ID + " " + became}
	c, _, err := ps.writer.Do(ctx, action, func(c *write.Change) error {
		c.Draft(func(_ *graph.State, draft *graph.Draft) error {
			return fault.Wrap(op, p.ID, fault.Invalid, change(draft, working.NodePath(p.Agent, proposalFolder+p.ID)))
		})
		return nil
	})
	return c, err
}
