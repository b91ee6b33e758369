// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//lint:file-ignore SA1019 the suite tests what the protocol will drop, too

package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea/internal/mcpserver"
)

// addFixtures gives a server what the scenarios of the conformance suite call, by the
// names that the suite has for them.
func addFixtures(s *mcpserver.Server) {
	sdk := s.SDK()
	mcpserver.AddTool(s, "test_simple_text", func() (string, error) { return "This is a simple text response for testing.", nil })
	mcpserver.AddTool(s, "test_error_handling", func() (string, error) { return "", errors.New("this tool intentionally returns an error for testing") })
	for _, tools := range []map[string]mcp.ToolHandler{contentTools(), asking(), rounds()} {
		for name, call := range tools {
			addRaw(sdk, name, `{"type":"object"}`, call)
		}
	}
	addRaw(sdk, "json_schema_2020_12_tool", everyKeyword, tells("called"))
	addRaw(sdk, "test_x_mcp_header", aHeader, tells("called"))
	addRaw(sdk, "test_trigger_tool_change", `{"type":"object"}`, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		addRaw(sdk, "test_transient", `{"type":"object"}`, tells("nothing"))
		return tells("changed")(ctx, r)
	})
	addRaw(sdk, "test_trigger_prompt_change", `{"type":"object"}`, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		addPrompt(sdk, "test_transient", says("nothing"))
		return tells("changed")(ctx, r)
	})
	addFixedResources(sdk)
	addFixedPrompts(sdk)
}

// addRaw adds a tool with a schema as it stands.
func addRaw(sdk *mcp.Server, name, schema string, call mcp.ToolHandler) {
	sdk.AddTool(&mcp.Tool{Name: name, Description: "For tests.", InputSchema: json.RawMessage(schema)}, call)
}

