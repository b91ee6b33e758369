// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea/internal/mcpserver"
)

// line is the line of an SDK server.
type line struct {
	t     testing.TB
	in    io.WriteCloser
	out   *bufio.Reader
	ended chan error
	let   chan struct{} // lets the tool "wait" return
}

// connect starts a server with two tools: wait, which returns when let has a value, and
// panic.
func dial(t testing.TB) *line {
	t.Helper()
	theirs, in := io.Pipe()
	out, ours := io.Pipe()
	c := &line{t: t, in: in, out: bufio.NewReader(out), ended: make(chan error, 1), let: make(chan struct{})}
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s.AddReceivingMiddleware(mcpserver.RecoverPanics(nil))
	schema := json.RawMessage(`{"type":"object"}`)
	s.AddTool(&mcp.Tool{Name: "wait", InputSchema: schema}, func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		select {
		case <-c.let:
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "waited"}}}, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	s.AddTool(&mcp.Tool{Name: "panic", InputSchema: schema}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { panic("out of order") })
	go func() { c.ended <- s.Run(context.Background(), &mcpserver.Transport{In: theirs, Out: ours}) }()
	t.Cleanup(func() { _ = in.Close(); _ = out.Close() })
	return c
}

func (c *line) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line); err != nil {
		c.t.Fatal(err)
	}
}

// answer is a response of the server.
type answer struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// line reads one line.
func (c *line) line() []byte {
	c.t.Helper()
	text, err := c.out.ReadBytes('\n')
	if err != nil {
		c.t.Fatalf("%v after %q", err, text)
	}
	return text
}

func (c *line) answer() answer {
	c.t.Helper()
	var a answer
	if text := c.line(); json.Unmarshal(text, &a) != nil {
		c.t.Fatalf("no answer: %s", text)
	}
	return a
}

