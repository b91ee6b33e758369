// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"cmp"
	"maps"
	"slices"

	"github.com/fovea-memory/fovea/author"
)

// Grant holds the additional rights of an agent.
type Grant struct {
	Paths      []string `key:"paths" as:"texts"`      // writable files, and folders with a trailing slash
	Operations []string `key:"operations" as:"texts"` // names of operations allowed on anything unprotected
	Review     []string `key:"review" as:"texts"`     // where changes become proposals, "/" for everything
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
	all, err := table("agents", tableOf[Grant])(v)
	for _, agent := range slices.Sorted(maps.Keys(all)) {
		err = cmp.Or(err, author.Check(agent))
	}
	return all, err
}
