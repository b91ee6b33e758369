// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/hive"
	"github.com/fovea-memory/fovea/internal/linediff"
	"github.com/fovea-memory/fovea/internal/review"
	"github.com/fovea-memory/fovea/node"
)

// The operations by which the owner decides about what agents propose.
var (
	OpPropose = Define(Operation{Name: "propose", Effect: Writes,
		Summary: "Keep a change for the owner to decide about"}, propose)
	OpReview = Define(Operation{Name: "review", Group: "agents",
		Summary: "List the changes that agents propose"}, listProposals)
	OpReviewEdit = Define(Operation{Name: "review-edit", Effect: Mends,
		Summary: "Change a proposal before it is accepted"}, editProposal)
	OpReviewAccept = Define(Operation{Name: "review-accept", Effect: Mends,
		Summary: "Carry out a proposal, in the name of its agent"}, acceptProposal)
	OpReviewReject = Define(Operation{Name: "review-reject", Effect: Mends,
		Summary: "Drop a proposal; history keeps it"}, rejectProposal)
)

// Proposal is a change that waits for the owner.
type Proposal = review.Proposal

// ProposeRequest is a request of another operation, to be proposed.
type ProposeRequest struct {
	Op      string          `json:"op" jsonschema:"remember, edit, refile, archive or forget"`
	Request json.RawMessage `json:"request" jsonschema:"the request of that operation"`
}

// ReviewRequest asks for the proposals, or for one. An agent sees its own.
type ReviewRequest struct {
	ID string `json:"id,omitempty" jsonschema:"only this one" arg:"ID"`
}

// ReviewEditRequest changes a proposal.
type ReviewEditRequest struct {
	ID    string  `json:"id" jsonschema:"of the proposal" arg:"ID"`
	Title *string `json:"title,omitempty" jsonschema:"the title that it sets" flag:""`
	Body  *string `json:"body,omitempty" jsonschema:"the text that it sets"`
}

// ReviewDecision names a proposal that is decided about.
type ReviewDecision struct {
	ID     string `json:"id" jsonschema:"of the proposal" arg:"ID"`
	Reason string `json:"reason,omitempty" jsonschema:"to reject: why; the agent gets it as a message"`
}

// Proposable reports whether an operation can be proposed.
func Proposable(op string) bool {
	return slices.Contains([]string{OpRemember.Name, OpEdit.Name, OpRefile.Name, OpArchive.Name, OpForget.Name}, op)
}

// decodeProposed decodes the request of a proposal.
func decodeProposed(name string, text json.RawMessage) (*Operation, any, error) {
	if !Proposable(name) {
		return nil, nil, invalid("propose", fmt.Errorf("op is remember, edit, refile, archive or forget, not %q", name))
	}
	op := OperationNamed(name)
	req, err := op.DecodeRequest(text)
	return op, req, err
}

func propose(ctx context.Context, l *Local, req ProposeRequest) (*Proposal, error) {
	_, of, err := decodeProposed(req.Op, req.Request)
	if err != nil {
		return nil, err
	}
	agent := author.AgentOf(ctx)
	if agent == "" {
		return nil, invalid("propose", errors.New("an agent proposes; the owner writes"))
	}
	p := Proposal{ID: uuid.NewString(), Agent: agent, Op: req.Op, Project: l.scopes(ctx).Project, Made: l.opts.Now().UTC()}
	if l.call.Key != "" {
		p.ID = uuid.NewSHA1(uuid.NameSpaceOID, []byte(agent+" "+l.call.Key)).String()
	}
	if of, err = l.settle(ctx, &p, of); err != nil {
		return nil, err
	}
	if p.Request, err = json.Marshal(of); err != nil {
		return nil, invalid("propose", err)
	}
	on, err := l.in(ctx, author.SessionPrefix+agent)
	if err != nil {
		return nil, err
	}
	ps := fovea.ProposalsOf(on.m)
	if _, err = ps.Put(ctx, p, l.write()); err != nil {
		return nil, err
	}
	if kept, err := ps.Get(p.ID); err == nil { // of the first time, if the request is repeated
		p = kept
	}
	return &p, nil
}

// settle fills in what a proposal is about. The request then names the node by its id, and
// the digest that it has now: what the owner accepts is what the agent and the owner saw.
func (l *Local) settle(ctx context.Context, p *Proposal, of any) (any, error) {
	v, err := l.seen(ctx)
	if err != nil {
		return nil, err
	}
	about := func(name string, id, base *string) (*node.Node, error) {
		n, err := v.Resolve(l.below(name))
		if err != nil {
			return nil, named(err, "propose", "-", "")
		}
		*id, *base, p.Path, p.Title = n.ID, cmp.Or(*base, n.Own.String()), n.Path, titleOf(n)
		return n, nil
	}
	switch r := of.(type) {
	case RememberRequest:
		p.Title, p.Path = r.Title, cmp.Or(FileIn(r.Under), r.Under)
		p.Change = added("* "+strings.TrimSpace(r.Todo+" "+r.Title)+"\n") + added(r.Body)
		return r, nil
	case EditRequest:
		n, err := about(r.ID, &r.ID, &r.Base)
		if err != nil {
			return nil, err
		}
		p.Change = editText(n, r)
		return r, nil
	case MoveRequest:
		_, err := about(r.ID, &r.ID, &r.Base)
		if err == nil && r.To != "" {
			var to *node.Node
			if to, err = v.Resolve(l.below(r.To)); err == nil {
				r.To, p.Change = to.ID, "to: "+titleOf(to)+"\n"
			}
		}
		return r, err
	}
	return nil, invalid("propose", fmt.Errorf("%T cannot be proposed", of))
}

// titleOf returns the title of a node, or its path.
func titleOf(n *node.Node) string { return cmp.Or(n.Derived.Title, n.Path) }

