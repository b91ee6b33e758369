// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fovea-memory/fovea/author"
)

// Grant holds the additional rights of an agent.
type Grant struct {
	Paths      []string // writable files, and folders with a trailing slash
	Operations []string // names of operations allowed on anything unprotected
	Review     []string // where changes become proposals, "/" for everything
}

// Rights returns the grant of an agent: what the configuration adds to its role, and where its
// changes are reviewed.
func (c *Config) Rights(agent string, role author.Role) author.Grant {
	more := c.Grants[agent]
	g := author.Grant{Agent: agent, Role: role, Paths: more.Paths, Operations: more.Operations}
	if role == author.RoleAgent {
		g.Review = slices.Concat(c.Review, more.Review)
	}
	return g
}

// Granted returns the paths that the configuration lets agents write besides their own, by name.
func (c *Config) Granted() map[string][]string {
	paths := map[string][]string{}
	for agent, g := range c.Grants {
		paths[agent] = g.Paths
	}
	return paths
}

// grants parses a table of agents, each with paths, operations and review.
func (v value) grants() (map[string]Grant, error) {
	table, ok := v.raw.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%v is not a table of agents", v)
	}
	var all map[string]Grant
	for _, agent := range slices.Sorted(maps.Keys(table)) {
		if err := author.Check(agent); err != nil {
			return nil, err
		}
		one, ok := table[agent].(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%s is not a table with paths, operations and review", agent)
		}
		var g Grant
		for _, key := range slices.Sorted(maps.Keys(one)) {
			names, err := list(value.text)(v.of(one[key]))
			if err != nil {
				return nil, fmt.Errorf("%s.%s: %w", agent, key, err)
			}
			switch key {
			case "paths":
				g.Paths = names
			case "operations":
				g.Operations = names
			case "review":
				g.Review = names
			default:
				return nil, fmt.Errorf("%s: unknown key %q; there are paths, operations and review", agent, key)
			}
		}
		if all == nil {
			all = map[string]Grant{}
		}
		all[agent] = g
	}
	return all, nil
}
