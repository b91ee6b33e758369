// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/hive"
	"github.com/fovea-memory/fovea/internal/minds"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/window"
	"github.com/fovea-memory/fovea/working"
)

// The operations on the working memory of the agent that calls.
var (
	OpBlocks = Define(Operation{Name: "blocks", Group: "agents",
		Summary: "List the blocks of an agent's working memory"}, listBlocks)
	OpBlockAdd = Define(Operation{Name: "block-add", Effect: Writes,
		Summary: "Add blocks to an agent's working memory, or replace them"}, addBlocks)
	OpBlockRemove = Define(Operation{Name: "block-remove", Effect: Writes,
		Summary: "Take blocks out of an agent's working memory; history keeps them"}, removeBlocks)
	OpBlockScore = Define(Operation{Name: "block-score", Effect: Writes,
		Summary: "Set the confidence and the priority of a block"}, scoreBlock)
)

// BlocksRequest asks for the blocks of an agent. The owner names one; an agent has its own.
type BlocksRequest struct {
	Agent string `json:"agent,omitempty" jsonschema:"only the owner names one: whose blocks"`
}

// BlockAddRequest adds blocks, and a block for each action.
type BlockAddRequest struct {
	Blocks  working.Given    `json:"blocks,omitempty" jsonschema:"to be added; one with the id of another replaces it"`
	Actions []working.Action `json:"actions,omitempty" jsonschema:"what the agent did; each leaves its block"`
}

// BlockAddResponse is the result for each block.
type BlockAddResponse struct {
	Seq    uint64          `json:"seq" jsonschema:"of the commit, in the history of the session; 0 if nothing changed"`
	Blocks []working.Added `json:"blocks" jsonschema:"in the order of the request"`
}

// Failed returns how many blocks were not added, nil if all were. Each has its own error.
func (r *BlockAddResponse) Failed() error {
	failed := 0
	for _, b := range r.Blocks {
		if b.Error != "" {
			failed++
		}
	}
	if failed == 0 {
		return nil
	}
	return fault.Invalidf("block", "%d of %d were not added; the others were", failed, len(r.Blocks))
}

// BlockRemoveRequest takes blocks out of working memory.
type BlockRemoveRequest struct {
	IDs []string `json:"ids" jsonschema:"of the blocks" arg:"ID..."`
}

// BlockScoreRequest changes the confidence and the priority of a block.
type BlockScoreRequest = working.Score

// BlockChange is the commit that changed working memory.
type BlockChange struct {
	Seq uint64 `json:"seq" jsonschema:"of the commit, in the history of the session; 0 if nothing changed"`
}

// desk is the working memory of the agent of a call.
type desk struct {
	*minds.Blocks
	agent string
}

// agentAndSession returns the calling agent, or the one that the owner names, and the scope of its session:
// that of the call, else a session named like the agent. The agent is "" if there is none or its name is invalid.
func (l *Local) agentAndSession(ctx context.Context, named string) (agent, session string) {
	agent = author.AgentOf(ctx)
	if agent == "" && l.ByOwner(ctx) {
		agent = named
	}
	if author.Check(agent) != nil {
		return "", ""
	}
	return agent, author.SessionPrefix + cmp.Or(l.Scopes(ctx).Session, agent)
}

// deskOf opens the working memory of the calling agent, or of the one that the owner names, in its session.
// A write creates a session that does not exist; for a read the error is NotFound.
func deskOf(ctx context.Context, l *Local, named string) (desk, error) {
	agent, session := l.agentAndSession(ctx, named)
	if agent == "" {
		return desk{}, fault.Invalidf("block", "working memory is an agent's; name one (--agent NAME, over HTTP Fovea-Agent)")
	}
	there, err := l.Memex.Scopes()
	switch {
	case err != nil:
	case l.Call.Op.Effect != Reads:
		err = fault.Wrap("block", session, fault.ReadOnly, l.Memex.Writable())
	case !slices.Contains(there, session):
		err = fault.Errorf("block", session, fault.NotFound, "there is no such session")
	}
	if err != nil {
		return desk{}, err
	}
	on, err := l.InScope(ctx, session)
	if err != nil {
		return desk{}, err
	}
	return desk{minds.BlocksOf(on.On.Blocks()), agent}, nil
}

func listBlocks(ctx context.Context, l *Local, req BlocksRequest) ([]working.Block, error) {
	fovea.WindowsOf(l.Memex).Flush(ctx)
	d, err := deskOf(ctx, l, req.Agent)
	if fovea.KindOf(err) == fovea.NotFound {
		return []working.Block{}, nil
	}
	if err != nil {
		return nil, err
	}
	now := l.Options.Now()
	return list(slices.DeleteFunc(d.Of(d.agent), func(b working.Block) bool { return b.Leaves(now) != "" })), nil
}

func addBlocks(ctx context.Context, l *Local, req BlockAddRequest) (*BlockAddResponse, error) {
	d, err := deskOf(ctx, l, "")
	if err != nil {
		return nil, err
	}
	v, err := l.Readable(ctx)
	if err != nil {
		return nil, err
	}
	return d.add(ctx, l, v, req)
}