const (
	aHeader = `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"level":{"type":"integer"}}}`
	// everyKeyword is the schema that must come back as it is.
	everyKeyword = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
  "properties": {
    "name": {"type": "string"}, "address": {"$ref": "#/$defs/address"},
    "contactMethod": {"type": "string", "enum": ["phone", "email"]}, "phone": {"type": "string"}, "email": {"type": "string"}
  },
  "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
  "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
  "then": {"required": ["phone"]},
  "else": {"required": ["email"]},
  "additionalProperties": false
}`
)

// Bytes that begin as an image and as a sound do.
var (
	image = []byte("\x89PNG\r\n\x1a\n")
	sound = []byte("RIFF\x04\x00\x00\x00WAVE")
)

// gives is a tool that answers with contents.
func gives(contents ...mcp.Content) mcp.ToolHandler {
	return func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: contents}, nil
	}
}

// tells is a tool that answers with a text.
func tells(text string) mcp.ToolHandler { return gives(&mcp.TextContent{Text: text}) }

func embedded(uri string) *mcp.EmbeddedResource {
	return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Text: "Embedded resource content for testing."}}
}

// contentTools answer with each kind of content, or send notices before they answer.
func contentTools() map[string]mcp.ToolHandler {
	logs := func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for _, step := range []string{"started", "goes on", "completed"} {
			if err := r.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: step}); err != nil {
				return nil, err
			}
		}
		return tells("logged")(ctx, r)
	}
	return map[string]mcp.ToolHandler{
		"test_image_content":          gives(&mcp.ImageContent{Data: image, MIMEType: "image/png"}),
		"test_audio_content":          gives(&mcp.AudioContent{Data: sound, MIMEType: "audio/wav"}),
		"test_embedded_resource":      gives(embedded("test://embedded")),
		"test_multiple_content_types": gives(&mcp.TextContent{Text: "Text"}, &mcp.ImageContent{Data: image, MIMEType: "image/png"}, embedded("test://mixed")),
		"test_tool_with_logging":      logs,
		"test_logging_tool":           logs,
		"test_streaming_elicitation":  tells("nothing is asked"),
		"test_tool_with_progress": func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			for _, done := range []float64{0, 50, 100} {
				if err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: done,
					Total: 100}); err != nil {
					return nil, err
				}
			}
			return tells("done")(ctx, r)
		},
		"test_reconnection": func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if r.Extra != nil && r.Extra.CloseSSEStream != nil {
				r.Extra.CloseSSEStream(mcp.CloseSSEStreamArgs{RetryAfter: 10 * time.Millisecond})
			}
			return tells("after the stream was closed")(ctx, r)
		},
		"test_missing_capability": func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if c := r.ClientCapabilities(); c != nil && c.Sampling != nil {
				return tells("declared")(ctx, r)
			}
			data, err := json.Marshal(mcp.MissingRequiredClientCapabilityData{RequiredCapabilities: &mcp.ClientCapabilities{Sampling: &mcp.SamplingCapabilities{}}})
			if err != nil {
				return nil, err
			}
			return nil, &jsonrpc.Error{Code: mcp.CodeMissingRequiredClientCapabilities, Message: "sampling is needed", Data: data}
		},
	}
}

// watched is the suite's name for a resource that changes: a note of the memory stands
// for it, so that the memory's own subscriptions are what is tested.
const watched, note = "test://watched-resource", "fovea://node/gauge"

func addFixedResources(sdk *mcp.Server) {
	sdk.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			switch p := r.GetParams().(type) {
			case *mcp.SubscribeParams:
				p.URI = strings.Replace(p.URI, watched, note, 1)
			case *mcp.UnsubscribeParams:
				p.URI = strings.Replace(p.URI, watched, note, 1)
			}
			return next(ctx, method, r)
		}
	})
	serve := func(mime, text string, blob []byte) mcp.ResourceHandler {
		return func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			id := strings.TrimSuffix(strings.TrimPrefix(r.Params.URI, "test://template/"), "/data")
			c := &mcp.ResourceContents{URI: r.Params.URI, MIMEType: mime, Text: strings.ReplaceAll(text, "{id}", id), Blob: blob}
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{c}}, nil
		}
	}
	sdk.AddResource(&mcp.Resource{Name: "text", Description: "Text", URI: "test://static-text"},
		serve("text/plain", "This is the content of the static text resource.", nil))
	sdk.AddResource(&mcp.Resource{Name: "bytes", Description: "Bytes", URI: "test://static-binary"}, serve("image/png", "", image))
	sdk.AddResourceTemplate(&mcp.ResourceTemplate{Name: "template", URITemplate: "test://template/{id}/data"},
		serve("application/json", `{"id":"{id}","templateTest":true,"data":"Data for ID: {id}"}`, nil))
}

// says is a prompt of messages: texts, and contents of other kinds.
func says(messages ...any) mcp.PromptHandler {
	return func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		out := &mcp.GetPromptResult{}
		for _, m := range messages {
			content, ok := m.(mcp.Content)
			if text, isText := m.(string); isText {
				content, ok = &mcp.TextContent{Text: text}, true
			}
			if !ok {
				return nil, fmt.Errorf("a message is no %T", m)
			}
			out.Messages = append(out.Messages, &mcp.PromptMessage{Role: "user", Content: content})
		}
		return out, nil
	}
}

func addPrompt(sdk *mcp.Server, name string, h mcp.PromptHandler, arguments ...string) {
	p := &mcp.Prompt{Name: name, Description: "For tests."}
	for _, a := range arguments {
		p.Arguments = append(p.Arguments, &mcp.PromptArgument{Name: a, Description: "For tests.", Required: true})
	}
	sdk.AddPrompt(p, h)
}

func addFixedPrompts(sdk *mcp.Server) {
	addPrompt(sdk, "test_simple_prompt", says("This is a simple prompt for testing."))
	addPrompt(sdk, "test_prompt_with_image", says(&mcp.ImageContent{Data: image, MIMEType: "image/png"}, "Please analyze the image above."))
	addPrompt(sdk, "test_prompt_with_arguments", func(ctx context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return says(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", r.Params.Arguments["arg1"], r.Params.Arguments["arg2"]))(ctx, r)
	}, "arg1", "arg2")
	addPrompt(sdk, "test_prompt_with_embedded_resource", func(ctx context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return says(embedded(r.Params.Arguments["resourceUri"]), "Please process the embedded resource above.")(ctx, r)
	}, "resourceUri")
	addPrompt(sdk, "test_input_required_result_prompt", askingPrompt)
}
