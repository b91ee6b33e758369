// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package agents

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
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/hive"
	"github.com/fovea-memory/fovea/internal/review"
)

// The operations by which the owner decides about what agents propose.
var (
	OpPropose = api.DefineOn(api.Operation{Name: "propose", Effect: api.Writes,
		Summary: "Keep a change for the owner to decide about"}, propose)
	OpReview = api.DefineOn(api.Operation{Name: "review", Group: "agents",
		Summary: "List the changes that agents propose"}, listProposals)
	OpReviewEdit = api.DefineOn(api.Operation{Name: "review-edit", Effect: api.Mends,
		Summary: "Change a proposal before it is accepted"}, editProposal)
	OpReviewAccept = api.DefineOn(api.Operation{Name: "review-accept", Effect: api.Mends,
		Summary: "Carry out a proposal, in the name of its agent"}, acceptProposal)
	OpReviewReject = api.DefineOn(api.Operation{Name: "review-reject", Effect: api.Mends,
		Summary: "Drop a proposal; history keeps it"}, rejectProposal)
)

// errDry refuses to keep a dry run for the owner.
var errDry = errors.New("a dry run is no change to propose; leave out dry_run, and nothing is written before the owner accepts it")

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
	Title *string `json:"title,omitempty" jsonschema:"the title that it sets" flag:"<TITLE> that it sets"`
	Body  *string `json:"body,omitempty" jsonschema:"the text that it sets"`
}

// ReviewDecision names a proposal that the owner decides about.
type ReviewDecision struct {
	ID     string `json:"id" jsonschema:"of the proposal" arg:"ID"`
	Reason string `json:"reason,omitempty" jsonschema:"to reject: why; the agent gets it as a message"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"say what would be done" flag:"say what would be done, and do nothing"`
}

// Proposed returns the operation of a proposal. Errors: Invalid for one that cannot be proposed.
func Proposed(name string) (*api.Operation, error) {
	if op := api.OperationNamed(name); op != nil && op.Proposable {
		return op, nil
	}
	return nil, invalid("propose", fmt.Errorf("%q cannot be proposed; remember, edit, refile, archive and forget can", name))
}

func invalid(op string, err error) error { return fault.Wrap(op, "", fault.Invalid, err) }

func propose(ctx context.Context, a api.Access, req ProposeRequest) (*Proposal, error) {
	agent := author.AgentOf(ctx)
	if agent == "" {
		return nil, invalid("propose", errors.New("an agent proposes; the owner writes"))
	}
	p := Proposal{
		ID: uuid.NewString(), Agent: agent, Op: req.Op, Request: req.Request, Project: a.Scopes(ctx).Project, Made: a.Options.Now().UTC(),
	}
	if a.Call.Key != "" {
		p.ID = uuid.NewSHA1(uuid.NameSpaceOID, []byte(agent+" "+a.Call.Key)).String()
	}
	if err := settle(ctx, a, &p); err != nil {
		return nil, err
	}
	m, err := a.Memory(ctx, author.SessionPrefix+agent)
	if err == nil {
		err = try(ctx, a, m, &p)
	}
	if err != nil {
		return nil, err
	}
	ps := fovea.ProposalsOf(m)
	if _, err = ps.Put(ctx, p, a.Write()); err != nil {
		return nil, err
	}
	notify(a, &p, "proposed")
	if kept, err := ps.Get(p.ID); err == nil { // of the first time, if the request is repeated
		p = kept
	}
	return &p, nil
}

func listProposals(ctx context.Context, a api.Access, req ReviewRequest) ([]Proposal, error) {
	if req.ID == "" {
		return proposals(ctx, a)
	}
	_, p, err := find(ctx, a, req.ID)
	if err != nil {
		return nil, err
	}
	return []Proposal{p}, nil
}

