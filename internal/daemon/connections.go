// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"net"
	"net/http"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/internal/httpapi"
)

// sharedListener counts the connections of each caller. Any program on this machine can
// open connections, with a token or without: a new one is always accepted, and above the
// limit an older one is closed.
type sharedListener struct {
	net.Listener
	shares *bound.Shares
	as     bound.Bearer // until a request names another
}

func (l *sharedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &sharedConn{Conn: c, share: l.shares.Acquire(l.as, func() { _ = c.Close() })}, nil
}

// sharedConn is a connection that holds a share until it is closed.
type sharedConn struct {
	net.Conn
	share *bound.Share
}

func (c *sharedConn) Close() error {
	err := c.Conn.Close()
	c.share.Release()
	return err
}

// CloseWrite closes the connection for writing. http.Server calls it, so that a client that is
// still sending can read the error of its request.
func (c *sharedConn) CloseWrite() error {
	if w, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return w.CloseWrite()
	}
	return nil
}

// setState follows the state of a connection for http.Server. Connections that serve a request are
// closed last.
func (c *sharedConn) setState(s http.ConnState) {
	switch s {
	case http.StateActive:
		c.share.MarkBusy()
	case http.StateIdle:
		c.share.MarkIdle()
	}
}

// connectionKey is the context key of the connection of a request.
type connectionKey struct{}

// withConnection is http.Server.ConnContext.
func withConnection(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, c)
}

// counting wraps admit. It counts the connection as one of the caller.
func counting(admit httpapi.Admission) httpapi.Admission {
	return func(r *http.Request) (api.Grant, error) {
		g, err := admit(r)
		if c, ok := r.Context().Value(connectionKey{}).(*sharedConn); ok && err == nil {
			c.share.Reassign(api.BearerOf(g))
		}
		return g, err
	}
}

// connections returns the limits of this process. They leave half of its file
// descriptors for files.
func connections() bound.Limits {
	limits := bound.Connections
	if n := descriptors() / 2; n > 0 {
		limits.Total = min(limits.Total, n)
	}
	return limits
}
