// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/face"
)

// SDK returns the server of the SDK, for the fixtures of the conformance suite.
func (s *Server) SDK() *mcp.Server { return s.mcp }

// AddTool adds a tool without arguments, as the memory's own are added.
func AddTool(s *Server, name string, call func() (string, error)) {
	s.add(tool{name, name, reads, "For tests.", "", []action{{Operation: &api.Operation{Request: reflect.TypeFor[api.None]()},
		call: func(context.Context, api.Service, arguments) (face.Reply, error) {
			text, err := call()
			return face.Reply{Text: text}, err
		}}}})
}

// NewEvents returns what keeps events of sessions, Bytes how much that is.
func NewEvents() *events { return newEvents() }

func (e *events) Bytes() int { return e.bytes }

// Watched returns how many resources the server watches for its clients. A client may
// have its answer before the server watches.
func (s *Server) Watched() int {
	s.watch.mu.Lock()
	defer s.watch.mu.Unlock()
	return len(s.watch.sessions)
}

// Kept returns how many servers are kept, and how many sessions those have.
func Kept(w *Web) (servers, sessions int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, k := range w.servers {
		for range k.server.mcp.Sessions() {
			sessions++
		}
	}
	return len(w.servers), sessions
}

// Schemas returns the schemas of the arguments of all tools, by name.
func Schemas(s *Server) map[string]*jsonschema.Schema { return s.schemas }
