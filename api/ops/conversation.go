// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"fmt"
	"slices"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/fault"
)

// OpConversation is the operation that reports what a session did.
var OpConversation = api.Define(api.Operation{Name: "conversation",
	Summary: "Show what a session did: its commits, and what they changed"}, readConversation)

// maxSession is the maximum length of the name of a session in bytes.
const maxSession = 200

// maxRuns is the maximum number of runs of consecutive commits that are compared.
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

func readConversation(ctx context.Context, a *api.Local, req ConversationRequest) (*Conversation, error) {
	if req.Session == "" || len(req.Session) > maxSession {
		return nil, fault.Invalidf("conversation", "name a session, as commits have it")
	}
	v, err := a.View(ctx)
	if err != nil {
		return nil, err
	}
	scopes, err := followed(ctx, a)
	if err != nil {
		return nil, err
	}
	there, err := a.Memex.Scopes()
	if err != nil {
		return nil, err
	}
	own, g := author.SessionPrefix+req.Session, author.GrantOf(ctx) // own is for the session and the owner alone
	if slices.Contains(there, own) && g.Reaches(own) && byOwner(ctx, a, "conversation") == nil {
		scopes = append(scopes, own)
	}
	out := &Conversation{Commits: []SessionCommit{}}
	sum := joined{at: map[string]*joinedNode{}}
	for _, scope := range scopes {
		on, err := a.InScope(ctx, scope)
		if err != nil {
			return nil, err
		}
		commits, err := on.Log(ctx, v, "", 0)
		if err != nil {
			return nil, err
		}
		commits = slices.DeleteFunc(commits, func(c api.Commit) bool { return scope != own && c.Session != req.Session })
		for _, c := range commits {
			out.Commits = append(out.Commits, SessionCommit{c, scope})
		}
		if req.Changes && scope != own {
			if err := sum.compare(ctx, on, scope, commits, req.Text); err != nil {
				return nil, err
			}
		}
	}
	if req.Changes {
		out.Changes = sum.difference()
	}
	slices.SortStableFunc(out.Commits, func(x, y SessionCommit) int { return y.Time.Compare(x.Time) })
	return out, nil
}

// The lists of a difference, in the order in which they are joined.
const (
	added = iota
	changed
	removed
	moved
)

func listsOf(d *api.Difference) [4]*[]api.Changed {
	return [4]*[]api.Changed{&d.Added, &d.Changed, &d.Removed, &d.Moved}
}

// joined is the sum of differences that follow one another.
type joined struct {
	all      []*joinedNode // in order; one that is not in at was replaced or removed
	at       map[string]*joinedNode
	lockdown []string
}

// joinedNode is a node in one of the lists.
type joinedNode struct {
	list int
	api.Changed
}

func (j *joined) difference() *api.Difference {
	out := &api.Difference{Lockdown: j.lockdown}
	for _, list := range listsOf(out) {
		*list = []api.Changed{}
	}
	for _, n := range j.all {
		if list := listsOf(out)[n.list]; j.at[n.ID] == n {
			*list = append(*list, n.Changed)
		}
	}
	return out
}

// compare adds what commits changed, one run of consecutive commits at a time.
func (j *joined) compare(ctx context.Context, on *api.Local, scope string, commits []api.Commit, text bool) error {
	runs := 0
	for i := len(commits) - 1; i >= 0; i-- { // oldest first
		first := commits[i].Seq
		for i > 0 && commits[i-1].Seq == commits[i].Seq+1 {
			i--
		}
		if runs++; runs > maxRuns {
			return fault.Errorf("conversation", scope, fault.Invalid,
				"others committed between the commits of the session more than %d times; its commits alone can be listed", maxRuns)
		}
		d, err := on.Between(ctx, fmt.Sprintf("seq:%d", max(first, 2)-1), fmt.Sprintf("seq:%d", commits[i].Seq), text)
		if err != nil {
			return err
		}
		j.join(d)
	}
	return nil
}

// join adds a later difference: a node that was added and then changed was added. O(its nodes).
func (j *joined) join(d *api.Difference) {
	for list, nodes := range listsOf(d) {
		for _, n := range *nodes {
			was, known := j.at[n.ID]
			if known && list == moved && was.list != removed {
				continue
			}
			next := &joinedNode{list, n}
			if known && was.list != moved {
				next.Text = was.Text + n.Text
			}
			switch {
			case known && was.list == added && list == removed: // it was added and removed
				delete(j.at, n.ID)
				continue
			case known && was.list == added:
				next.Was = was.Was
				*was, was.list = *next, added
				continue
			case known && was.list == removed && list != removed: // it is back
				next.list = changed
			}
			j.at[n.ID], j.all = next, append(j.all, next)
		}
	}
	j.lockdown = slices.Compact(slices.Sorted(slices.Values(append(j.lockdown, d.Lockdown...))))
}
