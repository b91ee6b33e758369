// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/mcpserver"
)

// TestEachRevision: a client of every revision from 2025-06-18 on is served in its
// own, over memory and over HTTP, its tool calls and its subscriptions.
func TestEachRevision(t *testing.T) {
	svc, _ := memory(t)
	s := mcpserver.New(svc, nil)
	web := httptest.NewServer(forAll(s))
	t.Cleanup(web.Close)
	for _, revision := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			options := &mcp.ClientSessionOptions{ProtocolVersion: revision}
			far, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
				&mcp.StreamableClientTransport{Endpoint: web.URL}, options)
			if err != nil {
				t.Fatal(err)
			}
			for way, c := range map[string]*mcp.ClientSession{"in memory": attach(t, s, nil, revision), "over HTTP": far} {
				if got := c.InitializeResult().ProtocolVersion; got != revision {
					t.Errorf("%s: served in %s", way, got)
				}
				if text, failed := call(t, c, "recall", map[string]any{"query": "gauge"}); failed || !strings.Contains(text, "id dcayq") {
					t.Errorf("%s: %s", way, text)
				}
				if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "fovea://node/gauge"}); err != nil {
					t.Errorf("%s: %v", way, err)
				}
				if err := c.Close(); err != nil {
					t.Errorf("%s: %v", way, err)
				}
			}
		})
	}
}

// TestNobodyIsServedWithoutAServer: Web refuses a request that no server is for.
func TestNobodyIsServedWithoutAServer(t *testing.T) {
	web := httptest.NewServer(mcpserver.NewWeb(func(*http.Request) mcpserver.Caller { return mcpserver.Caller{} }))
	t.Cleanup(web.Close)
	_, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: web.URL}, nil)
	if err == nil {
		t.Error("connected")
	}
}

// raw is a session in bare lines of JSON.
type raw struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Reader
}

func converse(t *testing.T, svc api.Service) *raw {
	t.Helper()
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	go func() {
		_ = mcpserver.New(svc, nil).Run(t.Context(), &mcpserver.Transport{In: fromClient, Out: toClient})
		toClient.Close()
	}()
	t.Cleanup(func() { in.Close() })
	return &raw{t, in, bufio.NewReader(out)}
}

