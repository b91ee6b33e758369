// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ops

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/hive"
)

// The operations on proposals of agents.
var (
	OpPropose = api.Define(api.Operation{Name: "propose", Effect: api.Writes,
		Summary: "Propose a change to the owner"}, propose)
	OpReview = api.Define(api.Operation{Name: "review", Group: "agents",
		Summary: "List the changes that agents propose"}, listProposals)
	OpReviewEdit = api.Define(api.Operation{Name: "review-edit", Effect: api.Mends,
		Summary: "Change a proposal before it is accepted"}, editProposal)
	OpReviewAccept = api.Define(api.Operation{Name: "review-accept", Effect: api.Mends,
		Summary: "Accept a proposal: make its change, in the name of its agent"}, acceptProposal)
	OpReviewWithdraw = api.Define(api.Operation{Name: "review-withdraw", Effect: api.Writes, Tool: "history withdraw",
		Summary: "Withdraw an own proposal; history keeps it"}, withdrawProposal)
	OpReviewReject = api.Define(api.Operation{Name: "review-reject", Effect: api.Mends,
		Summary: "Drop a proposal; history keeps it"}, rejectProposal)
)

// Proposal is a change that waits for the owner's decision.
type Proposal = hive.Proposal

// ProposeRequest proposes a request of another operation.
type ProposeRequest struct {
	Op      string          `json:"op" jsonschema:"remember, edit, refile, archive or forget"`
	Request json.RawMessage `json:"request" jsonschema:"the request of that operation"`
}

// ReviewRequest asks for all proposals or one. An agent sees its own.
type ReviewRequest struct {
	ID string `json:"id,omitempty" jsonschema:"only this one" arg:"ID"`
}

// WithdrawRequest withdraws a proposal of the caller.
type WithdrawRequest struct {
	ID string `json:"id" jsonschema:"of the proposal" arg:"ID" mcp:""`
}

// ReviewEditRequest changes a proposal.
type ReviewEditRequest struct {
	ID    string  `json:"id" jsonschema:"of the proposal" arg:"ID"`
	Title *string `json:"title,omitempty" jsonschema:"the title that it sets" flag:"<TITLE> that it sets"`
	Body  *string `json:"body,omitempty" jsonschema:"the text that it sets" flag:"@<TEXT> that it sets"`
}

// ReviewDecision names a proposal that the owner decides about.
type ReviewDecision struct {
	ID     string `json:"id" jsonschema:"of the proposal" arg:"ID"`
	Reason string `json:"reason,omitempty" jsonschema:"with reject: why; the agent receives it as a message"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"say what would be done" flag:"say what would be done, and do nothing"`
}

// Proposed returns an operation that can be proposed. Errors: Invalid.
func Proposed(name string) (*api.Operation, error) {
	if op := api.OperationNamed(name); op != nil && op.Proposable {
		return op, nil
	}
	return nil, fault.Invalidf("propose", "%q cannot be proposed; remember, edit, refile, archive and forget can", name)
}

func propose(ctx context.Context, a *api.Local, req ProposeRequest) (*Proposal, error) {
	agent := author.AgentOf(ctx)
	if agent == "" {
		return nil, fault.Invalidf("propose", "only agents propose; the owner makes the change")
	}
	p := Proposal{
		ID: uuid.NewString(), Agent: agent, Op: req.Op, Request: req.Request, Project: a.Scopes(ctx).Project, Made: a.Options.Now().UTC(),
	}
	if err := settle(ctx, a, &p); err != nil {
		return nil, err
	}
	m, err := a.Memex.Scope(ctx, author.SessionPrefix+agent)
	if err == nil {
		err = try(ctx, a, m, &p)
	}
	if err != nil {
		return nil, err
	}
	ps := fovea.ProposalsOf(m)
	c, err := ps.Put(ctx, p, a.Write())
	if err != nil {
		return nil, err
	}
	_, _ = fmt.Sscanf(c.Message, agent+": proposal %s", &p.ID) // of the first time, if the request is repeated
	notify(a, &p, "proposed")
	if kept, err := ps.Get(p.ID); err == nil {
		p = kept
	}
	return &p, nil
}

