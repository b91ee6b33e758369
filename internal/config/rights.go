// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"reflect"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/internal/text"
)

// Grant holds the additional rights of an agent.
type Grant struct {
	Paths      []string `key:"paths" as:"text"`      // writable files, and folders with a trailing slash
	Operations []string `key:"operations" as:"text"` // operations allowed on everything that is not protected
	Review     []string `key:"review" as:"text"`     // where changes become proposals, "/" for everything
}

// Rights returns the grant of an agent: the rights that the configuration adds to its role, and the files in which
// its changes are reviewed.
func (c *Config) Rights(agent string, role author.Role) author.Grant {
	more := c.Grants[agent]
	g := author.Grant{Agent: agent, Role: role, Paths: more.Paths, Operations: more.Operations}
	if role == author.RoleAgent {
		g.Review = slices.Concat(c.Review, more.Review)
	}
	return g
}

// Granted returns the paths that agents may write besides their own, by name of the agent.
func (c *Config) Granted() map[string][]string {
	paths := map[string][]string{}
	for agent, g := range c.Grants {
		paths[agent] = g.Paths
	}
	return paths
}

// Trust selects the notes that windows treat like the owner's: those of some agents, and all in some files.
type Trust struct {
	Agents []string `key:"agents" as:"agent"`  // by name
	Paths  []string `key:"paths" as:"pattern"` // patterns of files, in the syntax of the lists of guard
}

// Covers returns a function that reports whether the notes of an agent in a document, given its path below the
// memex, are trusted; nil if none are.
func (t Trust) Covers() func(agent, path string) bool {
	if len(t.Agents)+len(t.Paths) == 0 {
		return nil
	}
	paths := text.ParsePatterns(nil, ".", strings.Join(t.Paths, "\n"))
	return func(agent, path string) bool { return slices.Contains(t.Agents, agent) || paths.Covers(path) }
}

// guard decodes lists of patterns by mode.
func (v value) guard() (guard.Rules, error) {
	var rules struct {
		Lockdown []string `key:"lockdown" as:"pattern"`
		Ask      []string `key:"ask" as:"pattern"`
		Trusted  []string `key:"trusted" as:"pattern"`
	}
	err := v.decodeTable(reflect.ValueOf(&rules).Elem())
	return guard.Rules(rules), err
}

// Record selects what is not recorded about agents; the zero value records everything.
type Record struct {
	OmitWindows bool `key:"windows" as:"denial"` // the manifest of each window that an agent is given
	OmitActions bool `key:"actions" as:"denial"` // a block of each thing that an agent does
}
