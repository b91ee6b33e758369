// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/mcpserver"
)

// mcpHandler serves MCP to authenticated callers until ctx ends. The owner's own token,
// which programs also use, admits them as agents.
func mcpHandler(ctx context.Context, agents agents, svc api.Service, feed *api.Feed, log *slog.Logger) http.Handler {
	web := mcpserver.NewWeb(func(r *http.Request) mcpserver.Caller {
		g, scopes := agents.own(author.GrantOf(r.Context())), author.ScopesOf(r.Context())
		return mcpserver.Caller{Key: holder(g, scopes), Bearer: api.BearerOf(g), Open: func() *mcpserver.Server {
			opts := &mcpserver.Options{Version: version(), Faults: log, Acting: func(ctx context.Context, client string) context.Context {
				as := agents.granted(g)
				if g.Role == api.Owner {
					name, _ := agents.name(g.Agent, client)
					as = agents.grant(name)
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
	}, nil)
	go follow(ctx, feed, web.Changed)
	return web
}

// holder returns a key for all that an answer depends on apart from request and memory.
func holder(g api.Grant, scopes api.Scopes) string {
	return fmt.Sprintf("%q %q %s", scopes.Project, scopes.Session, g.Holder())
}

// follow calls changed after commits until ctx ends, once for all commits made during a
// call.
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
			happened := e.Commit != nil || e.Review != nil
			for len(events) > 0 {
				next := <-events
				happened = happened || next.Commit != nil || next.Review != nil
			}
			if happened {
				changed(ctx)
			}
		}
		done()
	}
}
