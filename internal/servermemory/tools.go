// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea/internal/rpcline"
)

// Addition lists observations to add to an entity.
type Addition struct {
	EntityName string   `json:"entityName" jsonschema:"The name of the entity to add the observations to"`
	Contents   []string `json:"contents" jsonschema:"An array of observation contents to add"`
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
	answers := newAside(out)
	return newServer(s, version, log, answers).Run(ctx, &rpcline.Transport{In: in, Out: answers})
}

// newServer returns an MCP server that sends its messages through answers.
func newServer(s *Store, version string, log *slog.Logger, answers *aside) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "fovea-server-memory", Version: version}, &mcp.ServerOptions{
		Logger:             log,
		Capabilities:       &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{Subscribe: true}},
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	server.AddReceivingMiddleware(rpcline.RecoverPanics(log))
	h := &host{store: s, server: server, answers: answers}
	h.addWriters()
	h.addReaders()
	server.AddResource(&mcp.Resource{
		URI: graphURI, Name: "knowledge-graph", Title: "Knowledge Graph", MIMEType: "application/json",
		Description: "The full knowledge graph with all entities and relations",
	}, func(ctx context.Context, _ *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		g, err := s.Graph(ctx)
		if err != nil {
			return nil, err
		}
		text, err := indented(g)
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: graphURI, MIMEType: "application/json", Text: text}}}, err
	})
	return server
}

type host struct {
	store   *Store
	server  *mcp.Server
	answers *aside
}

// answer is a tool's result: data, and the part of it shown as text.
type answer struct{ data, shown any }

func done(message string) answer { return answer{doneShape{true, message}, message} }

// result converts an answer for the protocol, with placeholders for graphs.
func (h *host) result(a answer) (data any, text string, err error) {
	switch shown := a.shown.(type) {
	case string:
		return a.data, shown, nil
	case Graph:
		return h.answers.keep(dataText(shown)), h.answers.keep(shownText(shown)), nil
	}
	text, err = indented(a.shown)
	return a.data, text, err
}

func (h *host) addWriters() {
	tool(h, false, false, "create_entities", "Create Entities", "Create multiple new entities in the knowledge graph",
		entitiesShape{}, func(b *batch, in entitiesShape) (answer, error) {
			created := b.createEntities(in.Entities)
			return answer{entitiesShape{created}, created}, nil
		})
	tool(h, false, false, "create_relations", "Create Relations",
		"Create multiple new relations between entities in the knowledge graph. Relations should be in active voice",
		relationsShape{}, func(b *batch, in relationsShape) (answer, error) {
			created := b.createRelations(in.Relations)
			return answer{relationsShape{created}, created}, nil
		})
	tool(h, false, false, "add_observations", "Add Observations", "Add new observations to existing entities in the knowledge graph",
		observedShape{}, func(b *batch, in additionsShape) (answer, error) {
			results, err := b.addObservations(in.Observations)
			return answer{observedShape{results}, results}, err
		})
	tool(h, true, true, "delete_entities", "Delete Entities", "Delete multiple entities and their associated relations from the knowledge graph",
		doneShape{}, func(b *batch, in namesShape) (answer, error) {
			b.deleteEntities(in.EntityNames)
			return done("Entities deleted successfully"), nil
		})
	tool(h, true, true, "delete_observations", "Delete Observations", "Delete specific observations from entities in the knowledge graph",
		doneShape{}, func(b *batch, in deletionsShape) (answer, error) {
			b.deleteObservations(in.Deletions)
			return done("Observations deleted successfully"), nil
		})
	tool(h, true, true, "delete_relations", "Delete Relations", "Delete multiple relations from the knowledge graph",
		doneShape{}, func(b *batch, in relationsShape) (answer, error) {
			b.deleteRelations(in.Relations)
			return done("Relations deleted successfully"), nil
		})
}

func (h *host) addReaders() {
	reader(h, "read_graph", "Read Graph", "Read the entire knowledge graph",
		func(ctx context.Context, _ struct{}) (Graph, error) { return h.store.Graph(ctx) })
	reader(h, "search_nodes", "Search Nodes", "Search for nodes in the knowledge graph based on a query",
		func(ctx context.Context, in queryShape) (Graph, error) { return h.store.Search(ctx, in.Query) })
	reader(h, "open_nodes", "Open Nodes", "Open specific nodes in the knowledge graph by their names",
		func(ctx context.Context, in openShape) (Graph, error) { return h.store.Nodes(ctx, in.Names) })
}