// proposals lists those that the caller may see.
func proposals(ctx context.Context, a api.Access) ([]Proposal, error) {
	there, err := a.Memex.Scopes()
	if err != nil {
		return nil, err
	}
	out := []Proposal{}
	for _, name := range there {
		agent, isSession := strings.CutPrefix(name, author.SessionPrefix)
		if !isSession || !a.ByOwner(ctx) && agent != author.AgentOf(ctx) {
			continue
		}
		m, err := a.Memory(ctx, name)
		if err != nil {
			return nil, err
		}
		for _, p := range fovea.ProposalsOf(m).All() {
			if p.Agent == agent {
				out = append(out, p)
			}
		}
	}
	return out, nil
}

// meant returns the one of some ids that a name is, or begins. Errors: Ambiguous, with the
// candidates; a name that begins none is returned as it is.
func meant(op, name string, ids []string) (string, error) {
	var found []string
	for _, id := range ids {
		if id == name {
			return id, nil
		}
		if name != "" && strings.HasPrefix(id, name) {
			found = append(found, id)
		}
	}
	switch len(found) {
	case 0:
		return name, nil
	case 1:
		return found[0], nil
	}
	return name, fault.Wrap(op, name, fault.Ambiguous, fmt.Errorf("several ids begin so:\n  %s", strings.Join(found, "\n  ")))
}

