// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package agents

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/fault"
)

// OpConversation is the operation that says what a session did.
var OpConversation = api.DefineOn(api.Operation{Name: "conversation",
	Summary: "Say what a session did: its commits, and what they changed"}, readConversation)

// maxSession is the length of the name of a session in bytes.
const maxSession = 200

// maxRuns is how many stretches of a history Conversation compares.
const maxRuns = 200

// ConversationRequest names a session.
type ConversationRequest struct {
	Session string `json:"session" jsonschema:"its name, as commits have it"`
	Changes bool   `json:"changes,omitempty" jsonschema:"also say what its commits changed"`
	Text    bool   `json:"text,omitempty" jsonschema:"with the changes: the lines"`
}

// Conversation is what a session did.
type Conversation struct {
	Commits []SessionCommit `json:"commits" jsonschema:"newest first; to the owner also those of the session's own history, such as windows and blocks"`
	Changes *api.Difference `json:"changes,omitempty" jsonschema:"what the commits changed in the files, without what others did between them"`
}

// SessionCommit is a commit of a session.
type SessionCommit struct {
	api.Commit
	Scope string `json:"scope" jsonschema:"whose history it is in: memex, a project, or the session's own"`
}

func readConversation(ctx context.Context, a api.Access, req ConversationRequest) (*Conversation, error) {
	if req.Session == "" || len(req.Session) > maxSession {
		return nil, invalid("conversation", errors.New("name a session, as commits have it"))
	}
	if _, err := a.View(ctx); err != nil {
		return nil, err
	}
	scopes, err := followed(ctx, a)
	if err != nil {
		return nil, err
	}
	out := &Conversation{Commits: []SessionCommit{}}
	if req.Changes {
		out.Changes = &api.Difference{Added: []api.Changed{}, Removed: []api.Changed{}, Changed: []api.Changed{}, Moved: []api.Changed{}}
	}
	for _, scope := range scopes {
		commits, err := a.Log(ctx, scope, 0)
		if err != nil {
			return nil, err
		}
		commits = slices.DeleteFunc(commits, func(c api.Commit) bool { return c.Session != req.Session })
		out.add(scope, commits)
		if req.Changes {
			if err := out.compare(ctx, a, scope, commits, req.Text); err != nil {
				return nil, err
			}
		}
	}
	if err := out.addOwn(ctx, a, req.Session); err != nil {
		return nil, err
	}
	slices.SortStableFunc(out.Commits, func(x, y SessionCommit) int { return y.Time.Compare(x.Time) })
	return out, nil
}

func (c *Conversation) add(scope string, commits []api.Commit) {
	for _, k := range commits {
		c.Commits = append(c.Commits, SessionCommit{k, scope})
	}
}

// addOwn adds the commits of the session's own history, which are between it and the owner.
func (c *Conversation) addOwn(ctx context.Context, a api.Access, session string) error {
	there, err := a.Memex.Scopes()
	own := author.SessionPrefix + session
	g := author.GrantOf(ctx)
	if err != nil || !slices.Contains(there, own) || !g.Reaches(own) || byOwner(ctx, a, "conversation") != nil {
		return err
	}
	commits, err := a.Log(ctx, own, 0)
	c.add(own, commits)
	return err
}

// compare adds what commits changed, of each stretch that has no others in it.
func (c *Conversation) compare(ctx context.Context, a api.Access, scope string, commits []api.Commit, text bool) error {
	runs := 0
	for i := len(commits) - 1; i >= 0; i-- { // oldest first
		first := commits[i].Seq
		for i > 0 && commits[i-1].Seq == commits[i].Seq+1 {
			i--
		}
		if runs++; runs > maxRuns {
			return fault.Wrap("conversation", scope, fault.Invalid,
				fmt.Errorf("others committed between the commits of the session more than %d times; its commits alone can be listed", maxRuns))
		}
		d, err := a.Between(ctx, scope, max(first, 2)-1, commits[i].Seq, text)
		if err != nil {
			return err
		}
		c.join(d)
	}
	return nil
}

// join adds a later difference: a node that came and changed has come.
func (c *Conversation) join(d *api.Difference) {
	sum := c.Changes
	for _, n := range d.Added {
		if gone := taken(&sum.Removed, n.ID); gone != nil {
			n.Text = gone.Text + n.Text
			sum.Changed = append(sum.Changed, n)
			continue
		}
		sum.Added = append(sum.Added, n)
	}
	for _, n := range d.Changed {
		if at := slices.IndexFunc(sum.Added, func(o api.Changed) bool { return o.ID == n.ID }); at >= 0 {
			n.Text, n.Was = sum.Added[at].Text+n.Text, sum.Added[at].Was
			sum.Added[at] = n
			continue
		}
		if before := taken(&sum.Changed, n.ID); before != nil {
			n.Text = before.Text + n.Text
		}
		taken(&sum.Moved, n.ID)
		sum.Changed = append(sum.Changed, n)
	}
	for _, n := range d.Removed {
		if taken(&sum.Added, n.ID) != nil {
			continue // it came and went
		}
		if before := taken(&sum.Changed, n.ID); before != nil {
			n.Text = before.Text + n.Text
		}
		taken(&sum.Moved, n.ID)
		sum.Removed = append(sum.Removed, n)
	}
	for _, n := range d.Moved {
		has := func(o api.Changed) bool { return o.ID == n.ID }
		if !slices.ContainsFunc(sum.Added, has) && !slices.ContainsFunc(sum.Changed, has) && !slices.ContainsFunc(sum.Moved, has) {
			sum.Moved = append(sum.Moved, n)
		}
	}
	sum.Lockdown = slices.Compact(slices.Sorted(slices.Values(append(sum.Lockdown, d.Lockdown...))))
}

// taken takes a node out of a list and returns it, nil for none.
func taken(list *[]api.Changed, id string) *api.Changed {
	at := slices.IndexFunc(*list, func(o api.Changed) bool { return o.ID == id })
	if at < 0 {
		return nil
	}
	n := (*list)[at]
	*list = slices.Delete(*list, at, at+1)
	return &n
}
