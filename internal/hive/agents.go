// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hive

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/working"
)

// Agent is what the memory knows of an agent.
type Agent struct {
	Name    string    `json:"name" jsonschema:"of the agent"`
	Seen    time.Time `json:"seen,omitzero" jsonschema:"when it last committed; absent if none of the newest 5,000 commits is its own"`
	Session string    `json:"session,omitempty" jsonschema:"of that commit"`
	Unread  int       `json:"unread" jsonschema:"messages in its inbox that it has not read"`
	Tasks   []Task    `json:"tasks,omitempty" jsonschema:"those that it holds"`
}

// maxSeen is how many commits of a history Agents looks at, the newest ones.
const maxSeen = 5_000

// Agents lists the agents that the memory knows, by name: those with a folder below agents/, the
// authors of commits here and in the open projects and sessions, those with working memory, and
// the holders of tasks. Errors: Other (a commit cannot be read). O(documents of agents, tasks,
// commits looked at).
func (h *Hive) Agents(ctx context.Context) ([]Agent, error) {
	all, err := h.names(ctx)
	if err != nil {
		return nil, fault.Wrap("agents", "", fault.Other, err)
	}
	for _, t := range h.Tasks(ctx, Filter{}) {
		if by := t.Claim.By; !t.Claim.IsZero() {
			holder := all[by]
			holder.Tasks = append(holder.Tasks, t)
			all[by] = holder
		}
	}
	var out []Agent
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if author.Check(name) == nil {
			a := all[name]
			a.Name, a.Unread = name, len(h.Inbox(name, true))
			out = append(out, a)
		}
	}
	return out, nil
}

// names returns the agents that the memory knows, by name, with their newest commits.
func (h *Hive) names(ctx context.Context) (map[string]Agent, error) {
	seen, err := newestOf(ctx, family(h.scope))
	if err != nil {
		return nil, err
	}
	add := func(name string) {
		if _, known := seen[name]; !known {
			seen[name] = Agent{}
		}
	}
	for _, path := range h.scope.Present().Paths() {
		if name, _ := working.Folder(path); name != "" {
			add(name)
		}
	}
	for _, s := range h.scope.Sessions() {
		for n := range s.Present().Documents() {
			if name := working.AgentOf(n.Path); name != "" && name != ownerName {
				add(name)
			}
		}
	}
	return seen, nil
}

// family lists a scope, its memex, and the open projects and sessions of that.
func family(s *scope.Scope) []*scope.Scope {
	all := append([]*scope.Scope{s.Memex()}, s.Open()...)
	if !slices.Contains(all, s) {
		all = append(all, s)
	}
	return all
}

// newestOf returns the newest commit of each agent over all scopes, by name.
func newestOf(ctx context.Context, scopes []*scope.Scope) (map[string]Agent, error) {
	all := map[string]Agent{}
	for _, s := range scopes {
		release := s.Chain.Reading()
		head := s.Chain.Head().Commit.Seq
		err := s.Chain.About(ctx, new(string), store.Span{From: max(head, maxSeen) - maxSeen + 1, To: head}, func(c *graph.Commit) error {
			if name := c.Author.Name; c.Author.Kind == author.Agent && c.When().After(all[name].Seen) {
				all[name] = Agent{Seen: c.When(), Session: c.Session}
			}
			return nil
		})
		if release(); err != nil {
			return nil, err
		}
	}
	return all, nil
}
