// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"net"
	"net/http"
	"sync"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/httpapi"
	"github.com/fovea-memory/fovea/internal/share"
)

// crowd is a listener whose connections take shares. Whoever runs a program on this
// machine can open connections, token or not: a newcomer is accepted always, and where
// there are too many an older one is closed.
type crowd struct {
	net.Listener
	shares *share.Shares
	as     share.Bearer // of a connection over which nothing was asked yet
}

func (l *crowd) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &counted{Conn: c, share: l.shares.Acquire(l.as, func() { _ = c.Close() })}, nil
}

// counted is a connection that has a share until it is closed.
type counted struct {
	net.Conn
	share *share.Share

	mu     sync.Mutex
	active bool // a request is under way
}

func (c *counted) Close() error {
	err := c.Conn.Close()
	c.share.Release()
	return err
}

// CloseWrite ends an answer before the connection: a client that is still sending is
// to read why it was refused. http.Server asks for it.
func (c *counted) CloseWrite() error {
	if w, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return w.CloseWrite()
	}
	return nil
}

// state takes in what a connection does; http.Server calls it. One whose request is
// under way gives way last.
func (c *counted) state(s http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case s == http.StateActive && !c.active:
		c.active = true
		c.share.MarkBusy()
	case s == http.StateIdle && c.active:
		c.active = false
		c.share.MarkIdle()
	}
}

// connectionKey is the key of a context under which the connection of a request is.
type connectionKey struct{}

// withConnection is http.Server.ConnContext.
func withConnection(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, c)
}

// counting lets in whom admit lets in, and counts the connection as that bearer's.
func counting(admit httpapi.Admission) httpapi.Admission {
	return func(r *http.Request) (api.Grant, error) {
		g, err := admit(r)
		if c, ok := r.Context().Value(connectionKey{}).(*counted); ok && err == nil {
			c.share.Reassign(g.Bearer())
		}
		return g, err
	}
}

// connections are the limits of this process. Half of the descriptors that the system
// gives it are left for files.
func connections() share.Limits {
	limits := share.Connections
	if most := descriptors() / 2; most > 0 {
		limits.Total = min(limits.Total, most)
	}
	return limits
}
