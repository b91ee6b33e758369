// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/cli"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/httpapi"
	"github.com/fovea-memory/fovea/internal/mcpserver"
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
input and output. Clients start it themselves; see fovea setup. --agent names
the author of what the client writes; the default is the client's own name.

With --compat server-memory it has the nine tools of that server instead, over a
graph in agents/server-memory/. It imports the file that MEMORY_FILE_PATH names
if there is no graph yet, and keeps the file up to date.`,
		Example: `  fovea mcp --memex ~/notes --agent claude
  MEMORY_FILE_PATH=~/memory.jsonl fovea mcp --compat server-memory`,
		Args: cli.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			s.flags.Here = "" // a server needs an explicit memex
			if cli.Width(os.Stdin) > 0 {
				s.Report("waiting for an MCP client on standard input; clients start this themselves, see fovea setup")
			}
			switch compat {
			case "":
				return serveMCP(c.Context(), s)
			case serverMemory:
				return serveServerMemory(c.Context(), s)
			}
			return cli.Misusef("--compat is %s, not %q", serverMemory, compat)
		},
	}
	c.Flags().StringVar(&compat, "compat", "", "offer the tools of another `SERVER`: "+serverMemory)
	return c
}

// serveMCP serves Fovea's own tools until the client disconnects.
func serveMCP(ctx context.Context, s *session) error {
	svc, err := s.shared(ctx)
	if err != nil {
		return refuseMCP(ctx, s, err)
	}
	svc = s.guarded(svc)
	agents := agents{func() *config.Config { return &s.config }}
	server := mcpserver.New(svc, &mcpserver.Options{Version: version(), Log: s.log(), Faults: s.log(), Embedder: s.config.Embed.Kind != "",
		Acting: func(ctx context.Context, client string) context.Context {
			name, _ := agents.name(s.flags.Agent, client)
			return author.WithGrant(ctx, s.config.Rights(name, api.Agent))
		},
		Greeting: func(client string) string {
			_, greeting := agents.name(s.flags.Agent, client)
			return greeting
		}})
	if s.daemon != nil {
		growHeap() // the daemon holds the data
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		go forwardChanges(ctx, s.daemon, server)
	}
	return ended(ctx, server.Run(ctx, standardLines(s)))
}

// standardLines is the MCP transport over standard input and output. The process exits if the client
// stalls, which frees its answers and connections. Acknowledged data is on disk by then.
func standardLines(s *session) *mcpserver.Transport {
	return &mcpserver.Transport{In: os.Stdin, Out: &unread{s.Out, func() {
		s.ReportAlways("the MCP client has read nothing for " + maxUnread.String() + "; this server ends, start it again")
		os.Exit(1)
	}}}
}

// refuseMCP answers the client's requests with the reason why there is no server: few clients show standard error.
func refuseMCP(ctx context.Context, s *session, why error) error {
	if cli.Width(os.Stdin) > 0 {
		return why // a person reads standard error
	}
	text := "fovea cannot serve this memory: " + why.Error() + "\nNext: ask the owner to fix that, and to restart this server"
	_ = mcpserver.Refuse(ctx, standardLines(s), text) // the client may be gone
	return why
}

// reconnectInterval is the delay between attempts to reach a daemon that has exited.
const reconnectInterval = time.Second

// forwardChanges notifies a server of other clients' commits from its first subscription until ctx ends: without one, every
// commit would wake every agent. It does not restart a daemon that has exited; the next call does.
func forwardChanges(ctx context.Context, c *httpapi.Client, server *mcpserver.Server) {
	select {
	case <-ctx.Done():
		return
	case <-server.Subscribed():
	}
	for ctx.Err() == nil {
		if h, err := c.Hello(ctx); err == nil {
			server.Changed(ctx) // commits made before the subscription
			_ = c.Events(ctx, h.Seq, func(kind string, _ []byte) error {
				if kind != "progress" {
					server.Changed(ctx)
				}
				return nil
			})
		}
		select {
		case <-ctx.Done():
		case <-time.After(reconnectInterval):
		}
	}
}

// serveServerMemory serves the tools of server-memory until the client disconnects.
func serveServerMemory(ctx context.Context, s *session) error {
	graph, err := openGraph(ctx, s, s.shared)
	if err != nil {
		return refuseMCP(ctx, s, err)
	}
	return ended(ctx, servermemory.Serve(ctx, graph, version(), s.log(), standardLines(s)))
}

// openGraph opens the server-memory graph. All clients share it, so one agent writes it: servermemory.Agent.
func openGraph(ctx context.Context, s *session, service func(context.Context) (api.Service, error)) (*servermemory.Store, error) {
	svc, err := service(ctx)
	if err != nil {
		return nil, err
	}
	acting := api.As(s.guarded(svc), api.Grant{Agent: servermemory.Agent, Role: api.Keeper})
	return servermemory.Open(ctx, acting, s.config.ServerMemoryFile)
}

// ended returns the error of a session, nil if ctx ended: a disconnect or an interrupt is no error.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// agents names MCP clients and gives them their rights, those of the configuration.
type agents struct{ config func() *config.Config }

// name returns given, the name that the owner chose, else an agent's name made from the
// client's own. greeting informs the client of its name if it differs from the one it sent.
func (a agents) name(given, client string) (name, greeting string) {
	if given != "" {
		return given, ""
	}
	agent, changed := author.ForClient(client, a.reserved)
	if changed {
		greeting = fmt.Sprintf("You are recorded as agent %s, and write below agents/%s/: a client cannot choose the name %q itself. "+
			"Your owner can start you under another name, such as that of a grant: fovea mcp --agent NAME.", agent, agent, client)
	}
	return agent.Name, greeting
}

// reserved reports whether a name belongs to a grant, to a token or to the server-memory
// graph. It reports true for every name if the tokens cannot be read.
func (a agents) reserved(name string) bool {
	if _, ok := a.config().Grants[name]; ok || name == servermemory.Agent {
		return true
	}
	tokens, err := config.ReadTokens()
	return err != nil || slices.ContainsFunc(tokens.All, func(t config.Token) bool { return t.Agent == name })
}

// own returns the rights of a caller without those that the configuration grants now, which may change.
func (a agents) own(g api.Grant) api.Grant {
	granted := a.config().Rights(g.Agent, g.Role).Paths
	if n := len(granted); n <= len(g.Paths) && slices.Equal(granted, g.Paths[:n]) {
		g.Paths = append([]string(nil), g.Paths[n:]...) // nil for none, as in the grant of a new caller
	} else {
		g.Paths = nil // the configuration changed since the caller was admitted
	}
	g.Operations, g.Review = nil, nil
	return g
}

// granted adds the present rights of the configuration to the result of own.
func (a agents) granted(own api.Grant) api.Grant {
	now := a.config().Rights(own.Agent, own.Role)
	own.Paths, own.Operations, own.Review = slices.Concat(now.Paths, own.Paths), now.Operations, now.Review
	return own
}

// mcpHandler serves MCP to authenticated callers until ctx ends. Callers with the owner's token act as agents.
func mcpHandler(ctx context.Context, agents agents, svc api.Service, feed *api.Feed, log *slog.Logger) http.Handler {
	web := mcpserver.NewWeb(func(r *http.Request) mcpserver.Caller {
		g, scopes := agents.own(author.GrantOf(r.Context())), author.ScopesOf(r.Context())
		return mcpserver.Caller{Key: holder(g, scopes), Bearer: api.BearerOf(g), Open: func() *mcpserver.Server {
			embedder := agents.config().Embed.Kind != ""
			opts := &mcpserver.Options{Version: version(), Faults: log, Embedder: embedder, Acting: func(ctx context.Context, client string) context.Context {
				as := agents.granted(g)
				if g.Role == api.Owner {
					name, _ := agents.name(g.Agent, client)
					as = agents.config().Rights(name, api.Agent)
				}
				return author.WithScopes(fovea.WithActor(author.WithGrant(ctx, as), author.Actor{Session: scopes.Session}), scopes)
			}}
			if g.Role == api.Owner { // an agent's token names its agent
				opts.Greeting = func(client string) string {
					_, greeting := agents.name(g.Agent, client)
					return greeting
				}
			}
			return mcpserver.New(svc, opts)
		}}
	})
	go follow(ctx, feed, web.Changed)
	return web
}

// holder returns a key for everything that an answer depends on except request and memory.
func holder(g api.Grant, scopes api.Scopes) string {
	return fmt.Sprintf("%q %q %s", scopes.Project, scopes.Session, g.Holder())
}

// follow calls changed after commits until ctx ends, once for all commits made during a call.
func follow(ctx context.Context, feed *api.Feed, changed func(context.Context)) {
	for ctx.Err() == nil {
		events, done := feed.Subscribe()
		changed(ctx) // commits made before the subscription
		for open := true; open; {
			var e api.Event
			select {
			case <-ctx.Done():
				open = false
			case e, open = <-events:
			}
			happened := e.Commit != nil || e.Notice != nil
			for len(events) > 0 {
				next := <-events
				happened = happened || next.Commit != nil || next.Notice != nil
			}
			if happened {
				changed(ctx)
			}
		}
		done()
	}
}

// maxUnread is how long an MCP client on standard output may leave a message unread
// before it counts as stalled. A person may have suspended it for a while.
const maxUnread = 5 * time.Minute

// unread is an output that calls stalled if one Write takes longer than maxUnread.
// Nothing else ends such a Write: a pipe to the parent process has no deadline.
type unread struct {
	io.WriteCloser
	stalled func()
}

func (u *unread) Write(b []byte) (int, error) {
	late := time.AfterFunc(maxUnread, u.stalled)
	defer late.Stop()
	return u.WriteCloser.Write(b)
}