// tool adds a tool that changes the graph and answers once the change is durable.
func tool[In, Out any](h *host, destructive, idempotent bool, name, title, about string, _ Out, change func(*batch, In) (answer, error)) {
	t := &mcp.Tool{Name: name, Title: title, Description: about, Annotations: &mcp.ToolAnnotations{DestructiveHint: &destructive,
		IdempotentHint: idempotent, OpenWorldHint: new(bool)}}
	register[In, Out](h, t, func(ctx context.Context, in In) (a answer, err error) {
		err = h.store.Change(ctx, func(b *batch) (err error) {
			a, err = change(b, in)
			return err
		})
		if err == nil {
			err = h.server.ResourceUpdated(context.WithoutCancel(ctx), &mcp.ResourceUpdatedNotificationParams{URI: graphURI})
		}
		return a, err
	})
}

// reader adds a tool that returns a part of the graph.
func reader[In any](h *host, name, title, about string, read func(context.Context, In) (Graph, error)) {
	t := &mcp.Tool{Name: name, Title: title, Description: about, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, DestructiveHint: new(bool),
		IdempotentHint: true, OpenWorldHint: new(bool)}}
	register[In, Graph](h, t, func(ctx context.Context, in In) (answer, error) {
		g, err := read(ctx, in)
		return answer{g, g}, err
	})
}

// register adds a tool. It does not validate answers, which may have megabytes: their types
// guarantee the schema.
func register[In, Out any](h *host, t *mcp.Tool, call func(context.Context, In) (answer, error)) {
	in := schemaOf[In](false)
	t.InputSchema, t.OutputSchema = in, schemaOf[Out](true)
	h.server.AddTool(t, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		args, err := arguments[In](in, req.Params.Arguments)
		if err != nil {
			//lint:ignore ST1005 the words of that server
			return refused(fmt.Errorf("Invalid arguments for tool %s: %w", t.Name, err)), nil
		}
		a, err := call(ctx, args)
		if err != nil {
			return refused(err), nil
		}
		data, text, err := h.result(a)
		if err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, StructuredContent: data}, nil
	})
}

// arguments decodes the arguments of a call.
func arguments[In any](schema *jsonschema.Schema, given json.RawMessage) (in In, err error) {
	given, err = rpcline.Arguments(schema, given)
	if err != nil {
		return in, err
	}
	return in, json.Unmarshal(given, &in)
}

func refused(err error) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: err.Error()}}}
}

// indented returns a value as that server prints it.
func indented(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), err
}

// dataText returns a graph as JSON.
func dataText(g Graph) []byte {
	text, _ := json.Marshal(g) // texts always encode
	return text
}

// shownText returns a graph as that server prints it, in a JSON string.
func shownText(g Graph) []byte {
	shown, _ := indented(g)
	text, _ := json.Marshal(shown)
	return text
}

// schemaOf returns the schema of a type in that server's form: lists are never null; unknown
// fields are rejected in answers and ignored in arguments.
func schemaOf[T any](closed bool) *jsonschema.Schema {
	schema, err := jsonschema.For[T](nil)
	if err != nil {
		panic(fmt.Sprintf("servermemory: %v", err)) // a fault of the program, seen at its start
	}
	var mend func(*jsonschema.Schema)
	mend = func(s *jsonschema.Schema) {
		if len(s.Types) == 2 {
			s.Type, s.Types = s.Types[1], nil
		}
		if !closed {
			s.AdditionalProperties = nil
		}
		if s.Items != nil {
			mend(s.Items)
		}
		for _, p := range s.Properties {
			mend(p)
		}
	}
	mend(schema)
	return schema
}

// aside spares large parts of answers the SDK's encoding, which reads and copies an answer
// five times. A short placeholder stands for each part in the message until Write replaces
// it. It is safe for concurrent use.
type aside struct {
	out  io.WriteCloser
	mark string // prefix of placeholders; random and never sent

	mu   sync.Mutex
	last int
	kept map[string][]byte // by quoted placeholder
}

func newAside(out io.WriteCloser) *aside {
	return &aside{out: out, mark: "aside:" + rand.Text() + ":", kept: map[string][]byte{}}
}

// keep stores a JSON text and returns its placeholder.
func (a *aside) keep(text []byte) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last++
	sign := a.mark + strconv.Itoa(a.last)
	a.kept[`"`+sign+`"`] = text
	return sign
}

// Write writes a message with its placeholders replaced.
func (a *aside) Write(message []byte) (int, error) {
	rest, opening := message, []byte(`"`+a.mark)
	for {
		at := bytes.Index(rest, opening)
		if at < 0 {
			break
		}
		after := at + len(opening)
		after += bytes.IndexByte(rest[after:], '"') + 1
		for _, part := range [][]byte{rest[:at], a.take(string(rest[at:after]))} {
			if _, err := a.out.Write(part); err != nil {
				return len(message) - len(rest), err
			}
		}
		rest = rest[after:]
	}
	if _, err := a.out.Write(rest); err != nil {
		return len(message) - len(rest), err
	}
	return len(message), nil
}

// take removes and returns the text of a placeholder.
func (a *aside) take(sign string) []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	text := a.kept[sign]
	delete(a.kept, sign)
	return text
}

// Close closes the underlying writer.
func (a *aside) Close() error { return a.out.Close() }
