// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/servermemory"
)

// acting attributes a call to the agent that --agent names, else to the MCP client's name.
func (s *session) acting(ctx context.Context, client string) context.Context {
	return api.WithGrant(ctx, s.agentGrant(s.agentOf(s.flags.Agent, client)))
}

// agentOf returns given, the name that the owner chose, else an agent's name made from the
// client's own.
func (s *session) agentOf(given, client string) string {
	if given != "" {
		return given
	}
	agent, _ := author.ForClient(client, s.givenAway)
	return agent.Name
}

// greeting tells an MCP client its agent name if that differs from the name it sent, else it
// is "".
func (s *session) greeting(given, client string) string {
	if given != "" {
		return ""
	}
	agent, changed := author.ForClient(client, s.givenAway)
	if !changed {
		return ""
	}
	return fmt.Sprintf("You are recorded as agent %s, and write below agents/%s/: the name %q is not one that a client can take by itself. "+
		"Your owner can choose another one: fovea mcp --agent NAME.", agent, agent, client)
}

// givenAway reports whether a name belongs to a grant, to a token or to the server-memory
// graph. It reports true for every name if the tokens cannot be read.
func (s *session) givenAway(name string) bool {
	if _, ok := s.config.Grants[name]; ok || name == servermemory.Agent {
		return true
	}
	tokens, err := config.ReadTokens(nil)
	return err != nil || slices.ContainsFunc(tokens.All, func(t config.Token) bool { return t.Agent == name })
}

// agentGrant returns the rights of an agent.
func (s *session) agentGrant(agent string) api.Grant {
	more := s.config.Grants[agent]
	g := api.Grant{Agent: agent, Role: api.Agent, Paths: more.Paths, Operations: more.Operations}
	if s.memory != nil {
		g.Protected = s.memory.Protected
	}
	return g
}
