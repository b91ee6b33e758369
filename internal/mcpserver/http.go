// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea/internal/bound"
)

const (
	// firstWithoutSessions is the first revision of the protocol without sessions; YYYY-MM-DD compares as text.
	firstWithoutSessions = "2026-07-28"
	// sessionIdle is how long a session stays without a request.
	sessionIdle = 4 * time.Hour
	// sessionID is the header that names a session.
	sessionID = "Mcp-Session-Id"
)

// Caller is the origin of a request.
type Caller struct {
	// Key is the same for all requests that one server serves. Empty refuses the request.
	Key string
	// Bearer is the bearer whose limits of servers and sessions apply.
	Bearer bound.Bearer
	// Open creates the server.
	Open func() *Server
}

// Web serves MCP over streamable HTTP, in all revisions that the SDK supports. Each caller has a cached server and can use
// only its own sessions. A bearer above its limit of either loses its oldest ones. It is safe for concurrent use.
type Web struct {
	caller        func(*http.Request) Caller
	with, without http.Handler

	perServer, perSession *bound.Shares

	mu       sync.Mutex
	servers  map[string]*cachedServer
	sessions map[string]*bound.Share // by id
}

// cachedServer is the server of a caller.
type cachedServer struct {
	server *Server
	share  *bound.Share
	ended  bool // evicted
}

// NewWeb returns a handler of authenticated requests; caller returns the caller of each.
func NewWeb(caller func(*http.Request) Caller) *Web {
	w := &Web{
		caller: caller, servers: map[string]*cachedServer{}, sessions: map[string]*bound.Share{},
		perServer: bound.NewShares(bound.Servers), perSession: bound.NewShares(bound.Sessions),
	}
	of := func(r *http.Request) *mcp.Server {
		if s, _ := r.Context().Value(serverKey{}).(*Server); s != nil {
			return s.mcp
		}
		return nil
	}
	// The SDK serves revisions with sessions and those without by two handlers.
	w.with = mcp.NewStreamableHTTPHandler(of, &mcp.StreamableHTTPOptions{SessionTimeout: sessionIdle, EventStore: newEvents()})
	w.without = mcp.NewStreamableHTTPHandler(of, &mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
	return w
}

// serverKey is the context key of the server of a request.
type serverKey struct{}

// ServeHTTP serves one request of MCP; see [NewWeb].
func (w *Web) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	answer := &refusing{ResponseWriter: out}
	defer answer.end()
	if !checked(answer, r) {
		return
	}
	caller := w.caller(r)
	server := w.server(caller)
	if server == nil {
		http.Error(answer, "this caller cannot be served", http.StatusForbidden)
		return
	}
	answer.wrote = server.wrote
	r = r.WithContext(context.WithValue(r.Context(), serverKey{}, server))
	if r.Header.Get("Mcp-Protocol-Version") >= firstWithoutSessions {
		w.without.ServeHTTP(answer, r)
		return
	}
	id := r.Header.Get(sessionID)
	if id == "" {
		w.with.ServeHTTP(answer, r)
		w.began(caller.Bearer, server, out.Header().Get(sessionID))
		return
	}
	if !server.has(id) {
		http.Error(answer, "session not found: it has ended, or was closed for newer ones of the same token; begin another with initialize", http.StatusNotFound)
		return
	}
	if one := w.session(id); one != nil {
		one.MarkBusy()
		defer one.MarkIdle()
	}
	w.with.ServeHTTP(answer, r)
}

// Changed notifies the clients of all servers, see Server.Changed.
func (w *Web) Changed(ctx context.Context) {
	w.mu.Lock()
	all := slices.Collect(maps.Values(w.servers))
	w.mu.Unlock()
	for _, k := range all {
		k.server.Changed(ctx)
	}
}

// server returns the server of a caller, nil without a key.
func (w *Web) server(caller Caller) *Server {
	if caller.Key == "" {
		return nil
	}
	w.mu.Lock()
	k := w.servers[caller.Key]
	w.mu.Unlock()
	if k == nil {
		k = w.open(caller)
	}
	k.share.MarkBusy() // which makes it the newest
	k.share.MarkIdle()
	return k.server
}

// open creates and caches a server, unless it was evicted already.
func (w *Web) open(caller Caller) *cachedServer {
	k := &cachedServer{server: caller.Open()}
	k.server.handing.report(maxMarking)
	k.share = w.perServer.Acquire(caller.Bearer, func() { w.drop(caller.Key, k) })
	w.mu.Lock()
	defer w.mu.Unlock()
	if other := w.servers[caller.Key]; other != nil {
		k.share.Release()
		return other
	}
	if !k.ended {
		w.servers[caller.Key] = k
	}
	return k
}

// drop ends an evicted server with its sessions.
func (w *Web) drop(key string, k *cachedServer) {
	w.mu.Lock()
	k.ended = true
	if w.servers[key] == k {
		delete(w.servers, key)
	}
	w.mu.Unlock()
	for session := range k.server.mcp.Sessions() {
		go session.Close() // waits for running requests
	}
}

// began counts the session that a request began, if any.
func (w *Web) began(b bound.Bearer, s *Server, id string) {
	for session := range s.mcp.Sessions() {
		if id == "" || session.ID() != id {
			continue
		}
		one := w.perSession.Acquire(b, func() { go session.Close() })
		w.mu.Lock()
		w.sessions[id] = one
		w.mu.Unlock()
		go func() {
			_ = session.Wait() // however it ends
			one.Release()
			w.mu.Lock()
			delete(w.sessions, id)
			w.mu.Unlock()
		}()
	}
}

// session returns the share of a session, nil if it is not counted yet.
func (w *Web) session(id string) *bound.Share {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sessions[id]
}

// has reports whether a server has a session with that id.
func (s *Server) has(id string) bool {
	return slices.ContainsFunc(slices.Collect(s.mcp.Sessions()), func(one *mcp.ServerSession) bool { return one.ID() == id })
}
