// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"cmp"
	"context"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/minds"
	"github.com/fovea-memory/fovea/internal/write"
	"github.com/fovea-memory/fovea/token"
	"github.com/fovea-memory/fovea/window"
)

// SessionWindow is View.Window for a session, of a view of this memory: the window leaves
// out what the session was shown before, in the layout of the request's Session. Agents that share
// a session are kept apart. With fresh, the session starts over. What was shown is recorded for
// the 64 most recently used sessions, across restarts.
func (m *Memory) SessionWindow(ctx context.Context, v View, session string, req window.Request, fresh bool) (*window.Window, error) {
	req.Session = cmp.Or(req.Session, &window.Session{})
	name := session + "\n" + author.ActorOf(ctx).Author.String() + "\n" + req.Session.Layout
	undecided := req.Session.Layout == window.LayoutSticky && len(v.Lockdown())+len(v.Unreviewed()) > 0
	return m.memex.sessions.Window(name, req, fresh, undecided, func(req window.Request) (*window.Window, error) { return v.Window(ctx, req) })
}

// TokenCache returns the memory's cache of token counts, for the requests of
// View.Window. The first call loads it, and Close saves it.
func (m *Memory) TokenCache() *token.Cache { return m.tokens.Cache(m.scope) }

// writerOf opens the writer of a scope for a room.
func (x *memex) writerOf(ctx context.Context, name string) (*write.Writer, error) {
	m, err := x.scope(ctx, name)
	if err != nil {
		return nil, err
	}
	return m.writer, nil
}

// newWindows returns the log of the windows that agents were given.
func newWindows(x *memex) *minds.Windows {
	top := x.top.scope
	return minds.NewWindows(minds.Host{
		Open: x.writerOf, Scopes: x.scopes, Names: x.names, Load: x.top.blocks.Files().Content, Shown: x.sessions.Shown,
		Writable: func() error { return x.top.Writable() },
		Off:      top.Options.OmitWindows, OffActions: top.Options.OmitActions, Log: top.Options.Log,
	})
}