// find returns a proposal, and those of the session that keeps it.
func find(ctx context.Context, a api.Access, id string) (*review.Proposals, Proposal, error) {
	all, err := proposals(ctx, a)
	if err != nil {
		return nil, Proposal{}, err
	}
	ids := make([]string, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	if id, err = meant("review", strings.TrimRight(id, "…"), ids); err != nil {
		return nil, Proposal{}, err
	}
	i := slices.Index(ids, id)
	if i < 0 {
		return nil, Proposal{}, fault.Wrap("review", id, fault.NotFound, review.ErrUnknown)
	}
	m, err := a.Memory(ctx, author.SessionPrefix+all[i].Agent)
	if err != nil {
		return nil, Proposal{}, err
	}
	return fovea.ProposalsOf(m), all[i], nil
}

func editProposal(ctx context.Context, a api.Access, req ReviewEditRequest) (*Proposal, error) {
	ps, was, err := find(ctx, a, req.ID)
	switch {
	case err != nil:
		return nil, err
	case was.Op != api.OpRemember.Name && was.Op != api.OpEdit.Name:
		return nil, fault.Wrap("review", req.ID, fault.Invalid, fmt.Errorf("a proposal to %s a note sets no title and no text; accept or reject it", was.Op))
	case req.Title != nil && strings.ContainsAny(*req.Title, "\r\n"):
		return nil, fault.Wrap("review", req.ID, fault.Invalid, errors.New("a title is one line; leave out the line break"))
	}
	p, err := ps.Edit(ctx, was.ID, a.Write(), func(p *Proposal) error {
		fields, err := fieldsOf(p)
		if err != nil {
			return err
		}
		for key, value := range map[string]*string{"title": req.Title, "body": req.Body} {
			if value != nil {
				fields[key] = *value
			}
		}
		if req.Body != nil {
			delete(fields, "base") // the owner writes the whole text anew, and sees what that changes now
		}
		if p.Request, err = json.Marshal(fields); err != nil {
			return invalid("review", err)
		}
		return unlessGone(p, settle(ctx, a, p))
	})
	if err != nil {
		return nil, err
	}
	notify(a, &p, "edited")
	return &p, nil
}

// unlessGone adds what to do with a proposal about a note that no longer exists.
func unlessGone(p *Proposal, err error) error {
	if fault.KindOf(err) != fault.NotFound {
		return err
	}
	// Not wrapped, or err would be kept unchanged.
	return fault.Wrap("review", p.ID, fault.NotFound, fmt.Errorf("%w; reject the proposal, or bring the note back: %v", errGone, err))
}

// errGone is why a proposal cannot be carried out.
var errGone = errors.New("a note that it names no longer exists")

// notify says what became of a proposal to those who follow the changes.
func notify(a api.Access, p *Proposal, event string) {
	if a.Options.Reviewed != nil {
		a.Options.Reviewed(api.ReviewEvent{ID: p.ID, Agent: p.Agent, Event: event})
	}
}

func acceptProposal(ctx context.Context, a api.Access, req ReviewDecision) (answer *api.EditResponse, err error) {
	ps, p, err := find(ctx, a, req.ID)
	if err != nil {
		return nil, err
	}
	if a.Call.DryRun {
		answer, err = carryOut(ctx, a, &p, true)
		if err == nil && p.Op == api.OpRemember.Name && !answer.Known {
			answer.Would = &api.Difference{Added: []api.Changed{{Title: p.Title, Path: p.Path}}}
		}
		return answer, unlessGone(&p, err)
	}
	err = ps.Decide(ctx, p.ID, func(p Proposal) error {
		answer, err = carryOut(ctx, a, &p, false)
		return unlessGone(&p, err)
	})
	if err == nil {
		notify(a, &p, "accepted")
	}
	return answer, err
}

// try refuses what could not be accepted. It does not try a repeated request, which may have been
// accepted. A trial has the rights of the owner; so that its error tells the agent nothing new, it
// is about notes that the agent can read, never about a file by name, and only Invalid counts.
func try(ctx context.Context, a api.Access, m *fovea.Memory, p *Proposal) error {
	if a.Call.Key != "" {
		if _, repeated, err := m.Notes().Done(ctx, a.Call.Key, graph.KindEdit); repeated || err != nil {
			return err
		}
	}
	fields, err := fieldsOf(p)
	if under, _ := fields["under"].(string); err != nil || fields["id"] == nil && (under == "" || api.FileIn(under) != "") {
		return err
	}
	if _, err := carryOut(ctx, a, p, true); fault.KindOf(err) == fault.Invalid {
		return err
	}
	return nil
}

// carryOut does what a proposal asks for; a dry run does nothing, and fails where that would.
func carryOut(ctx context.Context, a api.Access, p *Proposal, dryRun bool) (*api.EditResponse, error) {
	op, err := Proposed(p.Op)
	if err != nil {
		return nil, err
	}
	of, err := op.DecodeRequest(p.Request)
	if err != nil {
		return nil, err
	}
	by := author.Actor{AcceptedBy: cmp.Or(author.ActorOf(ctx).Author.String(), author.Owner.String())}
	as := author.WithActor(author.WithScopes(ctx, author.Scopes{Project: p.Project}), by)
	as = author.WithGrant(as, api.Grant{Agent: p.Agent, Role: api.Owner})
	done, err := a.Serve(as, api.Call{Op: op, Request: of, Key: "review-" + p.ID, Sync: a.Call.Sync, Warn: a.Call.Warn, DryRun: dryRun})
	if err != nil {
		return nil, err
	}
	return done.(*api.EditResponse), nil
}

func rejectProposal(ctx context.Context, a api.Access, req ReviewDecision) (*Proposal, error) {
	ps, p, err := find(ctx, a, req.ID)
	if err != nil || a.Call.DryRun {
		return &p, err
	}
	err = ps.Decide(ctx, p.ID, func(of Proposal) error {
		if p = of; req.Reason == "" {
			return nil
		}
		// First: what cannot be sent rejects nothing, and a reject that is cut off sends nothing twice.
		// All agents read all inboxes, so it has no word of the proposal, and no id that they could ask by.
		subject := fmt.Sprintf("Not accepted: your proposal %.8s to %s, made %s", p.ID, p.Op, p.Made.Format("2006-01-02 15:04 MST"))
		key := uuid.NewSHA1(uuid.NameSpaceOID, []byte("rejected "+p.ID)).String()
		draft := hive.Draft{To: p.Agent, Subject: subject, Body: req.Reason, Known: true}
		_, _, err := fovea.HiveOf(a.Memex).Send(ctx, draft, &fovea.WriteOptions{Key: key})
		return err
	})
	if err != nil {
		return nil, err
	}
	notify(a, &p, "rejected")
	return &p, nil
}
