// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea/internal/mcpserver"
)

// The arguments and answers of the tools, in that server's format. Observations to add, the
// entities to delete and the like are named as that server names them.
type (
	entities struct {
		Entities []Entity `json:"entities"`
	}
	relations struct {
		Relations []Relation `json:"relations"`
	}
	additions struct {
		Observations []addition `json:"observations"`
	}
	addition struct {
		EntityName string   `json:"entityName" jsonschema:"The name of the entity to add the observations to"`
		Contents   []string `json:"contents" jsonschema:"An array of observation contents to add"`
	}
	results struct {
		Results []observed `json:"results"`
	}
	observed struct {
		EntityName        string   `json:"entityName"`
		AddedObservations []string `json:"addedObservations"`
	}
	entityNames struct {
		EntityNames []string `json:"entityNames" jsonschema:"An array of entity names to delete"`
	}
	deletions struct {
		Deletions []deletion `json:"deletions"`
	}
	deletion struct {
		EntityName   string   `json:"entityName" jsonschema:"The name of the entity containing the observations"`
		Observations []string `json:"observations" jsonschema:"An array of observations to delete"`
	}
	query struct {
		Query string `json:"query" jsonschema:"The search query to match against entity names, types, and observation content"`
	}
	names struct {
		Names []string `json:"names" jsonschema:"An array of entity names to retrieve"`
	}
	done struct {
		Success bool   `json:"success"`
		Message string `json:"message"`
	}
)

// answer is what a tool answers; shown is the part of it that stands in the text.
type answer interface{ shown() any }

func (a entities) shown() any  { return a.Entities }
func (a relations) shown() any { return a.Relations }
func (a results) shown() any   { return a.Results }
func (a done) shown() any      { return a.Message }
func (g Graph) shown() any     { return g }

// graphURI is the URI of the whole graph as a resource.
const graphURI = "memory://knowledge-graph"

// Serve serves the tools of server-memory over a graph to one MCP client on in and out,
// until the client disconnects or ctx ends. It closes both. log may be nil.
func Serve(ctx context.Context, s *Store, version string, log *slog.Logger, in io.ReadCloser, out io.WriteCloser) error {
	server := mcp.NewServer(&mcp.Implementation{Name: "fovea-server-memory", Version: version}, &mcp.ServerOptions{
		Logger:             log,
		Capabilities:       &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{Subscribe: true}},
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	server.AddReceivingMiddleware(mcpserver.RecoverPanics(log))
	addWriters(server, s)
	addReaders(server, s)
	server.AddResource(&mcp.Resource{
		URI: graphURI, Name: "knowledge-graph", Title: "Knowledge Graph", MIMEType: "application/json",
		Description: "The full knowledge graph with all entities and relations",
	}, func(ctx context.Context, _ *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		g, err := s.Graph(ctx)
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: graphURI, MIMEType: "application/json", Text: indented(g)}}}, err
	})
	return server.Run(ctx, &mcpserver.Transport{In: in, Out: out})
}

func addWriters(server *mcp.Server, s *Store) {
	write(server, s, "create_entities", "Create Entities", "Create multiple new entities in the knowledge graph", (*change).createEntities)
	write(server, s, "create_relations", "Create Relations",
		"Create multiple new relations between entities in the knowledge graph. Relations should be in active voice", (*change).createRelations)
	write(server, s, "add_observations", "Add Observations", "Add new observations to existing entities in the knowledge graph",
		(*change).addObservations)
	write(server, s, "delete_entities", "Delete Entities", "Delete multiple entities and their associated relations from the knowledge graph",
		(*change).deleteEntities)
	write(server, s, "delete_observations", "Delete Observations", "Delete specific observations from entities in the knowledge graph",
		(*change).deleteObservations)
	write(server, s, "delete_relations", "Delete Relations", "Delete multiple relations from the knowledge graph", (*change).deleteRelations)
}

func addReaders(server *mcp.Server, s *Store) {
	read(server, "read_graph", "Read Graph", "Read the entire knowledge graph",
		func(ctx context.Context, _ struct{}) (Graph, error) { return s.Graph(ctx) })
	read(server, "search_nodes", "Search Nodes", "Search for nodes in the knowledge graph based on a query", s.search)
	read(server, "open_nodes", "Open Nodes", "Open specific nodes in the knowledge graph by their names", s.open)
}

// write adds a tool that changes the graph and answers once the change is durable.
func write[In any, Out answer](server *mcp.Server, s *Store, name, title, about string, make func(*change, In) (Out, error)) {
	deletes := strings.HasPrefix(name, "delete_")
	register(server, mcp.Tool{Name: name, Title: title, Description: about, Annotations: &mcp.ToolAnnotations{
		DestructiveHint: &deletes, IdempotentHint: deletes, OpenWorldHint: new(bool),
	}}, func(ctx context.Context, in In) (out Out, err error) {
		err = s.Change(ctx, func(c *change) (err error) {
			out, err = make(c, in)
			return err
		})
		if err == nil {
			err = server.ResourceUpdated(context.WithoutCancel(ctx), &mcp.ResourceUpdatedNotificationParams{URI: graphURI})
		}
		return out, err
	})
}

// read adds a tool that returns a part of the graph.
func read[In any](server *mcp.Server, name, title, about string, get func(context.Context, In) (Graph, error)) {
	register(server, mcp.Tool{Name: name, Title: title, Description: about, Annotations: &mcp.ToolAnnotations{
		ReadOnlyHint: true, DestructiveHint: new(bool), IdempotentHint: true, OpenWorldHint: new(bool),
	}}, get)
}

// register adds a tool. It does not validate answers, which may have megabytes: their types
// guarantee the schema.
func register[In any, Out answer](server *mcp.Server, t mcp.Tool, call func(context.Context, In) (Out, error)) {
	schema := schemaOf[In](false)
	t.InputSchema, t.OutputSchema = schema, schemaOf[Out](true)
	server.AddTool(&t, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		in, err := arguments[In](schema, req.Params.Arguments)
		if err != nil {
			//lint:ignore ST1005 the words of that server
			err = fmt.Errorf("Invalid arguments for tool %s: %w", t.Name, err)
		} else if out, failed := call(ctx, in); failed == nil {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: indented(out.shown())}}, StructuredContent: out}, nil
		} else {
			err = failed
		}
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: err.Error()}}}, nil
	})
}

// arguments decodes the arguments of a call.
func arguments[In any](schema *jsonschema.Schema, given json.RawMessage) (in In, err error) {
	given, err = mcpserver.Arguments(schema, given)
	if err != nil {
		return in, err
	}
	return in, json.Unmarshal(given, &in)
}

// indented returns a value as that server prints it: a text as it is, all else as JSON.
func indented(v any) string {
	if text, isText := v.(string); isText {
		return text
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(v) // texts and lists always encode
	return strings.TrimSuffix(b.String(), "\n")
}

// schemaOf returns the schema of a type in that server's form: lists are never null; unknown
// fields are rejected in answers and ignored in arguments.
func schemaOf[T any](closed bool) *jsonschema.Schema {
	schema, err := jsonschema.For[T](nil)
	if err != nil {
		panic(fmt.Sprintf("servermemory: %v", err)) // a fault of the program, seen at its start
	}
	mend(schema, closed)
	return schema
}

func mend(s *jsonschema.Schema, closed bool) {
	if len(s.Types) == 2 {
		s.Type, s.Types = s.Types[1], nil
	}
	if !closed {
		s.AdditionalProperties = nil
	}
	if s.Items != nil {
		mend(s.Items, closed)
	}
	for _, p := range s.Properties {
		mend(p, closed)
	}
}
