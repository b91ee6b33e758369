// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea/internal/rpcline"
)

// argued is middleware that brings arguments into the form that a tool wants, see
// rpcline.Arguments. It refuses wrong ones with a text that a model can act on: it names the wrong
// field, and the fields of the tool. The SDK checks arguments as well, but reports in terms of
// schemas.
func (s *Server) argued(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if r, ok := req.(*mcp.CallToolRequest); ok && r.Params != nil {
			if schema := s.schemas[r.Params.Name]; schema != nil {
				given, err := rpcline.Arguments(schema, r.Params.Arguments)
				if err != nil {
					var refused mcp.CallToolResult
					refused.SetError(toolError{r.Params.Name, advice{misuse(err.Error()), fieldsOf(schema)}})
					return &refused, nil
				}
				r.Params.Arguments = given
			}
		}
		return next(ctx, method, req)
	}
}

// fieldsOf is the next step after wrong arguments.
func fieldsOf(schema *jsonschema.Schema) string {
	fields := slices.Sorted(maps.Keys(schema.Properties))
	if len(fields) == 0 {
		return "call it without arguments"
	}
	next := "use the fields " + strings.Join(fields, ", ")
	if len(schema.Required) > 0 {
		next += "; needed: " + strings.Join(schema.Required, ", ")
	}
	return next
}
