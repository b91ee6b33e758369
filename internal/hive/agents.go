// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hive

import (
	"context"
	"errors"
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
// commits since the last call).
func (h *Hive) Agents(ctx context.Context) ([]Agent, error) {
	seen, err := h.names(ctx)
	if err != nil {
		return nil, fault.Wrap("agents", "", fault.Other, err)
	}
	all := map[string]*Agent{}
	of := func(name string) *Agent {
		if all[name] == nil {
			all[name] = &Agent{Name: name}
		}
		return all[name]
	}
	for name, s := range seen {
		a := of(name)
		a.Seen, a.Session = s.at, s.session
	}
	for _, t := range h.Tasks(ctx, Filter{}) {
		if !t.Claim.IsZero() {
			a := of(t.Claim.By)
			a.Tasks = append(a.Tasks, t)
		}
	}
	var out []Agent
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if author.Check(name) == nil {
			a := *all[name]
			a.Unread = len(h.Inbox(name, true))
			out = append(out, a)
		}
	}
	return out, nil
}

// names returns the agents that the memory knows, with their newest commits.
func (h *Hive) names(ctx context.Context) (map[string]lastSeen, error) {
	seen, err := h.log.read(ctx, family(h.scope))
	if err != nil {
		return nil, err
	}
	add := func(name string) {
		if _, known := seen[name]; !known {
			seen[name] = lastSeen{}
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

// lastSeen is the newest commit of an agent in a history.
type lastSeen struct {
	at      time.Time
	session string
}

// seenLog keeps who made the newest commits of each chain, so that a later call reads only those
// since.
type seenLog struct {
	mu     sync.Mutex
	chains map[*chain.Chain]*seenChain
}

// seenChain is the part of one chain.
type seenChain struct {
	upTo   chain.Commit
	agents map[string]lastSeen
}

// read returns the newest commit of each agent over all scopes.
func (l *seenLog) read(ctx context.Context, scopes []*scope.Scope) (map[string]lastSeen, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	next, all := map[*chain.Chain]*seenChain{}, map[string]lastSeen{}
	for _, s := range scopes {
		c := l.chains[s.Chain]
		if c == nil {
			c = &seenChain{agents: map[string]lastSeen{}}
		}
		if err := c.read(ctx, s.Chain); err != nil {
			return nil, err
		}
		next[s.Chain] = c
		for name, seen := range c.agents {
			if seen.at.After(all[name].at) {
				all[name] = seen
			}
		}
	}
	l.chains = next
	return all, nil
}

// read adds the commits that came since the last call.
func (c *seenChain) read(ctx context.Context, from *chain.Chain) error {
	head := from.Head().Commit
	if head.Digest == c.upTo.Digest || head.Seq == 0 {
		return nil
	}
	defer from.Reading()()
	fresh, count := map[string]lastSeen{}, 0
	err := from.Store().Commits(ctx, store.Span{From: 1, To: head.Seq, Backward: true}, func(r store.Record) error {
		commit, err := graph.DecodeCommit(r.Data, from.Block)
		if err != nil {
			return err
		}
		if commit.Digest == c.upTo.Digest || count == maxSeen {
			return chain.ErrStop
		}
		count++
		if name := commit.Author.Name; commit.Author.Kind == author.Agent {
			if _, known := fresh[name]; !known {
				fresh[name] = lastSeen{at: commit.When(), session: commit.Session}
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, chain.ErrStop) {
		return err
	}
	maps.Copy(c.agents, fresh)
	c.upTo = head
	return nil
}
