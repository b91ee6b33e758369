// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/mcpserver"
	"github.com/fovea-memory/fovea/internal/rpcline"
	"github.com/fovea-memory/fovea/internal/servermemory"
)

// serverMemory is the only server that --compat and import accept.
const serverMemory = "server-memory"

func mcpCommand(s *session) *cobra.Command {
	compat := ""
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the memory to an MCP client on standard input and output",
		Long: `Serve the memory to an MCP client, such as an editor or an agent, on standard
input and output. Clients start it themselves; see fovea setup.

What the client writes is recorded as by --agent, else by the name that the
client gives itself. It reads everything, and writes below agents/NAME/, in
tasks, and what the configuration grants to that name.

With --compat server-memory it has the nine tools of that server instead, over a
graph in agents/server-memory/. The file that MEMORY_FILE_PATH names is taken
over where there is no graph yet, and kept in step with it.`,
		Example: `  fovea mcp --memex ~/notes --agent claude
  MEMORY_FILE_PATH=~/memory.jsonl fovea mcp --compat server-memory`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			s.flags.Here = "" // a server is started with its memex named
			if width(os.Stdin) > 0 {
				s.say("waiting for an MCP client on standard input; clients start this themselves, see fovea setup")
			}
			switch compat {
			case "":
				return s.serveMCP(c.Context())
			case serverMemory:
				return s.serveServerMemory(c.Context())
			}
			return misuse{fmt.Errorf("--compat knows %s, not %q", serverMemory, compat)}
		},
	}
	c.Flags().StringVar(&compat, "compat", "", "have the tools of another `SERVER`: "+serverMemory)
	return c
}

// serveMCP serves Fovea's own tools until the client disconnects.
func (s *session) serveMCP(ctx context.Context) error {
	svc, err := s.shared(ctx)
	if err != nil {
		return s.refuseMCP(ctx, err)
	}
	svc = s.guarded(svc)
	server := mcpserver.New(svc, &mcpserver.Options{Version: version(), Acting: s.acting, Greeting: func(client string) string { return s.greeting(s.flags.Agent, client) }, Log: s.log(), Faults: s.log()})
	if s.far != nil {
		s.letGrow(growBriefly) // the daemon holds the data
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		go s.tellChanges(ctx, server)
	}
	return ended(ctx, server.Run(ctx, s.standardLines()))
}

// standardLines is the MCP transport over standard input and output.
func (s *session) standardLines() *rpcline.Transport {
	return &rpcline.Transport{In: os.Stdin, Out: s.toClient()}
}

// refuseMCP answers the client's first request with the reason why there is no server, since
// most clients do not show standard error.
func (s *session) refuseMCP(ctx context.Context, why error) error {
	if width(os.Stdin) > 0 {
		return why // a person reads standard error
	}
	_ = rpcline.Refuse(ctx, s.standardLines(), "fovea cannot serve this memory: "+why.Error()+"\nNext: ask the owner to mend that, and to start this server again") // the client may be gone
	return why
}

// lookAgain is the delay between attempts to reach a daemon that has gone.
const lookAgain = time.Second

// tellChanges notifies a server of other clients' commits until ctx ends. It does not
// restart a daemon that has gone; the next call does.
func (s *session) tellChanges(ctx context.Context, server *mcpserver.Server) {
	for ctx.Err() == nil {
		if h, err := s.far.Hello(ctx); err == nil {
			server.Changed(ctx) // commits made before the subscription
			_ = s.far.Events(ctx, h.Seq, func(e api.Event) error {
				if e.Commit != nil {
					server.Changed(ctx)
				}
				return nil
			})
		}
		select {
		case <-ctx.Done():
		case <-time.After(lookAgain):
		}
	}
}

// serveServerMemory serves the tools of server-memory until the client disconnects.
func (s *session) serveServerMemory(ctx context.Context) error {
	graph, err := s.graph(ctx, s.shared)
	if err != nil {
		return s.refuseMCP(ctx, err)
	}
	return ended(ctx, servermemory.Serve(ctx, graph, version(), s.log(), os.Stdin, s.toClient()))
}

// graph opens the server-memory graph. All clients share it, so one agent writes it:
// servermemory.Agent.
func (s *session) graph(ctx context.Context, service func(context.Context) (api.Service, error)) (*servermemory.Store, error) {
	svc, err := service(ctx)
	if err != nil {
		return nil, err
	}
	acting := api.As(s.guarded(svc), api.Grant{Agent: servermemory.Agent, Role: api.Keeper})
	var mirror *servermemory.Mirror
	if file := s.config.ServerMemoryFile; file != "" {
		mirror = servermemory.NewMirror(file)
	}
	return servermemory.Open(ctx, acting, mirror)
}

// ended returns the error of a session, nil if ctx ended: a disconnect or an interrupt is no
// error.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// guarded holds each call to the grant of its context. A daemon does that itself.
func (s *session) guarded(svc api.Service) api.Service {
	if s.far != nil {
		return svc
	}
	return api.Guarded(svc)
}

// shared returns the service of a daemon, which it starts, and restarts after it has gone,
// so that clients share one memory.
func (s *session) shared(ctx context.Context) (api.Service, error) {
	if s.alone {
		return s.service(ctx)
	}
	if err := s.load(); err != nil {
		return nil, err
	}
	idle := []string{"--idle", lingers.String()}
	far, err := s.background(ctx, idle...)
	if err != nil {
		return nil, err
	}
	far.OnLoss(func(ctx context.Context) error {
		again, err := s.background(ctx, idle...)
		if err == nil {
			again.Close()
		}
		return err
	})
	s.far = far
	return s.far.Service, nil
}