// ask sends a line and returns the answer to it.
func (r *raw) ask(line string) (answer struct {
	Result map[string]any
	Error  *struct {
		Code    int
		Message string
	}
}) {
	r.t.Helper()
	if _, err := io.WriteString(r.in, line+"\n"); err != nil {
		r.t.Fatal(err)
	}
	text, err := r.out.ReadString('\n')
	if err != nil {
		r.t.Fatalf("after %.80s: %v", line, err)
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		r.t.Fatalf("after %.80s: %v in %s", line, err, text)
	}
	return answer
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"%s","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`

// TestUnknownRevision: a client of a revision that does not exist is answered in one
// that does.
func TestUnknownRevision(t *testing.T) {
	svc, _ := memory(t)
	for _, version := range []string{"1999-01-01", "2999-01-01", "", "latest"} {
		answer := converse(t, svc).ask(strings.Replace(hello, "%s", version, 1))
		if got := answer.Result["protocolVersion"]; answer.Error != nil || got != "2025-11-25" {
			t.Errorf("asked for %q: answered %v, %+v", version, got, answer.Error)
		}
	}
}

// TestBadRequests: what is no request, or none that the server knows, is refused, and
// the session goes on.
func TestBadRequests(t *testing.T) {
	svc, _ := memory(t)
	r := converse(t, svc)
	r.ask(strings.Replace(hello, "%s", "2025-06-18", 1))
	if _, err := io.WriteString(r.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ name, line, want string }{
		{"unknown method", `{"jsonrpc":"2.0","id":2,"method":"memory/destroy"}`, "memory/destroy"},
		{"unknown tool", `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"destroy","arguments":{}}}`, "unknown tool"},
		{"parameters of a wrong type", `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":[1,2]}`, ""},
		{"a tool's name of a wrong type", `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":7}}`, ""},
		{"unknown prompt", `{"jsonrpc":"2.0","id":6,"method":"prompts/get","params":{"name":"none"}}`, "none"},
		{"unknown resource", `{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"fovea://x"}}`, ""},
		{"an address of no scheme, with control characters", `{"jsonrpc":"2.0","id":13,"method":"resources/read","params":{"uri":"\u0007\u007f"}}`, "not found"},
		{"a note's address with control characters", `{"jsonrpc":"2.0","id":14,"method":"resources/read","params":{"uri":"fovea://node/\u0007"}}`, "not found"},
		{"such a subscription", `{"jsonrpc":"2.0","id":15,"method":"resources/subscribe","params":{"uri":"fovea://node/\udb40\udc01\u0007"}}`, "not found"},
		{"a completion of nothing", `{"jsonrpc":"2.0","id":16,"method":"completion/complete","params":{}}`, "ref"},
	} {
		if a := r.ask(tc.line); a.Error == nil || !strings.Contains(a.Error.Message, tc.want) {
			t.Errorf("%s: %+v, %+v", tc.name, a, a.Error)
		}
	}
	for _, tc := range []struct{ name, line string }{
		{"arguments of a wrong type", `{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"read","arguments":[]}}`},
		{"huge argument", `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"read","arguments":{"id":"` + strings.Repeat("x", 4<<20) + `"}}}`},
		{"deep argument", `{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"read","arguments":{"id":` + strings.Repeat("[", 500) +
			strings.Repeat("]", 500) + `}}}`},
		{"null byte", `{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"remember","arguments":{"title":"a\u0000\nb"}}}`},
	} {
		if a := r.ask(tc.line); a.Error == nil && a.Result["isError"] != true {
			t.Errorf("%s: %+v, %+v", tc.name, a, a.Error)
		}
	}
	if a := r.ask(`{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"read","arguments":{"id":"gauge"}}}`); a.Error != nil ||
		a.Result["isError"] == true {
		t.Errorf("the session did not go on: %+v", a)
	}
}

// TestMalformedJSON ends the session, and nothing but it.
func TestMalformedJSON(t *testing.T) {
	svc, _ := memory(t)
	for _, line := range []string{"{", "nonsense", `{"jsonrpc":"2.0","id":`, "\xff\xfe", `"text"`, "[]", "null", strings.Repeat("[", 1<<20),
		`{"jsonrpc":"1.0","id":1,"method":"ping"}`} {
		r := converse(t, svc)
		r.ask(strings.Replace(hello, "%s", "2025-06-18", 1))
		_, _ = io.WriteString(r.in, line+"\n")
		if c, ok := r.in.(io.Closer); ok {
			c.Close()
		}
		if rest, err := io.ReadAll(r.out); err != nil || strings.Contains(string(rest), "panic") {
			t.Errorf("%q: %s, %v", line, rest, err)
		}
	}
	if text, failed := call(t, connect(t, svc, nil), "read", map[string]any{"id": "gauge"}); failed {
		t.Errorf("the service does not go on: %s", text)
	}
}

// TestEverythingIsTheCallers: tools, resources, prompts and notices of change ask the
// service as the client, so that what it may not read it does not get.
func TestEverythingIsTheCallers(t *testing.T) {
	svc, _ := memory(t)
	told := make(chan string, 10)
	var role atomic.Value
	role.Store(api.Agent)
	s := mcpserver.New(ops.Guarded(svc), &mcpserver.Options{Acting: func(ctx context.Context, client string) context.Context {
		return author.WithGrant(ctx, api.Grant{Agent: "mint", Role: role.Load().(api.Role), Paths: []string{"a.org"}})
	}})
	c := attach(t, s, &mcp.ClientOptions{ResourceUpdatedHandler: func(_ context.Context,
		req *mcp.ResourceUpdatedNotificationRequest) {
		told <- req.Params.URI
	}}, "2025-11-25")
	for _, may := range []bool{true, false} {
		if !may {
			role.Store(api.Role("none"))
		}
		_, failed := call(t, c, "read", map[string]any{"id": "gauge"})
		_, prompt := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "session-start"})
		_, resource := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "fovea://node/gauge"})
		if failed == may || (prompt == nil) != may || (resource == nil) != may {
			t.Errorf("may %v: tool %v, prompt %v, resource %v", may, !failed, prompt, resource)
		}
		if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "fovea://node/weight"}); (err == nil) != may {
			t.Errorf("may %v: subscribe %v", may, err)
		}
		if may {
			call(t, c, "edit", map[string]any{"id": "weight", "todo": "DONE"})
			if got := <-told; got != "fovea://node/weight" {
				t.Errorf("told of %s", got)
			}
		}
	}
}

// TestWhoActs: commits are by whom the options make of the client's name; a tool that
// only reads makes none.
func TestWhoActs(t *testing.T) {
	svc, _ := memory(t)
	s := mcpserver.New(ops.Guarded(svc), &mcpserver.Options{Acting: func(ctx context.Context, client string) context.Context {
		return author.WithGrant(ctx, api.Grant{Agent: "test-" + client, Role: api.Agent})
	}})
	for _, revision := range []string{"2025-06-18", "2026-07-28"} {
		c := attach(t, s, nil, revision)
		call(t, c, "remember", map[string]any{"title": "By a client of " + revision})
		log, err := api.OpLog.Call(t.Context(), svc, api.LogRequest{Limit: 1})
		if err != nil || log[0].Author != "test-test" {
			t.Errorf("%s: %+v, %v", revision, log, err)
		}
	}
}