func listProposals(ctx context.Context, a *api.Local, req ReviewRequest) ([]Proposal, error) {
	if req.ID == "" {
		return proposals(ctx, a)
	}
	_, p, err := find(ctx, a, req.ID)
	if err != nil {
		return nil, err
	}
	on := author.WithScopes(ctx, author.Scopes{Project: p.Project})
	if !a.ByOwner(ctx) { // only the owner sees why it cannot be accepted
		return []Proposal{p}, nil
	}
	if err := foresee(on, a.In(on), &p); err != nil {
		p.Change += "This cannot be accepted now: " + err.Error() + "\n"
	}
	return []Proposal{p}, nil
}

// proposals lists the proposals that the caller may see.
func proposals(ctx context.Context, a *api.Local) ([]Proposal, error) {
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
		m, err := a.Memex.Scope(ctx, name)
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

// find returns a proposal by its id or the beginning of it, and the proposals of its session.
func find(ctx context.Context, a *api.Local, id string) (*hive.Proposals, Proposal, error) {
	all, err := proposals(ctx, a)
	if err != nil {
		return nil, Proposal{}, err
	}
	ids := make([]string, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	if id, err = fault.Meant("review", strings.TrimRight(id, "…"), ids); err != nil {
		return nil, Proposal{}, err
	}
	i := slices.Index(ids, id)
	if i < 0 {
		return nil, Proposal{}, fault.Wrap("review", id, fault.NotFound, hive.ErrNoProposal)
	}
	m, err := a.Memex.Scope(ctx, author.SessionPrefix+all[i].Agent)
	if err != nil {
		return nil, Proposal{}, err
	}
	return fovea.ProposalsOf(m), all[i], nil
}

func editProposal(ctx context.Context, a *api.Local, req ReviewEditRequest) (*Proposal, error) {
	ps, was, err := find(ctx, a, req.ID)
	switch {
	case err != nil:
		return nil, err
	case was.Op != api.OpRemember.Name && was.Op != api.OpEdit.Name:
		return nil, fault.Errorf("review", req.ID, fault.Invalid, "a proposal to %s a note has no title or text to edit; accept or reject it", was.Op)
	case req.Title != nil && strings.ContainsAny(*req.Title, "\r\n"):
		return nil, fault.Errorf("review", req.ID, fault.Invalid, "a title is one line; leave out the line break")
	}
	var seen Proposal // as the owner sees it; its agent sees the one kept
	_, err = ps.Edit(ctx, was.ID, a.Write(), func(p *Proposal) error {
		fields, err := fieldsOf(p)
		if err != nil {
			return err
		}
		if p.Original == nil {
			p.Original = p.Request
		}
		if err := rewrite(p, fields, &req); err != nil {
			return err
		}
		p.Change = ""
		p.Request, _ = json.Marshal(fields) // they were decoded from JSON
		on := author.WithScopes(ctx, author.Scopes{Project: p.Project})
		err = settle(on, a.In(on), p)
		if seen = *p; err == nil {
			err = foresee(on, a.In(on), &seen)
		}
		if fault.KindOf(err) == fault.Conflict { // the owner can still rewrite the text
			seen.Change += "This cannot be accepted now: " + err.Error() + "\n"
			err = nil
		}
		if p.Path = was.Path; p.Op == api.OpEdit.Name {
			p.Title = was.Title
		}
		on = author.WithGrant(on, api.Grant{Agent: p.Agent, Role: api.Agent})
		_ = foresee(on, a.In(on), p)
		return unlessGone(p, err)
	})
	if err != nil {
		return nil, err
	}
	notify(a, &seen, "edited")
	return &seen, nil
}

// rewrite replaces the title and text of a proposal by those of the owner.
func rewrite(p *Proposal, fields map[string]any, req *ReviewEditRequest) error {
	if req.Title != nil {
		fields["title"] = *req.Title
	}
	if req.Body == nil {
		return nil
	}
	_, sets := fields["body"]
	_, appends := fields["append"]
	switch {
	case p.Op == api.OpEdit.Name && appends && !sets:
		fields["append"] = *req.Body
		return nil
	case p.Op == api.OpEdit.Name && !sets:
		return fault.Errorf("review", p.ID, fault.Invalid, "it sets no text; accept or reject it, and edit the note yourself")
	}
	delete(fields, "append")
	delete(fields, "base") // the owner replaces the whole text, and sees what that changes now
	fields["body"], p.Parent, p.File = *req.Body, "", ""
	return nil
}

// unlessGone replaces the error of a proposal about a note that no longer exists by what to do.
func unlessGone(p *Proposal, err error) error {
	if fault.KindOf(err) != fault.NotFound {
		return err
	}
	// Not wrapped, or err would be kept unchanged.
	return fault.Errorf("review", p.ID, fault.NotFound,
		"a note that it names no longer exists; reject the proposal, or bring the note back: %v", err)
}

// notify publishes an event of a proposal.
func notify(a *api.Local, p *Proposal, event string) {
	if a.Options.Notify != nil {
		a.Options.Notify(api.Notice{Event: "review", Data: api.ReviewEvent{ID: p.ID, Agent: p.Agent, Event: event}, Agents: []string{p.Agent}})
	}
}

// decide calls do with a proposal, and removes the proposal if do returns no error, unless the call is a dry run.
func decide(ctx context.Context, a *api.Local, id, decided string, do func(p *Proposal) error) (*Proposal, error) {
	ps, p, err := find(ctx, a, id)
	switch {
	case err != nil:
		return nil, err
	case a.Call.DryRun:
		return &p, do(&p)
	}
	err = ps.Decide(ctx, p.ID, decided, func(now Proposal) error {
		p = now
		return do(&p)
	})
	if err != nil {
		return nil, err
	}
	notify(a, &p, decided)
	return &p, nil
}

func acceptProposal(ctx context.Context, a *api.Local, req ReviewDecision) (answer *api.EditResponse, err error) {
	_, err = decide(ctx, a, req.ID, "accepted", func(p *Proposal) (err error) {
		answer, err = carryOut(ctx, a, p, a.Call.DryRun)
		return unlessGone(p, err)
	})
	return answer, err
}

// try refuses a proposal that could not be accepted, and fills in what it would change. It skips a repeated request, which
// may have been accepted. The trial has the rights of the owner: if it fails for a file that the agent cannot read, the
// note is tried in the agent's folder, so that the error reveals nothing about the file.
func try(ctx context.Context, a *api.Local, m *fovea.Memory, p *Proposal) error {
	if a.Call.Key != "" {
		if _, repeated, err := m.Notes().Done(ctx, a.Call.Key, graph.KindEdit); repeated || err != nil {
			return err
		}
	}
	err := foresee(ctx, a, p)
	if fields, _ := fieldsOf(p); err != nil && hidden(ctx, a, word(fields, "under")) {
		trial := *p
		trial.Path = ""
		fields["under"] = "agents/" + p.Agent + "/"
		trial.Request, _ = json.Marshal(fields)
		err = foresee(ctx, a, &trial)
	}
	switch fault.KindOf(err) {
	case fault.Busy, fault.Conflict, fault.ReadOnly: // for now
		return nil
	}
	return err
}

// hidden reports whether the memory has a file that the caller cannot read.
func hidden(ctx context.Context, a *api.Local, file string) bool {
	v, err := a.View(ctx)
	if on, failed := a.Memex.Scope(ctx, a.Memex.ScopeOfFile(file)); err == nil && failed == nil && api.FileIn(file) == file {
		n, unseen := v.Resolve(file)
		_, there := on.View().Text(file)
		return there && (unseen != nil || n.Derived.Encrypted)
	}
	return false
}

// carryOut makes the change of a proposal; a dry run changes nothing, and fails with the same errors. Edits by the owner
// are made in the owner's name, after the rest in the agent's.
func carryOut(ctx context.Context, a *api.Local, p *Proposal, dryRun bool) (*api.EditResponse, error) {
	by := author.Actor{AcceptedBy: cmp.Or(author.ActorOf(ctx).Author.String(), author.Owner.String())}
	as := author.WithActor(author.WithScopes(ctx, author.Scopes{Project: p.Project}), by)
	fields, err := inPlace(as, a.In(as), p)
	if err != nil {
		return nil, err
	}
	serve := func(agent, name string, fields map[string]any, step string) (*api.EditResponse, error) {
		op := api.OperationNamed(name)
		text, _ := json.Marshal(fields) // they were decoded from JSON
		of, err := op.DecodeRequest(text)
		if err != nil {
			return nil, err
		}
		as := author.WithGrant(as, api.Grant{Agent: agent, Role: api.Owner})
		done, err := a.Serve(as, api.Call{Op: op, Request: of, Key: "review-" + p.ID + step, Sync: a.Call.Sync, Warn: a.Call.Warn, DryRun: dryRun})
		if err != nil {
			return nil, err
		}
		return done.(*api.EditResponse), nil
	}
	rest, own := parted(p, fields)
	switch {
	case len(own) == 0:
		return serve(p.Agent, p.Op, fields, "")
	case dryRun || rest == nil && p.Op == api.OpRemember.Name:
		return serve(author.AgentOf(ctx), p.Op, fields, editedStep)
	}
	own["id"], own["base"], own["allow_subheadings"] = word(fields, "id"), word(fields, "base"), fields["allow_subheadings"] == true
	if rest != nil {
		first, err := serve(p.Agent, p.Op, rest, "")
		if err != nil {
			return nil, err
		}
		if first.Known { // another note has the rest already
			return serve(author.AgentOf(ctx), p.Op, fields, editedStep)
		}
		own["id"], own["base"] = first.ID, first.Digest
		m, err := a.Memex.Scope(ctx, a.Memex.ScopeOfFile(first.Path))
		if err != nil {
			return nil, err
		}
		if v, err := m.History().At(ctx, fmt.Sprintf("seq:%d", first.Seq)); err == nil { // perhaps made before a crash: nobody has reviewed later changes
			if n, there := v.Get(first.ID); there {
				own["base"] = n.Own.String()
			}
		}
	}
	return serve(author.AgentOf(ctx), api.OpEdit.Name, own, editedStep)
}

// editedStep ends the key of the owner's part of a proposal.
const editedStep = "-edited"

// parted splits a request that the owner may have edited into the agent's part, which may be nil, and the owner's
// part as an edit, which may be empty.
func parted(p *Proposal, fields map[string]any) (rest, own map[string]any) {
	rest, own = maps.Clone(fields), map[string]any{}
	if p.Original == nil {
		return rest, own
	}
	original, _ := fieldsOf(&Proposal{Op: p.Op, Request: p.Original}) // it was checked
	for _, key := range []string{"title", "body", "append"} {
		if value, has := fields[key]; has && value != original[key] {
			own[key] = value
			if delete(rest, key); p.Op == api.OpRemember.Name && key == "title" {
				rest[key] = word(original, key)
			}
		}
	}
	if p.Op == api.OpRemember.Name && word(rest, "title")+word(rest, "body") == "" || setsOnly(rest) {
		rest = nil
	}
	return rest, own
}

// withdrawProposal withdraws a proposal of the calling agent.
func withdrawProposal(ctx context.Context, a *api.Local, req WithdrawRequest) (*Proposal, error) {
	return decide(ctx, a, req.ID, "withdrawn", func(p *Proposal) error {
		if p.Agent != author.AgentOf(ctx) {
			return fault.Errorf("review", req.ID, fault.Denied, "is of another agent; only its own agent withdraws a proposal, and the owner rejects it")
		}
		return nil
	})
}

func rejectProposal(ctx context.Context, a *api.Local, req ReviewDecision) (*Proposal, error) {
	return decide(ctx, a, req.ID, "rejected", func(p *Proposal) error {
		if req.Reason == "" || a.Call.DryRun {
			return nil
		}
		// Sent first, so that a failure rejects nothing; the key prevents a second message after an interruption. All
		// agents can read all inboxes, so the message has neither text of the proposal nor its whole id.
		subject := fmt.Sprintf("Not accepted: your proposal %.8s to %s, made %s", p.ID, p.Op, p.Made.Format("2006-01-02 15:04 MST"))
		key := uuid.NewSHA1(uuid.NameSpaceOID, []byte("rejected "+p.ID)).String()
		draft := hive.MessageSendRequest{To: p.Agent, Subject: subject, Body: req.Reason, Known: true}
		_, _, err := fovea.HiveOf(a.Memex).Send(ctx, draft, &fovea.WriteOptions{Key: key})
		return err
	})
}
