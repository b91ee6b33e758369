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

// acting records a call as by the agent that --agent names, else by the one that the
// client is by its own name.
func (s *session) acting(ctx context.Context, client string) context.Context {
	return api.WithGrant(ctx, s.agentGrant(s.agentOf(s.flags.Agent, client)))
}

// agentOf returns the name of an agent: the one that its owner gave, else one made of
// the name that the client gives itself.
func (s *session) agentOf(given, client string) string {
	if given != "" {
		return given
	}
	agent, _ := author.ForClient(client, s.givenAway)
	return agent.Name
}

// greeting says how an MCP client is called here where that is not how it calls
// itself, "" where it is.
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

// givenAway reports whether a name is that of an agent to which the owner gave it, with
// a grant or a token, or that of the graph of server-memory. Tokens that cannot be read
// have taken every name.
func (s *session) givenAway(name string) bool {
	if _, ok := s.config.Grants[name]; ok || name == servermemory.Agent {
		return true
	}
	tokens, err := config.ReadTokens(nil)
	return err != nil || slices.ContainsFunc(tokens.All, func(t config.Token) bool { return t.Agent == name })
}

// agentGrant is what an agent may do.
func (s *session) agentGrant(agent string) api.Grant {
	more := s.config.Grants[agent]
	g := api.Grant{Agent: agent, Role: api.Agent, Paths: more.Paths, Operations: more.Operations}
	if s.memory != nil {
		g.Protected = s.memory.Protected
	}
	return g
}
