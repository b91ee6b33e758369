// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// turn is what a model does next: it calls a tool of Fovea, or says text, which ends the talk.
// The argument "NUMBER" stands for the number of the last claim that the model was given.
type turn struct {
	tool string
	args map[string]any
	text string
}

// talk is what a model saw in one run of a client.
type talk struct {
	first   string   // the first request but for its tools: instructions, what hooks said, the prompt
	tools   string   // the tools of the first request, as JSON
	results []string // what came back for each call
}

// stubModel answers as the servers of models do: /v1/messages for Claude Code, /v1/responses
// for Codex. It follows a script, and keeps what it was sent.
type stubModel struct {
	*httptest.Server
	mu     sync.Mutex
	script []turn
	now    talk
}

func newStubModel(t *testing.T) *stubModel {
	m := &stubModel{}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

// begin gives the model a script for the next run.
func (m *stubModel) begin(script []turn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.script, m.now = script, talk{}
}

// seen returns what the model saw since begin.
func (m *stubModel) seen() talk {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

// request is what both kinds of request have, as far as it is used.
type request struct {
	Model    string
	System   any
	Messages []struct{ Content any }
	Input    []map[string]any
	Tools    []struct{ Type, Name string }
}

func (m *stubModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body request
	raw, err := io.ReadAll(r.Body)
	if err == nil && r.Method == http.MethodPost {
		err = json.Unmarshal(raw, &body)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	stream := events{w}
	switch {
	case r.Method == http.MethodPost && r.URL.Path == "/v1/messages":
		w.Header().Set("Content-Type", "text/event-stream")
		stream.claude(body, m.next(body, raw))
	case r.Method == http.MethodPost && r.URL.Path == "/v1/responses":
		w.Header().Set("Content-Type", "text/event-stream")
		stream.codex(body, m.next(body, raw))
	default: // what clients ask for besides is not needed
		http.NotFound(w, r)
	}
}

// claimNumber finds the number of a claim in what a model was given.
var claimNumber = regexp.MustCompile(`"number":(\d+)`)

// next records a request and returns what the model does then. Which turn it is the request
// itself tells, by the results in it. A request without tools is none of the talk.
func (m *stubModel) next(body request, raw []byte) turn {
	m.mu.Lock()
	defer m.mu.Unlock()
	results := body.results()
	if len(body.Tools) == 0 || len(results) >= len(m.script) {
		return turn{text: "Nothing."}
	}
	if m.now.first == "" {
		var all map[string]any
		_ = json.Unmarshal(raw, &all) // it was read once
		tools, _ := json.Marshal(all["tools"])
		delete(all, "tools")
		m.now.tools, m.now.first = string(tools), texts(all)
	}
	m.now.results = results
	next := m.script[len(results)]
	if next.args["claim"] == "NUMBER" {
		args := map[string]any{"claim": json.Number("0")}
		for name, value := range next.args {
			if name != "claim" {
				args[name] = value
			}
		}
		for _, found := range claimNumber.FindAllStringSubmatch(strings.Join(results, "\n"), -1) {
			args["claim"] = json.Number(found[1])
		}
		next.args = args
	}
	return next
}

// results returns what came back for the calls of the model, in order.
func (b *request) results() (all []string) {
	for _, message := range b.Messages {
		parts, _ := message.Content.([]any)
		for _, part := range parts {
			if p, ok := part.(map[string]any); ok && p["type"] == "tool_result" {
				all = append(all, texts(p["content"]))
			}
		}
	}
	for _, item := range b.Input {
		if item["type"] == "function_call_output" {
			all = append(all, texts(item["output"]))
		}
	}
	return all
}

// texts returns all strings of a JSON value, one on a line.
func texts(value any) string {
	var b strings.Builder
	switch v := value.(type) {
	case string:
		return v + "\n"
	case []any:
		for _, item := range v {
			b.WriteString(texts(item))
		}
	case map[string]any:
		for _, item := range v {
			b.WriteString(texts(item))
		}
	}
	return b.String()
}

// events is a stream of server-sent events.
type events struct{ http.ResponseWriter }

// send sends one event; fields are alternating names and values.
func (e events) send(kind string, fields ...any) {
	all := map[string]any{"type": kind}
	for i := 0; i+1 < len(fields); i += 2 {
		all[fields[i].(string)] = fields[i+1]
	}
	text, _ := json.Marshal(all)
	fmt.Fprintf(e, "event: %s\ndata: %s\n\n", kind, text)
}

// object is a JSON object.
type object = map[string]any

// claude sends a turn as /v1/messages does.
func (e events) claude(body request, next turn) {
	usage := object{"input_tokens": 1, "output_tokens": 1}
	e.send("message_start", "message", object{"id": "msg_1", "type": "message", "role": "assistant", "model": body.Model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": usage})
	reason := "end_turn"
	if next.tool == "" {
		e.send("content_block_start", "index", 0, "content_block", object{"type": "text", "text": ""})
		e.send("content_block_delta", "index", 0, "delta", object{"type": "text_delta", "text": next.text})
	} else {
		reason = "tool_use"
		args, _ := json.Marshal(next.args)
		e.send("content_block_start", "index", 0, "content_block",
			object{"type": "tool_use", "id": fmt.Sprintf("toolu_%d", len(body.results())), "name": "mcp__fovea__" + next.tool, "input": object{}})
		e.send("content_block_delta", "index", 0, "delta", object{"type": "input_json_delta", "partial_json": string(args)})
	}
	e.send("content_block_stop", "index", 0)
	e.send("message_delta", "delta", object{"stop_reason": reason, "stop_sequence": nil}, "usage", usage)
	e.send("message_stop")
}

// codex sends a turn as /v1/responses does. Codex has the tools of a server in a namespace, and
// older versions had them by names as in Claude Code.
func (e events) codex(body request, next turn) {
	e.send("response.created", "response", object{"id": "resp_1"})
	item := object{"type": "message", "role": "assistant", "id": "msg_1", "content": []any{object{"type": "output_text", "text": next.text}}}
	if next.tool != "" {
		args, _ := json.Marshal(next.args)
		n := len(body.results())
		item = object{"type": "function_call", "id": fmt.Sprintf("fc_%d", n), "call_id": fmt.Sprintf("call_%d", n), "arguments": string(args),
			"name": "mcp__fovea__" + next.tool}
		for _, tool := range body.Tools {
			if tool.Type == "namespace" && strings.HasPrefix(tool.Name, "mcp__fovea") {
				item["namespace"], item["name"] = tool.Name, next.tool
			}
		}
	}
	e.send("response.output_item.done", "output_index", 0, "item", item)
	e.send("response.completed", "response", object{"id": "resp_1", "usage": object{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2,
		"input_tokens_details": nil, "output_tokens_details": nil}})
}
