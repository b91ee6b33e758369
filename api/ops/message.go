// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ops

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/hive"
	"github.com/fovea-memory/fovea/internal/view"
)

// The operations on agents and their messages.
var (
	OpAgents = api.Define(api.Operation{Name: "agents", Group: "agents",
		Summary: "List the agents: when each last wrote, what it holds and may write"}, listAgents)
	OpMessages = api.Define(api.Operation{Name: "messages", Group: "agents",
		Summary: "List the messages in an inbox, oldest first"}, listMessages)
	OpMessageSend = api.Define(api.Operation{Name: "message-send", Effect: api.Writes, Tool: "remember",
		Summary: "Send a message to an agent or the owner"}, sendMessage)
	OpMessageRead = api.Define(api.Operation{Name: "message-read", Effect: api.Writes, Tool: "history inbox",
		Summary: "Read messages, and mark them as read"}, readMessages)
)

// AgentsRequest asks for the agents, or for one of them.
type AgentsRequest struct {
	Name string `json:"name,omitempty" jsonschema:"only this one" arg:"NAME"`
}

// AgentEntry is an agent in a list.
type AgentEntry struct {
	hive.Agent
	Status string   `json:"status" jsonschema:"working: it holds a task; active: it wrote in the last 15 minutes; idle; or new: it has not written yet"`
	Writes []string `json:"writes" jsonschema:"the files, and folders with a slash at the end, that it may write"`
}

// Message is a message in an inbox.
type Message = hive.Message

// MessagesRequest asks for the messages of an inbox. Only the owner names an agent.
type MessagesRequest struct {
	Agent  string `json:"agent,omitempty" jsonschema:"only the owner names one: whose inbox"`
	Unread bool   `json:"unread,omitempty" jsonschema:"only unread ones" flag:""`
	Thread string `json:"thread,omitempty" jsonschema:"only those of a thread: the id of its first message, or the beginning of that id" flag:"ID"`
	New    bool   `json:"new,omitempty" jsonschema:"in a session: only those that no such request has listed before" flag:""`
	Fresh  bool   `json:"fresh,omitempty" jsonschema:"with new: list all again"`
}

// MessageSendRequest is a message to be sent.
type MessageSendRequest = hive.MessageSendRequest

// MessageSent is a message that was sent.
type MessageSent struct {
	ID  string `json:"id" jsonschema:"of the message"`
	Seq uint64 `json:"seq" jsonschema:"of the commit"`
}

// MessageEvent is the data of a notice of a message.
type MessageEvent struct {
	ID   string `json:"id" jsonschema:"of the message"`
	From string `json:"from" jsonschema:"owner, or the name of an agent"`
	To   string `json:"to" jsonschema:"owner, or the name of an agent"`
}

// MessageReadRequest names messages in the caller's inbox.
type MessageReadRequest struct {
	IDs  []string `json:"ids,omitempty" jsonschema:"of the messages; by default all unread ones" arg:"ID..."`
	Peek bool     `json:"peek,omitempty" jsonschema:"do not mark them; for a reader that marks them later by a second request" flag:"leave them unread"`
}

// MessageReadResponse has the messages with their bodies.
type MessageReadResponse struct {
	Messages []Message `json:"messages" jsonschema:"oldest first; exactly these are marked as read, none with peek"`
	Left     int       `json:"left" jsonschema:"how many unread ones did not fit into the answer"`
	Seq      uint64    `json:"seq" jsonschema:"of the commit that marked them; 0 if there is none yet, as with peek, or all were read before"`
}

func listAgents(ctx context.Context, a *api.Local, req AgentsRequest) ([]AgentEntry, error) {
	v, err := a.View(ctx)
	if err != nil {
		return nil, err
	}
	all, err := fovea.HiveOf(a.Memex).Agents(ctx)
	if err != nil {
		return nil, err
	}
	for name := range a.Options.Grants { // agents of the configuration may not have written yet
		if !slices.ContainsFunc(all, func(a hive.Agent) bool { return a.Name == name }) && author.Check(name) == nil {
			all = append(all, hive.Agent{Name: name})
		}
	}
	slices.SortFunc(all, func(a, b hive.Agent) int { return strings.Compare(a.Name, b.Name) })
	if req.Name != "" {
		all = slices.DeleteFunc(all, func(a hive.Agent) bool { return a.Name != req.Name })
	}
	if req.Name != "" && len(all) == 0 {
		return nil, fault.Wrap("agents", req.Name, fault.NotFound, hive.ErrUnknown)
	}
	out := make([]AgentEntry, len(all))
	for i, one := range all {
		one.Tasks = slices.DeleteFunc(slices.Clone(one.Tasks), func(t hive.Task) bool { return !isSeen(v, t.ID) })
		out[i] = AgentEntry{one, statusOf(&one, a.Options.Now()), slices.Concat([]string{"agents/" + one.Name + "/"}, tasks, a.Options.Grants[one.Name])}
	}
	return out, nil
}