// added writes lines as new.
func added(text string) (out string) {
	for _, line := range linediff.Split(text) {
		out += "+ " + strings.TrimSuffix(line, "\n") + "\n"
	}
	return out
}

// editText says line by line what an edit would change.
func editText(n *node.Node, r EditRequest) string {
	var b strings.Builder
	if r.Body != nil {
		old, now := linediff.Side{Name: "now", Line: 1}, linediff.Side{Name: "proposed", Line: 1}
		b.WriteString(linediff.Unified(old, now, n.Body(), strings.TrimSuffix(*r.Body, "\n")+"\n"))
	}
	if r.Append != nil {
		b.WriteString(added(*r.Append))
	}
	r.ID, r.Base, r.Body, r.Append = "", "", nil, nil
	rest := map[string]any{}
	text, err := json.Marshal(r)
	if err == nil {
		err = json.Unmarshal(text, &rest)
	}
	if err != nil {
		return b.String()
	}
	delete(rest, "id")
	for _, key := range slices.Sorted(func(yield func(string) bool) {
		for key := range rest {
			if !yield(key) {
				return
			}
		}
	}) {
		fmt.Fprintf(&b, "%s: %v\n", key, rest[key])
	}
	return b.String()
}

func listProposals(ctx context.Context, l *Local, req ReviewRequest) ([]Proposal, error) {
	all, err := l.proposals(ctx, func(p Proposal) bool { return req.ID == "" || p.ID == req.ID })
	if err != nil {
		return nil, err
	}
	if req.ID != "" && len(all) == 0 {
		return nil, fault.Wrap("review", req.ID, fault.NotFound, review.ErrUnknown)
	}
	return list(all), nil
}

// proposals lists those that the caller may see, and that keep admits.
func (l *Local) proposals(ctx context.Context, keep func(Proposal) bool) (out []Proposal, err error) {
	there, err := l.memex.Scopes()
	if err != nil {
		return nil, err
	}
	for _, name := range there {
		agent, isSession := strings.CutPrefix(name, author.SessionPrefix)
		if !isSession || !l.m.Guard().ByOwner(ctx) && agent != author.AgentOf(ctx) {
			continue
		}
		on, err := l.in(ctx, name)
		if err != nil {
			return nil, err
		}
		for _, p := range fovea.ProposalsOf(on.m).All() {
			if p.Agent == agent && keep(p) {
				out = append(out, p)
			}
		}
	}
	return out, nil
}

// keeper finds a proposal, and the session that keeps it.
func (l *Local) keeper(ctx context.Context, id string) (*review.Proposals, Proposal, error) {
	found, err := l.proposals(ctx, func(p Proposal) bool { return p.ID == id })
	if err != nil {
		return nil, Proposal{}, err
	}
	if len(found) == 0 {
		return nil, Proposal{}, fault.Wrap("review", id, fault.NotFound, review.ErrUnknown)
	}
	on, err := l.in(ctx, author.SessionPrefix+found[0].Agent)
	if err != nil {
		return nil, Proposal{}, err
	}
	return fovea.ProposalsOf(on.m), found[0], nil
}

func editProposal(ctx context.Context, l *Local, req ReviewEditRequest) (*Proposal, error) {
	ps, p, err := l.keeper(ctx, req.ID)
	if err != nil {
		return nil, err
	}
	_, of, err := decodeProposed(p.Op, p.Request)
	if err != nil {
		return nil, err
	}
	switch r := of.(type) {
	case RememberRequest:
		r.Title, r.Body = *cmp.Or(req.Title, &r.Title), *cmp.Or(req.Body, &r.Body)
		of = r
	case EditRequest:
		r.Title, r.Body = cmp.Or(req.Title, r.Title), cmp.Or(req.Body, r.Body)
		of = r
	default:
		return nil, invalid("review", fmt.Errorf("a proposal to %s has no text; reject it", p.Op))
	}
	if of, err = l.settle(ctx, &p, of); err != nil {
		return nil, err
	}
	if p.Request, err = json.Marshal(of); err != nil {
		return nil, invalid("review", err)
	}
	_, err = ps.Put(ctx, p, l.write())
	return &p, err
}

func acceptProposal(ctx context.Context, l *Local, req ReviewDecision) (answer *EditResponse, err error) {
	ps, _, err := l.keeper(ctx, req.ID)
	if err != nil {
		return nil, err
	}
	err = ps.Decide(ctx, req.ID, func(p Proposal) error {
		op, of, err := decodeProposed(p.Op, p.Request)
		if err != nil {
			return err
		}
		by := author.ActorOf(ctx).Author.String()
		as := author.WithActor(author.WithScopes(ctx, author.Scopes{Project: p.Project}), author.Actor{AcceptedBy: cmp.Or(by, "owner")})
		as = author.WithGrant(as, Grant{Agent: p.Agent, Role: Owner})
		done, err := l.serve(as, Call{Op: op, Request: of, Key: "review-" + p.ID, Sync: l.call.Sync, Warn: l.call.Warn})
		if err == nil {
			answer = done.(*EditResponse)
		}
		return err
	})
	return answer, err
}

func rejectProposal(ctx context.Context, l *Local, req ReviewDecision) (*Proposal, error) {
	ps, p, err := l.keeper(ctx, req.ID)
	if err != nil {
		return nil, err
	}
	if err = ps.Decide(ctx, req.ID, func(Proposal) error { return nil }); err != nil || req.Reason == "" {
		return &p, err
	}
	_, _, err = fovea.HiveOf(l.memex).Send(ctx, hive.Draft{To: p.Agent, Subject: "Not accepted: " + p.Op + " " + p.Title, Body: req.Reason, Known: true}, l.write())
	return &p, err
}
