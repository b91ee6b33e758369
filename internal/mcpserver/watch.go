// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxWatched is the maximum number of resources that a server watches. It reads all of them at each change.
const maxWatched = 100

// watch holds the resources that clients have subscribed to. It is safe for concurrent use.
type watch struct {
	mu       sync.Mutex
	seen     map[string][sha256.Size]byte // the last content of each
	sessions map[string]map[*mcp.ServerSession]bool
	began    chan struct{} // closed by the first subscription
	begin    func()        // closes it once
}

func newWatch() watch {
	began := make(chan struct{})
	return watch{seen: map[string][sha256.Size]byte{}, sessions: map[string]map[*mcp.ServerSession]bool{},
		began: began, begin: sync.OnceFunc(func() { close(began) })}
}

// Subscribed is closed once a client has subscribed to a resource: before, Changed has nothing to do.
func (s *Server) Subscribed() <-chan struct{} { return s.watch.began }

func (s *Server) subscribe(ctx context.Context, req *mcp.SubscribeRequest) error {
	uri := req.Params.URI
	_, text, err := readURI(ctx, s.service, uri)
	if err != nil {
		return unread(uri, err)
	}
	w := &s.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	w.prune(s.mcp)
	if len(w.sessions) >= maxWatched && w.sessions[uri] == nil {
		return refusal("subscription", advice{misuse(fmt.Sprintf("%d resources are watched already", maxWatched)), "end a subscription first"})
	}
	if w.sessions[uri] == nil {
		w.sessions[uri] = map[*mcp.ServerSession]bool{}
		w.seen[uri] = sha256.Sum256([]byte(text))
	}
	w.sessions[uri][req.Session] = true
	w.begin()
	return nil
}

func (s *Server) unsubscribe(_ context.Context, req *mcp.UnsubscribeRequest) error {
	w := &s.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.sessions[req.Params.URI], req.Session)
	w.prune(s.mcp)
	return nil
}

// prune drops sessions that ended without unsubscribing, and resources without sessions. w.mu is held.
func (w *watch) prune(server *mcp.Server) {
	open := map[*mcp.ServerSession]bool{}
	for session := range server.Sessions() {
		open[session] = true
	}
	for uri, subscribers := range w.sessions {
		maps.DeleteFunc(subscribers, func(session *mcp.ServerSession, _ bool) bool { return !open[session] })
		if len(subscribers) == 0 {
			delete(w.sessions, uri)
			delete(w.seen, uri)
		}
	}
}

// Changed notifies clients of changes to the resources that they subscribed to, after a commit of this server or of
// another program. It reads each watched resource once.
func (s *Server) Changed(ctx context.Context) {
	defer func() {
		if why := recover(); why != nil {
			s.opts.Faults.Error("panic", "in", "notifying of changes", "why", why, "stack", string(debug.Stack()))
		}
	}()
	ctx = s.acting(ctx, "")
	w := &s.watch
	w.mu.Lock()
	w.prune(s.mcp)
	uris := slices.Sorted(maps.Keys(w.sessions))
	w.mu.Unlock()
	for _, uri := range uris {
		_, text, err := readURI(ctx, s.service, uri)
		if err != nil {
			text = "" // gone is a change too
		}
		now := sha256.Sum256([]byte(text))
		w.mu.Lock()
		was, watched := w.seen[uri]
		if watched {
			w.seen[uri] = now
		}
		w.mu.Unlock()
		if watched && was != now {
			_ = s.mcp.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri}) // a client that is gone
		}
	}
}
