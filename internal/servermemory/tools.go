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

// Addition lists observations to add to an entity.
type Addition struct {
	EntityName string   `json:"entityName" jsonschema:"The name of the entity to add the observations to"`
	Contents   []string `json:"contents" jsonschema:"An array of observation contents to add"`
}

// Observed lists the observations added to an entity.
type Observed struct {
	EntityName        string   `json:"entityName"`
	AddedObservations []string `json:"addedObservations"`
}

// Deletion lists observations to delete from an entity.
type Deletion struct {
	EntityName   string   `json:"entityName" jsonschema:"The name of the entity containing the observations"`
	Observations []string `json:"observations" jsonschema:"An array of observations to delete"`
}

// The arguments and answers of the tools, in that server's format.
type (
	entitiesShape struct {
		Entities []Entity `json:"entities"`
	}
	relationsShape struct {
		Relations []Relation `json:"relations"`
	}
	additionsShape struct {
		Observations []Addition `json:"observations"`
	}
	observedShape struct {
		Results []Observed `json:"results"`
	}
	namesShape struct {
		EntityNames []string `json:"entityNames" jsonschema:"An array of entity names to delete"`
	}
	deletionsShape struct {
		Deletions []Deletion `json:"deletions"`
	}
	queryShape struct {
		Query string `json:"query" jsonschema:"The search query to match against entity names, types, and observation content"`
	}
	openShape struct {
		Names []string `json:"names" jsonschema:"An array of entity names to retrieve"`
	}
	doneShape struct {
		Success bool   `json:"success"`
		Message string `json:"message"`
	}
)

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
	write(server, s, "create_entities", "Create Entities", "Create multiple new entities in the knowledge graph",
		func(c *change, in entitiesShape) (entitiesShape, any, error) {
			created, err := c.createEntities(in.Entities)
			return entitiesShape{created}, created, err
		})
	write(server, s, "create_relations", "Create Relations",
		"Create multiple new relations between entities in the knowledge graph. Relations should be in active voice",
		func(c *change, in relationsShape) (relationsShape, any, error) {
			created, err := c.createRelations(in.Relations)
			return relationsShape{created}, created, err
		})
	write(server, s, "add_observations", "Add Observations", "Add new observations to existing entities in the knowledge graph",
		func(c *change, in additionsShape) (observedShape, any, error) {
			results, err := c.addObservations(in.Observations)
			return observedShape{results}, results, err
		})
	done := func(what string, err error) (doneShape, any, error) {
		message := what + " deleted successfully"
		return doneShape{true, message}, message, err
	}
	write(server, s, "delete_entities", "Delete Entities", "Delete multiple entities and their associated relations from the knowledge graph",
		func(c *change, in namesShape) (doneShape, any, error) {
			return done("Entities", c.deleteEntities(in.EntityNames))
		})
	write(server, s, "delete_observations", "Delete Observations", "Delete specific observations from entities in the knowledge graph",
		func(c *change, in deletionsShape) (doneShape, any, error) {
			return done("Observations", c.deleteObservations(in.Deletions))
		})
	write(server, s, "delete_relations", "Delete Relations", "Delete multiple relations from the knowledge graph",
		func(c *change, in relationsShape) (doneShape, any, error) {
			return done("Relations", c.deleteRelations(in.Relations))
		})
}

func addReaders(server *mcp.Server, s *Store) {
	read(server, "read_graph", "Read Graph", "Read the entire knowledge graph",
		func(ctx context.Context, _ struct{}) (Graph, error) { return s.Graph(ctx) })
	read(server, "search_nodes", "Search Nodes", "Search for nodes in the knowledge graph based on a query",
		func(ctx context.Context, in queryShape) (Graph, error) { return s.search(ctx, in.Query) })
	read(server, "open_nodes", "Open Nodes", "Open specific nodes in the knowledge graph by their names",
		func(ctx context.Context, in openShape) (Graph, error) { return s.open(ctx, in.Names) })
}

// write adds a tool that changes the graph and answers once the change is durable. make
// returns its data, and the part of it shown as text.
func write[In, Out any](server *mcp.Server, s *Store, name, title, about string, make func(*change, In) (Out, any, error)) {
	deletes := strings.HasPrefix(name, "delete_")
	register(server, mcp.Tool{Name: name, Title: title, Description: about, Annotations: &mcp.ToolAnnotations{
		DestructiveHint: &deletes, IdempotentHint: deletes, OpenWorldHint: new(bool),
	}}, func(ctx context.Context, in In) (data Out, shown any, err error) {
		err = s.Change(ctx, func(c *change) (err error) {
			data, shown, err = make(c, in)
			return err
		})
		if err == nil {
			err = server.ResourceUpdated(context.WithoutCancel(ctx), &mcp.ResourceUpdatedNotificationParams{URI: graphURI})
		}
		return data, shown, err
	})
}

// read adds a tool that returns a part of the graph.
func read[In any](server *mcp.Server, name, title, about string, get func(context.Context, In) (Graph, error)) {
	register(server, mcp.Tool{Name: name, Title: title, Description: about, Annotations: &mcp.ToolAnnotations{
		ReadOnlyHint: true, DestructiveHint: new(bool), IdempotentHint: true, OpenWorldHint: new(bool),
	}}, func(ctx context.Context, in In) (Graph, any, error) {
		g, err := get(ctx, in)
		return g, g, err
	})
}

// register adds a tool. It does not validate answers, which may have megabytes: their types
// guarantee the schema.
func register[In, Out any](server *mcp.Server, t mcp.Tool, call func(context.Context, In) (Out, any, error)) {
	schema := schemaOf[In](false)
	t.InputSchema, t.OutputSchema = schema, schemaOf[Out](true)
	server.AddTool(&t, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		in, err := arguments[In](schema, req.Params.Arguments)
		if err != nil {
			//lint:ignore ST1005 the words of that server
			err = fmt.Errorf("Invalid arguments for tool %s: %w", t.Name, err)
		} else if data, shown, failed := call(ctx, in); failed == nil {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: indented(shown)}}, StructuredContent: data}, nil
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