func (c *line) initialize(revision string) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"` + revision +
		`","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n")
	if a := c.answer(); a.Error != nil {
		c.t.Fatalf("initialize: %+v", a.Error)
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
}

const (
	parse   = -32700
	request = -32600
)

// wrong are invalid lines with the error code and id of the response.
var wrong = []struct {
	name, line string
	code       int
	id         string
}{
	{"garbage", "garbage", parse, "null"},
	{"a NUL", "\x00", parse, "null"},
	{"half a message", `{"jsonrpc":"2.0","id":1,`, parse, "null"},
	{"two in one line", `{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}`, parse, "null"},
	{"bytes that are no UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}", parse, "null"},
	{"UTF-16", "{\x00}\x00", parse, "null"},
	{"nested 20,000 deep", strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), parse, "null"},
	{"an id nested 20,000 deep", `{"jsonrpc":"2.0","id":` + strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_001), parse, "null"},
	{"params nested 5,000 deep", `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "}}",
		request, "7"},
	{"a text", `"x"`, request, "null"},
	{"a number", "1", request, "null"},
	{"null", "null", request, "null"},
	{"an empty object", "{}", request, "null"},
	{"no method", `{"jsonrpc":"2.0"}`, request, "null"},
	{"an id alone", `{"jsonrpc":"2.0","id":7}`, request, "7"},
	{"no version", `{"id":7,"method":"ping"}`, request, "7"},
	{"another version", `{"jsonrpc":"1.0","id":"a","method":"ping"}`, request, `"a"`},
	{"a version that is a number", `{"jsonrpc":2.0,"id":7,"method":"ping"}`, request, "7"},
	{"an id that is an object", `{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, request, "null"},
	{"an id that is a list", `{"jsonrpc":"2.0","id":[1],"method":"ping"}`, request, "null"},
	{"an id that is true", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, request, "null"},
	{"an id that is null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, request, "null"},
	{"an id with a fraction", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, request, "null"},
	{"an id that is too large", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, request, "null"},
	{"a method that is a number", `{"jsonrpc":"2.0","id":7,"method":1}`, request, "7"},
	{"a method that is null", `{"jsonrpc":"2.0","id":7,"method":null}`, request, "7"},
	{"params that are a text", `{"jsonrpc":"2.0","id":7,"method":"ping","params":"x"}`, request, "7"},
	{"an error that is a text", `{"jsonrpc":"2.0","id":7,"error":"x"}`, request, "7"},
	{"an answer with result and error", `{"jsonrpc":"2.0","id":7,"result":{},"error":{"code":1,"message":""}}`, request, "7"},
	{"an empty batch", "[]", request, "null"},
	{"a batch of nothing", "[1]", request, "null"},
	{"a batch", `[{"jsonrpc":"2.0","id":7,"method":"ping"}]`, request, "null"},
	{"17 MB", strings.Repeat("x", 17<<20), parse, "null"},
}

// TestWhatIsNoMessageIsAnswered: each invalid line gets its error response, before and
// after initialize, and neither a pending call nor the next line is affected.
func TestWhatIsNoMessageIsAnswered(t *testing.T) {
	for _, when := range []string{"before", "after"} {
		c := dial(t)
		if when == "after" {
			c.initialize("2025-11-25")
			c.send(`{"jsonrpc":"2.0","id":"w","method":"tools/call","params":{"name":"wait"}}` + "\n")
		}
		for _, tc := range wrong {
			t.Run(when+" initialize/"+tc.name, func(t *testing.T) {
				c.t = t
				c.send(tc.line + "\n")
				a := c.answer()
				if a.Error == nil || a.Error.Code != tc.code || string(a.ID) != tc.id || !strings.Contains(a.Error.Message, "Next: ") {
					t.Errorf("answered with %s %+v", a.ID, a.Error)
				}
				c.send("\r\n\n \t\r\n" + `{"jsonrpc":"2.0","id":8,"method":"ping"}` + "\r\n")
				if a := c.answer(); string(a.ID) != "8" || a.Error != nil {
					t.Errorf("the next line is answered with %s %+v", a.ID, a.Error)
				}
			})
		}
		c.t = t
		if when == "before" {
			continue
		}
		c.send(`{"jsonrpc":"2.0","id":"w","method":"ping"}` + "\n")
		if a := c.answer(); a.Error == nil || a.Error.Code != request || string(a.ID) != "null" {
			t.Errorf("a second call under an id: %s %+v", a.ID, a.Error)
		}
		c.let <- struct{}{}
		if a := c.answer(); string(a.ID) != `"w"` || !strings.Contains(string(a.Result), "waited") {
			t.Errorf("the call that was under way: %s %s %+v", a.ID, a.Result, a.Error)
		}
		c.send(`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"panic"}}` + "\n")
		if a := c.answer(); string(a.ID) != "9" || a.Error == nil || a.Error.Code != -32603 {
			t.Errorf("a tool that panics: %s %+v", a.ID, a.Error)
		}
		go func() { // a pipe ends at once, before the answers
			_, _ = io.WriteString(c.in, `{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"wait"}}`)
			_ = c.in.Close()
			c.let <- struct{}{}
		}()
		if a := c.answer(); string(a.ID) != "10" || !strings.Contains(string(a.Result), "waited") {
			t.Errorf("the last line: %s %+v", a.ID, a.Error)
		}
		if err := <-c.ended; err != nil {
			t.Errorf("the end: %v", err)
		}
	}
}

// TestAByteOrderMark: the first line may start with a byte order mark.
func TestAByteOrderMark(t *testing.T) {
	c := dial(t)
	c.send("\ufeff" + `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\r\n")
	if a := c.answer(); a.Error != nil {
		t.Errorf("%+v", a.Error)
	}
}

