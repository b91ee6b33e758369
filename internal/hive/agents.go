// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hive

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/working"
)

// Agent describes an agent that the memory knows.
type Agent struct {
	Name    string    `json:"name" jsonschema:"name of the agent"`
	Seen    time.Time `json:"seen,omitzero" jsonschema:"when it last committed; absent if none of the newest 5,000 commits is its own"`
	Session string    `json:"session,omitempty" jsonschema:"session of that commit"`
	Unread  int       `json:"unread" jsonschema:"number of unread messages in its inbox"`
	Tasks   []Task    `json:"tasks,omitempty" jsonschema:"tasks that it holds"`
}

// maxSeen is the number of newest commits of a history that Agents reads.
const maxSeen = 5_000

// Agents lists the known agents by name: those with a folder below agents/, the authors of commits
// here and in the open projects and sessions, those with working memory, and the holders of tasks.
// Errors: Other (a commit cannot be read). O(documents of agents, tasks, commits since the last
// call).
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

// names returns the known agents by name, with their newest commits, but no tasks.
func (h *Hive) names(ctx context.Context) (map[string]Agent, error) {
	seen, err := h.seen.newest(ctx, family(h.scope))
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

// family lists a scope, its memex, and the open projects and sessions of the memex.
func family(s *scope.Scope) []*scope.Scope {
	all := append([]*scope.Scope{s.Memex()}, s.Open()...)
	if !slices.Contains(all, s) {
		all = append(all, s)
	}
	return all
}

// seen caches the authors of the newest commits of each chain, so that a later call reads only newer commits.
type seen struct {
	mu     sync.Mutex
	chains map[*chain.Chain]seenChain
}

// seenChain is the cache of one chain up to a commit.
type seenChain struct {
	upTo   merkle.Digest
	agents map[string]Agent
}

// newest returns the newest commit of each agent over all scopes, by name.
func (l *seen) newest(ctx context.Context, scopes []*scope.Scope) (map[string]Agent, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	next, all := map[*chain.Chain]seenChain{}, map[string]Agent{}
	for _, s := range scopes {
		of, err := l.chains[s.Chain].follow(ctx, s.Chain)
		if err != nil {
			return nil, err
		}
		next[s.Chain] = of
		for name, a := range of.agents {
			if a.Seen.After(all[name].Seen) {
				all[name] = a
			}
		}
	}
	l.chains = next
	return all, nil
}

// follow adds the commits made since then.
func (of seenChain) follow(ctx context.Context, c *chain.Chain) (seenChain, error) {
	defer c.Reading()()
	head := c.Head().Commit
	if head.Digest == of.upTo {
		return of, nil
	}
	next := seenChain{head.Digest, map[string]Agent{}}
	maps.Copy(next.agents, of.agents)
	span := store.Span{From: max(head.Seq, maxSeen) - maxSeen + 1, To: head.Seq, Backward: true}
	err := c.About(ctx, new(string), span, func(c *graph.Commit) error {
		if c.Digest == of.upTo {
			return chain.ErrStop
		}
		if name := c.Author.Name; c.Author.Kind == author.Agent && c.When().After(next.agents[name].Seen) {
			next.agents[name] = Agent{Seen: c.When(), Session: c.Session}
		}
		return nil
	})
	return next, err
}
