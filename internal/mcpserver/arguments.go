// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// argued is middleware that refuses wrong arguments with a text that a model can act on: it
// names the wrong field, and the fields of the tool. The SDK checks arguments as well, but
// reports in terms of schemas.
func (s *Server) argued(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if r, ok := req.(*mcp.CallToolRequest); ok && r.Params != nil {
			if schema := s.schemas[r.Params.Name]; schema != nil {
				if err := wrongArguments(schema, r.Params.Arguments); err != nil {
					var refused mcp.CallToolResult
					refused.SetError(toolError{r.Params.Name, err})
					return &refused, nil
				}
			}
		}
		return next(ctx, method, req)
	}
}

// wrongArguments returns the first error in the arguments of a call, nil if there is none.
func wrongArguments(schema *jsonschema.Schema, raw json.RawMessage) error {
	fields := slices.Sorted(maps.Keys(schema.Properties))
	next := "use the fields " + strings.Join(fields, ", ")
	if len(fields) == 0 {
		next = "call it without arguments"
	}
	if len(schema.Required) > 0 {
		next += "; needed: " + strings.Join(schema.Required, ", ")
	}
	wrong := func(format string, a ...any) error { return advice{misuse(fmt.Sprintf(format, a...)), next} }
	given := map[string]json.RawMessage{}
	if raw = bytes.TrimSpace(raw); len(raw) > 0 {
		if err := json.Unmarshal(raw, &given); err != nil {
			return wrong("the arguments are not a JSON object")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if schema.Properties[name] == nil {
			return wrong("there is no field %s", strconv.Quote(name))
		}
	}
	for _, name := range schema.Required {
		if _, there := given[name]; !there {
			return wrong("the field %s is missing", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if why := wrongValue(schema.Properties[name], given[name]); why != "" {
			return wrong("the field %s is %s", name, why)
		}
	}
	return nil
}

// kinds describes the types of JSON Schema in plain words.
var kinds = map[string]string{
	"string": "a text", "integer": "a whole number", "number": "a number", "boolean": "true or false", "array": "a list", "object": "an object",
}

// wrongValue describes the value that a field needs, "" if it has one.
func wrongValue(schema *jsonschema.Schema, raw json.RawMessage) string {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return "no JSON"
	}
	return wrongType(schema, v)
}

func wrongType(schema *jsonschema.Schema, v any) string {
	if schema == nil {
		return ""
	}
	types := schema.Types
	if schema.Type != "" {
		types = []string{schema.Type}
	}
	if len(types) > 0 && !slices.ContainsFunc(types, func(t string) bool { return isOf(t, v) }) {
		return kinds[types[0]]
	}
	if len(schema.Enum) > 0 && !slices.Contains(schema.Enum, v) {
		return "one of " + strings.Trim(fmt.Sprint(schema.Enum...), "[]")
	}
	switch v := v.(type) {
	case []any:
		for _, part := range v {
			if why := wrongType(schema.Items, part); why != "" {
				return "a list, each part of which is " + why
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if why := wrongType(schema.AdditionalProperties, v[key]); why != "" {
				return "an object, each value of which is " + why
			}
		}
	}
	return ""
}

// isOf reports whether a value has a type of JSON Schema.
func isOf(kind string, v any) bool {
	switch v := v.(type) {
	case nil:
		return kind == "null"
	case string:
		return kind == "string"
	case bool:
		return kind == "boolean"
	case float64:
		return kind == "number" || kind == "integer" && v == float64(int64(v))
	case []any:
		return kind == "array"
	}
	return kind == "object"
}