// TestBatchesAreRefused: in a revision that had batches, too, one is refused with what to do instead,
// and nothing in it is carried out.
func TestBatchesAreRefused(t *testing.T) {
	for _, revision := range []string{"2024-11-05", "2025-03-26", "2025-06-18"} {
		c := dial(t)
		c.initialize(revision)
		for _, batch := range []string{
			`[{"jsonrpc":"2.0","id":1,"method":"ping"},7,{"jsonrpc":"2.0","method":"notifications/x"}]`,
			`[{"jsonrpc":"2.0","method":"notifications/x"}]`, "[" + strings.TrimSuffix(strings.Repeat("1,", 2000), ",") + "]",
		} {
			c.send(batch + "\n" + `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")
			if a := c.answer(); a.Error == nil || a.Error.Code != request || !strings.Contains(a.Error.Message, "one by one") {
				t.Errorf("%s: %s %+v", revision, a.ID, a.Error)
			}
			if a := c.answer(); string(a.ID) != "1" || a.Error != nil {
				t.Errorf("%s: after a batch: %s %+v", revision, a.ID, a.Error)
			}
		}
	}
}

func encodedJSON(v any) string { text, _ := json.Marshal(v); return string(text) }

// TestRefuse: each call, but no notification, gets the reason why there is no server.
func TestRefuse(t *testing.T) {
	in := io.NopCloser(strings.NewReader("garbage\n" + `{"jsonrpc":"2.0","method":"x"}` + "\n" + `{"jsonrpc":"2.0","id":1,"method":"server/discover"}` +
		"\n" + `{"jsonrpc":"2.0","id":"b","method":"initialize"}`)) // the last line has no end
	var out bytes.Buffer
	if err := mcpserver.Refuse(t.Context(), &mcpserver.Transport{In: in, Out: closing{&out}}, "no such folder"); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 3 || strings.Count(out.String(), "no such folder") != 2 || !strings.Contains(lines[1], `"id":1,`) || !strings.Contains(lines[2], `"id":"b"`) {
		t.Errorf("answered with %q", lines)
	}
}

type closing struct{ io.Writer }

func (closing) Close() error { return nil }

// FuzzLines: for any input, each line gets at most one response line, which is JSON, and
// the server keeps answering.
func FuzzLines(f *testing.F) {
	for _, tc := range wrong {
		if len(tc.line) < 1<<12 {
			f.Add([]byte(tc.line+"\n"), "2025-03-26")
			f.Add([]byte(tc.line+"\n"+tc.line), "2025-11-25")
		}
	}
	f.Add([]byte(`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}]`), "2024-11-05")
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"panic","_meta":{"progressToken":{}}}}`+"\n"+`{"jsonrpc":"2.0",`+
		`"method":"notifications/cancelled","params":{"requestId":1}}`), "2025-06-18")
	for _, method := range []string{"ping", "tools/list", "tools/call", "resources/read", "prompts/get", "completion/complete", "logging/setLevel",
		"resources/subscribe", "subscriptions/listen", "server/discover", "initialize", "notifications/cancelled", "notifications/progress", "roots/list"} {
		f.Add([]byte(`{"jsonrpc":"2.0","id":5,"method":"`+method+`","params":{}}`+"\n"+`{"jsonrpc":"2.0","method":"`+method+`","params":[]}`), "2026-07-28")
	}
	f.Fuzz(func(t *testing.T, sent []byte, revision string) {
		c := dial(t)
		if text := encodedJSON(revision); len(text) < 100 {
			go func() {
				_, _ = io.WriteString(c.in, `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":`+text+`,"capabilities":{},`+
					`"clientInfo":{"name":"t","version":"1"}}}`+"\n")
				_, _ = c.in.Write(append(sent, '\n'))
				close(c.let)
				_, _ = io.WriteString(c.in, `{"jsonrpc":"2.0","id":"the last one","method":"ping"}`+"\n")
			}()
			for {
				text := c.line()
				if !json.Valid(text) {
					t.Fatalf("answered with %q", text)
				}
				if bytes.Contains(text, []byte(`"id":"the last one"`)) {
					return
				}
			}
		}
	})
}
