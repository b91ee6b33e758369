// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/mcpserver"
)

func mcpCommand(s *session) *cobra.Command {
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the memory to an MCP client on standard input and output",
		Long: `Serve the memory to an MCP client, such as an editor or an agent, on standard
input and output. Clients start it themselves; see fovea setup.

What the client writes is recorded as by --agent, else by the name that the client
gives itself. It reads everything, and writes below agents/NAME/ and in tasks.`,
		Example: `  fovea mcp --memex ~/notes --agent claude`,
		Args:    args(0, 0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			svc, err := s.agentService(c.Context())
			if err != nil {
				return err
			}
			server := mcpserver.New(svc, &mcpserver.Options{Version: version(), Acting: s.acting, Log: s.log()})
			return ended(c.Context(), server.Run(c.Context(), &mcp.StdioTransport{}))
		},
	}
	return c
}

// ended is how a session ended: that the client went, or somebody stopped us, is no
// error.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// agentService gives the service that an MCP client may use: each call as the agent
// that its context names.
func (s *session) agentService(ctx context.Context) (api.Service, error) {
	svc, err := s.service(ctx)
	if err != nil {
		return nil, err
	}
	return api.Through(func(ctx context.Context, op *api.Operation, req any) (any, error) {
		agent, _ := ctx.Value(agentKey{}).(string)
		return op.Pass(ctx, api.Trusted(svc, api.Grant{Agent: agent, Role: api.Agent}), req)
	}), nil
}

type agentKey struct{}

// acting records a call as by the agent that --agent names, or by the client.
func (s *session) acting(ctx context.Context, client string) context.Context {
	agent := s.flags.Agent
	if agent == "" {
		agent = agentName(client)
	}
	return fovea.WithActor(context.WithValue(ctx, agentKey{}, agent), agent, "", "")
}

// maxAgentName is how long the name of an agent is that a client chose.
const maxAgentName = 40

// agentName makes of the name that a client gives itself one that a folder can have:
// lower-case letters, digits and hyphens.
func agentName(client string) string {
	words := strings.FieldsFunc(strings.ToLower(client), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	name := strings.Join(words, "-")
	if name = strings.Trim(name[:min(len(name), maxAgentName)], "-"); name == "" {
		return "agent"
	}
	return name
}
