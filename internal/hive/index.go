// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hive

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/node"
)

// index finds the tasks of a state and the documents of each agent. The first lookup builds it
// from the whole state, and each later commit updates it. What it lists may have changed since.
type index struct {
	mu    sync.Mutex
	built bool
	tasks map[string]bool            // ids
	homes map[string]map[string]bool // paths below agents/NAME/, by name
}

// follow applies the changes of a commit; nil drops the index.
func (x *index) follow(delta *graph.Delta) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if delta == nil || len(delta.Reread) > 0 {
		x.built = false
	}
	if !x.built {
		return
	}
	for _, c := range delta.Changes {
		if c.Old != nil {
			x.put(c.ID, c.Old, false)
		}
		if c.New != nil {
			x.put(c.ID, c.New, true)
		}
	}
}

// put adds a node, or removes it.
func (x *index) put(id string, n *node.Node, add bool) {
	name := agentOfPath(n.Path)
	switch {
	case isTask(n) && add:
		x.tasks[id] = true
	case isTask(n):
		delete(x.tasks, id)
	case n.Type != document.TypeDocument || name == "":
	case !add:
		if delete(x.homes[name], n.Path); len(x.homes[name]) == 0 {
			delete(x.homes, name)
		}
	default:
		if x.homes[name] == nil {
			x.homes[name] = map[string]bool{}
		}
		x.homes[name][n.Path] = true
	}
}

// use locks the index, and builds it from the present state of a scope unless that was done.
func (x *index) use(s *scope.Scope) (unlock func()) {
	x.mu.Lock()
	if x.built {
		return x.mu.Unlock
	}
	x.built, x.tasks, x.homes = true, map[string]bool{}, map[string]map[string]bool{}
	for n := range s.Present().All() {
		x.put(n.ID, n, true)
	}
	return x.mu.Unlock
}

// taskIDs lists the ids of the tasks.
func (x *index) taskIDs(s *scope.Scope) []string {
	defer x.use(s)()
	return slices.Collect(maps.Keys(x.tasks))
}

// agents lists the agents that have documents.
func (x *index) agents(s *scope.Scope) []string {
	defer x.use(s)()
	return slices.Collect(maps.Keys(x.homes))
}

// inboxes lists the files of an agent's inbox, oldest first.
func (x *index) inboxes(s *scope.Scope, agent string) []string {
	defer x.use(s)()
	var paths []string
	for path := range x.homes[agent] {
		if inboxNumber(agent, path) > 0 {
			paths = append(paths, path)
		}
	}
	sortInbox(agent, paths)
	return paths
}

// sortInbox sorts the files of an inbox, oldest first.
func sortInbox(agent string, paths []string) {
	slices.SortFunc(paths, func(a, b string) int { return inboxNumber(agent, a) - inboxNumber(agent, b) })
}

// agentOfPath returns the agent in whose folder a path is, "" for none. The name is not checked.
func agentOfPath(path string) string {
	rest, ok := strings.CutPrefix(path, "agents/")
	name, _, below := strings.Cut(rest, "/")
	if !ok || !below {
		return ""
	}
	return name
}
