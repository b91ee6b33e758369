// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//lint:file-ignore SA1019 the suite tests what the protocol will drop, too

package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Schemas of what a person is asked.
var (
	aText    = json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"},"username":{"type":"string"},"context":{"type":"string"}}}`)
	aYes     = json.RawMessage(`{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}`)
	defaults = json.RawMessage(`{"type":"object","properties":{
  "name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},
  "status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}}}`)
	enums = json.RawMessage(`{"type":"object","properties":{
  "untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
  "titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First"},
    {"const":"value2","title":"Second"},{"const":"value3","title":"Third"}]},
  "legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["One","Two","Three"]},
  "untitledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","enum":["option1","option2","option3"]}},
  "titledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"anyOf":[
     {"const":"value1","title":"First"},{"const":"value2","title":"Second"},{"const":"value3","title":"Third"}]}}}}`)
)

// asking are the tools of the revisions with sessions, which ask the client by requests
// of their own.
func asking() map[string]mcp.ToolHandler {
	elicit := func(schema any) mcp.ToolHandler {
		return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			said, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Who are you?", RequestedSchema: schema})
			if err != nil {
				return nil, err
			}
			return tells(fmt.Sprintf("action=%s, content=%v", said.Action, said.Content))(ctx, r)
		}
	}
	return map[string]mcp.ToolHandler{
		"test_elicitation":                  elicit(aText),
		"test_elicitation_sep1034_defaults": elicit(defaults),
		"test_elicitation_sep1330_enums":    elicit(enums),
		"test_sampling": func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var in struct{ Prompt string }
			if err := json.Unmarshal(r.Params.Arguments, &in); err != nil {
				return nil, err
			}
			said, err := r.Session.CreateMessage(ctx, &mcp.CreateMessageParams{MaxTokens: 100,
				Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: in.Prompt}}}})
			if err != nil {
				return nil, err
			}
			text, _ := said.Content.(*mcp.TextContent)
			return tells("LLM response: "+text.Text)(ctx, r)
		},
	}
}

// What tools of the revision without sessions ask for, in their answers.
var (
	whoRequest    = &mcp.ElicitParams{Message: "Who are you?", RequestedSchema: aText}
	yesRequest    = &mcp.ElicitParams{Message: "Go on?", RequestedSchema: aYes}
	sampleRequest = &mcp.CreateMessageParams{MaxTokens: 100, Messages: []*mcp.SamplingMessage{{Role: "user",
		Content: &mcp.TextContent{Text: "What is the capital of France?"}}}}
	rootsRequest = &mcp.ListRootsParams{}
)

// accepted is what a person filled in, nil for no or another answer.
func accepted(said mcp.InputResponseMap, name string) map[string]any {
	if e, ok := said[name].(*mcp.ElicitResult); ok && e.Action == "accept" {
		return e.Content
	}
	return nil
}

// asked is a tool that asks, under a state, until it was answered.
func asked(asks mcp.InputRequestMap, state string, answered func(*mcp.CallToolParamsRaw) (string, error)) mcp.ToolHandler {
	return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		text, err := answered(r.Params)
		switch {
		case err != nil:
			return nil, err
		case text == "":
			return &mcp.CallToolResult{InputRequests: asks, RequestState: state}, nil
		}
		return tells(text)(ctx, r)
	}
}

// confirmed is the answer to a question under a state, which must come back as it was.
func confirmed(p *mcp.CallToolParamsRaw) (string, error) {
	switch {
	case p.RequestState == "" && accepted(p.InputResponses, "confirm") == nil:
		return "", nil
	case p.RequestState != "state":
		return "", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "that is not the state that was given"}
	case accepted(p.InputResponses, "confirm") == nil:
		return "", nil
	}
	return "state-ok", nil
}

// rounds are the tools of the revision without sessions, whose answers ask.
func rounds() map[string]mcp.ToolHandler {
	name := func(p *mcp.CallToolParamsRaw) (string, error) {
		text, _ := accepted(p.InputResponses, "user_name")["name"].(string)
		return text, nil
	}
	return map[string]mcp.ToolHandler{
		"test_input_required_result_elicitation": asked(mcp.InputRequestMap{"user_name": whoRequest}, "", name),
		"test_input_required_result_sampling": asked(mcp.InputRequestMap{"capital_question": sampleRequest}, "",
			func(p *mcp.CallToolParamsRaw) (string, error) {
				return textIf(p.InputResponses["capital_question"] != nil, "sampled"), nil
			}),
		"test_input_required_result_list_roots": asked(mcp.InputRequestMap{"client_roots": rootsRequest}, "", func(p *mcp.CallToolParamsRaw) (string, error) {
			return textIf(p.InputResponses["client_roots"] != nil, "roots"), nil
		}),
		"test_input_required_result_request_state":  asked(mcp.InputRequestMap{"confirm": yesRequest}, "state", confirmed),
		"test_input_required_result_tampered_state": asked(mcp.InputRequestMap{"confirm": yesRequest}, "state", confirmed),
		"test_input_required_result_multiple_inputs": asked(mcp.InputRequestMap{"user_name": whoRequest, "greeting": sampleRequest,
			"client_roots": rootsRequest}, "several",
			func(p *mcp.CallToolParamsRaw) (string, error) { return textIf(len(p.InputResponses) == 3, "all"), nil }),
		"test_input_required_result_multi_round":  twoRounds,
		"test_input_required_result_capabilities": whatTheClientCan,
	}
}

func textIf(holds bool, text string) string {
	if holds {
		return text
	}
	return ""
}

// twoRounds asks twice; the state carries what the first answer was.
func twoRounds(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	name, second := strings.CutPrefix(r.Params.RequestState, "2 ")
	switch {
	case second:
		return tells(fmt.Sprint(name, " likes ", accepted(r.Params.InputResponses, "step2")["color"]))(ctx, r)
	case r.Params.RequestState == "1":
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"step2": whoRequest}, RequestState: fmt.Sprint("2 ",
			accepted(r.Params.InputResponses, "step1")["name"])}, nil
	}
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"step1": whoRequest}, RequestState: "1"}, nil
}

// whatTheClientCan asks for nothing that the client did not declare.
func whatTheClientCan(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	asks, can := mcp.InputRequestMap{}, r.ClientCapabilities()
	if can != nil && can.Elicitation != nil {
		asks["user_name"] = whoRequest
	}
	if can != nil && can.Sampling != nil {
		asks["greeting"] = sampleRequest
	}
	if len(r.Params.InputResponses) > 0 || len(asks) == 0 {
		return tells("nothing to ask")(ctx, r)
	}
	return &mcp.CallToolResult{InputRequests: asks}, nil
}

// askingPrompt is a prompt that asks before it is given.
func askingPrompt(ctx context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	if said := accepted(r.Params.InputResponses, "user_context"); said != nil {
		return says(fmt.Sprint("Context: ", said["context"]))(ctx, nil)
	}
	return &mcp.GetPromptResult{InputRequests: mcp.InputRequestMap{"user_context": whoRequest}}, nil
}