// recently is the time after a commit for which its agent counts as active.
const recently = 15 * time.Minute

// statusOf returns the status of an agent.
func statusOf(one *hive.Agent, now time.Time) string {
	switch {
	case len(one.Tasks) > 0:
		return "working"
	case one.Seen.IsZero():
		return "new"
	case now.Sub(one.Seen) < recently:
		return "active"
	}
	return "idle"
}

// isSeen reports whether a view has a node.
func isSeen(v *view.View, id string) bool {
	_, ok := v.Get(id)
	return ok
}

func listMessages(ctx context.Context, a *api.Local, req MessagesRequest) ([]Message, error) {
	v, err := a.View(ctx)
	if err != nil {
		return nil, err
	}
	whose := author.AgentOf(ctx)
	if a.ByOwner(ctx) {
		whose = cmp.Or(req.Agent, whose, "owner")
	}
	if whose == "" || whose != "owner" && author.Check(whose) != nil {
		return nil, fault.Invalidf("messages", "an inbox is an agent's or the owner's; name the agent (--agent NAME, over HTTP Fovea-Agent)")
	}
	inbox := slices.DeleteFunc(fovea.HiveOf(a.Memex).Inbox(whose, req.Unread), func(m Message) bool {
		return !strings.HasPrefix(m.Thread, req.Thread) || !isSeen(v, m.ID)
	})
	if req.New {
		if inbox, err = newMail(ctx, a, whose, inbox, req.Fresh); err != nil {
			return nil, err
		}
	}
	return append([]Message{}, inbox...), nil
}

// newMail returns the messages that were not listed to a session before, and records them as listed.
func newMail(ctx context.Context, a *api.Local, whose string, inbox []Message, fresh bool) ([]Message, error) {
	session := a.Scopes(ctx).Session
	if session == "" {
		return nil, fault.Invalidf("messages", "new messages are listed to a session; name one with --session, or the header "+api.HeaderSession)
	}
	ids := make([]string, len(inbox))
	for i := range inbox {
		ids[i] = inbox[i].ID
	}
	untold := fovea.HiveOf(a.Memex).Unreported(session+"\nmail of "+whose, ids, fresh)
	return slices.DeleteFunc(inbox, func(m Message) bool { return !slices.Contains(untold, m.ID) }), nil
}

func sendMessage(ctx context.Context, a *api.Local, req MessageSendRequest) (*MessageSent, error) {
	v, err := a.View(ctx)
	if err != nil {
		return nil, err
	}
	if n, err := v.Resolve(req.Thread); err == nil {
		req.Thread = n.ID
	} else if fovea.KindOf(err) == fovea.Ambiguous {
		return nil, err
	}
	_, granted := a.Options.Grants[req.To]
	req.Known = granted || req.Known // admitMessage removes it from requests of agents
	id, c, err := fovea.HiveOf(a.Memex).Send(ctx, req, a.Write())
	if err != nil {
		return nil, err
	}
	if a.Options.Notify != nil && !a.Call.DryRun {
		from := cmp.Or(author.AgentOf(ctx), "owner")
		a.Options.Notify(api.Notice{Event: "message", Data: MessageEvent{ID: id, From: from, To: req.To}, Agents: []string{from, req.To}})
	}
	return &MessageSent{id, c.Seq}, nil
}

func readMessages(ctx context.Context, a *api.Local, req MessageReadRequest) (*MessageReadResponse, error) {
	v, err := a.View(ctx)
	if err != nil {
		return nil, err
	}
	ids := slices.Clone(req.IDs)
	for i, id := range ids {
		if n, err := v.Resolve(id); err == nil { // a handle
			ids[i] = n.ID
		}
	}
	if req.Peek {
		read, left, err := fovea.HiveOf(a.Memex).Peek(ctx, ids...)
		return &MessageReadResponse{append([]Message{}, read...), left, 0}, err
	}
	read, left, c, err := fovea.HiveOf(a.Memex).Read(ctx, a.Write(), ids...)
	if err != nil {
		return nil, err
	}
	a.MailRead(ctx, v)
	return &MessageReadResponse{append([]Message{}, read...), left, c.Seq}, nil
}
