// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea/internal/mcpserver"
)

// fields has the fields of all arguments and answers in that server's format. Each tool takes one of
// them.
type fields struct {
	Graph
	Observations []addition `json:"observations"`
	EntityNames  []string   `json:"entityNames" jsonschema:"An array of entity names to delete"`
	Deletions    []deletion `json:"deletions"`
	Query        string     `json:"query" jsonschema:"The search query to match against entity names, types, and observation content"`
	Names        []string   `json:"names" jsonschema:"An array of entity names to retrieve"`
	Results      []observed `json:"results"`
	Success      bool       `json:"success"`
	Message      string     `json:"message"`
}

type addition struct {
	EntityName string   `json:"entityName" jsonschema:"The name of the entity to add the observations to"`
	Contents   []string `json:"contents" jsonschema:"An array of observation contents to add"`
}

type deletion struct {
	EntityName   string   `json:"entityName" jsonschema:"The name of the entity containing the observations"`
	Observations []string `json:"observations" jsonschema:"An array of observations to delete"`
}

type observed struct {
	EntityName        string   `json:"entityName"`
	AddedObservations []string `json:"addedObservations"`
}

// The answers of tools that read the graph, and of those that delete from it. All others add to it.
const graph, done = "entities relations", "success message"

// tool is a tool, with the fields of its arguments and its answer. call returns the part of the
// answer that the server shows: what was deleted, the value of the only field, or all of it.
type tool struct {
	name, title, about string
	takes, gives       string
	call               func(*change, fields) (any, error)
}

func tools() []tool {
	return []tool{
		{"create_entities", "Create Entities", "Create multiple new entities in the knowledge graph",
			"entities", "entities", func(c *change, in fields) (any, error) { return create(c, in.Entities) }},
		{"create_relations", "Create Relations",
			"Create multiple new relations between entities in the knowledge graph. Relations should be in active voice",
			"relations", "relations", func(c *change, in fields) (any, error) { return create(c, in.Relations) }},
		{"add_observations", "Add Observations", "Add new observations to existing entities in the knowledge graph",
			"observations", "results", func(c *change, in fields) (any, error) { return c.addObservations(in.Observations) }},
		{"delete_entities", "Delete Entities", "Delete multiple entities and their associated relations from the knowledge graph",
			"entityNames", done, func(c *change, in fields) (any, error) { return "Entities", forget(c, in.EntityNames) }},
		{"delete_observations", "Delete Observations", "Delete specific observations from entities in the knowledge graph",
			"deletions", done, func(c *change, in fields) (any, error) { return "Observations", c.deleteObservations(in.Deletions) }},
		{"delete_relations", "Delete Relations", "Delete multiple relations from the knowledge graph",
			"relations", done, func(c *change, in fields) (any, error) { return "Relations", forget(c, in.Relations) }},
		{"read_graph", "Read Graph", "Read the entire knowledge graph",
			"", graph, func(c *change, _ fields) (any, error) { return c.model.graph(nil), nil }},
		{"search_nodes", "Search Nodes", "Search for nodes in the knowledge graph based on a query",
			"query", graph, func(c *change, in fields) (any, error) { return c.model.search(in.Query), nil }},
		{"open_nodes", "Open Nodes", "Open specific nodes in the knowledge graph by their names",
			"names", graph, func(c *change, in fields) (any, error) { return c.model.open(in.Names), nil }},
	}
}

// graphURI is the URI of the whole graph as a resource.
const graphURI = "memory://knowledge-graph"

// Serve serves the tools of server-memory over a graph to one MCP client, until the client
// disconnects or ctx ends. log may be nil.
func Serve(ctx context.Context, s *Store, version string, log *slog.Logger, client *mcpserver.Transport) error {
	server := mcp.NewServer(&mcp.Implementation{Name: "fovea-server-memory", Version: version}, &mcp.ServerOptions{
		Logger:             log,
		Capabilities:       &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{Subscribe: true}},
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	server.AddReceivingMiddleware(mcpserver.RecoverPanics(log))
	for _, t := range tools() {
		s.serve(server, t)
	}
	server.AddResource(&mcp.Resource{
		URI: graphURI, Name: "knowledge-graph", Title: "Knowledge Graph", MIMEType: "application/json",
		Description: "The full knowledge graph with all entities and relations",
	}, func(ctx context.Context, _ *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		g, err := s.Graph(ctx)
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: graphURI, MIMEType: "application/json", Text: encoded(g, "  ")}}}, err
	})
	return server.Run(ctx, client)
}

// serve adds a tool. A tool that changes the graph answers once the change is durable. Answers, which
// may have megabytes, are not validated: their types guarantee the schema.
func (s *Store) serve(server *mcp.Server, t tool) {
	takes := schemaOf[fields](t.takes)
	server.AddTool(&mcp.Tool{
		Name: t.name, Title: t.title, Description: t.about, InputSchema: takes, OutputSchema: schemaOf[fields](t.gives),
		Annotations: &mcp.ToolAnnotations{
			ReadOnlyHint: t.gives == graph, DestructiveHint: new(t.gives == done), IdempotentHint: t.gives == graph || t.gives == done,
			OpenWorldHint: new(bool),
		},
	}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var in fields
		var shown any
		given, err := mcpserver.Arguments(takes, req.Params.Arguments)
		if err != nil {
			//lint:ignore ST1005 the words of that server
			err = fmt.Errorf("Invalid arguments for tool %s: %w", t.name, err)
		} else {
			_ = json.Unmarshal(given, &in) // it matches the schema
			shown, err = use(ctx, s, t.gives != graph, func(c *change) (any, error) { return t.call(c, in) })
		}
		if err == nil && t.gives != graph {
			err = server.ResourceUpdated(context.WithoutCancel(ctx), &mcp.ResourceUpdatedNotificationParams{URI: graphURI})
		}
		if err != nil {
			return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: err.Error()}}}, nil
		}
		data, text := any(map[string]any{t.gives: shown}), encoded(shown, "  ")
		switch shown := shown.(type) {
		case string:
			text = shown + " deleted successfully"
			data = map[string]any{"success": true, "message": text}
		case Graph:
			data = shown
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, StructuredContent: data}, nil
	})
}

// encoded returns a value as JSON, as that server writes it.
func encoded(v any, indent string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	_ = e.Encode(v) // texts and lists always encode
	return strings.TrimSuffix(b.String(), "\n")
}

// schemaOf returns the schema of some fields of a type in that server's form: lists are never null,
// and unknown fields are ignored. A ? marks optional fields.
func schemaOf[T any](fields string) *jsonschema.Schema {
	schema, err := jsonschema.For[T](nil)
	if err != nil {
		panic(fmt.Sprintf("servermemory: %v", err)) // a fault of the program, seen at its start
	}
	mend(schema)
	of := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	for field := range strings.FieldsSeq(fields) {
		name, optional := strings.CutSuffix(field, "?")
		if of.Properties[name] = schema.Properties[name]; !optional {
			of.Required = append(of.Required, name)
		}
	}
	return of
}

func mend(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 {
		s.Type, s.Types = s.Types[1], nil
	}
	s.AdditionalProperties = nil
	mend(s.Items)
	for _, p := range s.Properties {
		mend(p)
	}
}
