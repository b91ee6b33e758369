// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea/internal/rpcline"
)

// maxWatched is how many resources a server watches. Each costs a read at a change.
const maxWatched = 100

// watch is what clients are to be told of: resources, what each last held, and who
// asked.
type watch struct {
	mu       sync.Mutex
	seen     map[string][sha256.Size]byte
	sessions map[string]map[*mcp.ServerSession]bool
}

func newWatch() watch {
	return watch{seen: map[string][sha256.Size]byte{}, sessions: map[string]map[*mcp.ServerSession]bool{}}
}

func (s *Server) subscribe(ctx context.Context, req *mcp.SubscribeRequest) error {
	uri := req.Params.URI
	_, text, err := s.resource(ctx, uri)
	if err != nil {
		return unread(uri, err)
	}
	w := &s.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	s.prune()
	if len(w.sessions) >= maxWatched && w.sessions[uri] == nil {
		return refusal("subscription", advice{misuse(fmt.Sprintf("%d resources are watched already", maxWatched)), "end a subscription first"})
	}
	if w.sessions[uri] == nil {
		w.sessions[uri] = map[*mcp.ServerSession]bool{}
		w.seen[uri] = sha256.Sum256([]byte(text))
	}
	w.sessions[uri][req.Session] = true
	return nil
}

func (s *Server) unsubscribe(_ context.Context, req *mcp.UnsubscribeRequest) error {
	w := &s.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.sessions[req.Params.URI], req.Session)
	s.prune()
	return nil
}

// prune forgets what nobody waits for any more; sessions can end without a word.
func (s *Server) prune() {
	here := map[*mcp.ServerSession]bool{}
	for session := range s.mcp.Sessions() {
		here[session] = true
	}
	for uri, who := range s.watch.sessions {
		maps.DeleteFunc(who, func(session *mcp.ServerSession, _ bool) bool { return !here[session] })
		if len(who) == 0 {
			delete(s.watch.sessions, uri)
			delete(s.watch.seen, uri)
		}
	}
}

// Changed tells clients which of the resources that they subscribed to are not what
// they were. Whoever commits to the memory beside this server calls it afterwards;
// the server does so after its own calls. It reads each watched resource once.
func (s *Server) Changed(ctx context.Context) {
	defer rpcline.LogPanic(s.opts.Faults, "telling of changes")
	ctx = s.acting(ctx, "")
	w := &s.watch
	w.mu.Lock()
	s.prune()
	uris := slices.Sorted(maps.Keys(w.sessions))
	w.mu.Unlock()
	for _, uri := range uris {
		_, text, err := s.resource(ctx, uri)
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