// add adds blocks. The action check_mailbox adds the unread messages in the view, and removes the blocks of read ones.
func (d desk) add(ctx context.Context, l *Local, v *view.View, req BlockAddRequest) (*BlockAddResponse, error) {
	var read []string
	for i := range req.Actions {
		if a := &req.Actions[i]; a.Name == working.CheckMailbox && a.Messages == nil {
			a.Messages = unread(v, fovea.HiveOf(l.Memex), d.agent)
			read = readMail(d.Blocks, fovea.HiveOf(l.Memex), d.agent)
		}
	}
	added, c, err := d.Add(ctx, v, working.Request{
		Agent: d.agent, Home: l.Options.Home, Blocks: req.Blocks, Actions: req.Actions, Remove: read, Now: l.Options.Now(),
	}, l.Write())
	return &BlockAddResponse{c.Seq, added}, err
}

// MailRead updates the blocks of the caller's messages after some in a view were read.
func (l *Local) MailRead(ctx context.Context, v *view.View) {
	agent, session := l.agentAndSession(ctx, "")
	there, err := l.Memex.Scopes()
	if err != nil || agent == "" || !slices.Contains(there, session) {
		return
	}
	d, err := deskOf(ctx, l, "")
	if err == nil && len(readMail(d.Blocks, fovea.HiveOf(l.Memex), agent)) > 0 {
		_, err = d.add(ctx, l, v, BlockAddRequest{Actions: []working.Action{{Name: working.CheckMailbox}}})
	}
	if err != nil {
		l.Warn(fmt.Errorf("the messages are read, but their blocks stay: %w", err))
	}
}

// readMail returns the ids of the blocks of messages that their agent has read.
func readMail(bs *minds.Blocks, h *hive.Hive, agent string) []string {
	var ids []string
	for _, m := range h.Inbox(agent, false) {
		if _, err := bs.Get(agent, working.MailID(m.ID)); m.Read && err == nil {
			ids = append(ids, working.MailID(m.ID))
		}
	}
	return ids
}

// unread returns the unread messages of an agent in a view.
func unread(v *view.View, h *hive.Hive, agent string) []working.Mail {
	var mail []working.Mail
	for _, m := range h.Inbox(agent, true) {
		if _, ok := v.Get(m.ID); ok {
			mail = append(mail, working.Mail{From: m.From, To: m.To, Subject: m.Subject, Content: m.Preview, Path: m.Path, ID: m.ID})
		}
	}
	return mail
}

func removeBlocks(ctx context.Context, l *Local, req BlockRemoveRequest) (*BlockChange, error) {
	return changeBlocks(ctx, l, working.Change{Remove: req.IDs})
}

func scoreBlock(ctx context.Context, l *Local, req BlockScoreRequest) (*BlockChange, error) {
	return changeBlocks(ctx, l, working.Change{Score: &req})
}

func changeBlocks(ctx context.Context, l *Local, change working.Change) (*BlockChange, error) {
	d, err := deskOf(ctx, l, "")
	if err != nil {
		return nil, err
	}
	change.Agent = d.agent
	c, err := d.Apply(ctx, change, l.Write())
	return &BlockChange{c.Seq}, err
}

// chunks returns a view of the chunks of the files that the blocks of the caller name.
func chunks(ctx context.Context, l *Local, v *view.View) (*view.View, error) {
	d, err := deskOf(ctx, l, "")
	if err != nil {
		return nil, err
	}
	in, problems := d.Chunks(ctx, v, d.agent)
	for _, problem := range problems {
		l.Warn(problem)
	}
	return in, nil
}

// inFile returns a chunk with its lines as the name, and their place.
func (n Node) inFile(v *view.View, text string) Node {
	b := working.Block{Type: working.File}.About(n.Path)
	n.ID, n.Handle, n.Path, n.Line, n.Digest = n.Path, n.Path, b.Location, b.StartLine, merkle.SumText(text).String()
	n.Unreviewed = unreviewed(v, n.Path)
	return n
}

// showLines shows lines of a file.
func showLines(ctx context.Context, l *Local, v *view.View, files *minds.Files, name string) (*Shown, error) {
	b := working.Block{Type: working.File, ID: name}.About(name)
	text, err := files.Content(ctx, v, &b)
	digest := merkle.SumText(text).String()
	return &Shown{
		Place: node.Place{ID: name, Title: name, Path: b.Location, Line: b.StartLine}, Handle: name, Digest: digest, Version: digest, Type: "chunk",
		Attributes: map[string]any{}, Content: text, Children: []string{}, Modified: files.Written(b.Location), Synced: l.Options.Now(),
		Unreviewed: unreviewed(v, b.Location),
	}, err
}

// budgetOf has the default budget of a policy, where it has its own.
var budgetOf = map[string]int{window.PolicyShares: working.MaxTokens}

// withBlocks overlays the session named like the agent, which has its working memory, if the call names no session.
func (l *Local) withBlocks(ctx context.Context) {
	if agent := author.AgentOf(ctx); agent != "" && l.Scopes(ctx).Session == "" {
		l.Over = append(slices.Clip(l.Over), author.SessionPrefix+agent)
	}
}

// heldAt returns the memory at a moment; only the owner sees the working memory of others in it.
func heldAt(ctx context.Context, l *Local, at string) (*view.View, error) {
	v, err := l.History().At(ctx, at)
	if err != nil || l.ByOwner(ctx) {
		return v, err
	}
	return v.WithoutBlocks(author.AgentOf(ctx)), nil
}

// isOthers reports whether a path is that of another agent's block, which the caller may not see.
func isOthers(ctx context.Context, l *Local, path string) bool {
	owner := working.AgentOf(path)
	return owner != "" && owner != author.AgentOf(ctx) && !l.ByOwner(ctx)
}
