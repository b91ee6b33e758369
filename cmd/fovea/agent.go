// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/servermemory"
)

// agents names MCP clients and gives them their rights, those of the configuration.
type agents map[string]config.Grant

// name returns given, the name that the owner chose, else an agent's name made from the
// client's own. greeting tells the client its name if that differs from the one it sent.
func (a agents) name(given, client string) (name, greeting string) {
	if given != "" {
		return given, ""
	}
	agent, changed := author.ForClient(client, a.reserved)
	if changed {
		greeting = fmt.Sprintf("You are recorded as agent %s, and write below agents/%s/: the name %q is not one that a client can take by itself. "+
			"Your owner can choose another one: fovea mcp --agent NAME.", agent, agent, client)
	}
	return agent.Name, greeting
}

// reserved reports whether a name belongs to a grant, to a token or to the server-memory
// graph. It reports true for every name if the tokens cannot be read.
func (a agents) reserved(name string) bool {
	if _, ok := a[name]; ok || name == servermemory.Agent {
		return true
	}
	tokens, err := config.ReadTokens(nil)
	return err != nil || slices.ContainsFunc(tokens.All, func(t config.Token) bool { return t.Agent == name })
}

// grant returns the rights of an agent.
func (a agents) grant(agent string) api.Grant {
	more := a[agent]
	return api.Grant{Agent: agent, Role: api.Agent, Paths: more.Paths, Operations: more.Operations}
}
