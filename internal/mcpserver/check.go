// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Refusal is the error response to an invalid message.
type Refusal struct {
	ID      json.RawMessage // of the message; nil if it cannot be read
	Code    int64
	Message string
}

// Response encodes the error response, without a newline.
func (r *Refusal) Response() []byte {
	message, _ := json.Marshal(r.Message) // a text is JSON
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, cmp.Or(string(r.ID), "null"), r.Code, message)
}

func parseError(format string, a ...any) *Refusal {
	return &Refusal{Code: jsonrpc.CodeParseError, Message: "parse error: " + fmt.Sprintf(format, a...) + ". Next: send one JSON-RPC message in UTF-8"}
}

func invalidRequest(id json.RawMessage, format string, a ...any) *Refusal {
	return &Refusal{ID: id, Code: jsonrpc.CodeInvalidRequest, Message: "invalid request: " + fmt.Sprintf(format, a...) +
		`. Next: send {"jsonrpc":"2.0","id":…,"method":…,"params":{…}}`}
}

// Check decodes a message. It refuses a batch: the protocol has no batches since its third revision.
func Check(data []byte) (jsonrpc.Message, *Refusal) {
	var fields map[string]json.RawMessage
	data = bytes.TrimSpace(data)
	if err := json.Unmarshal(data, &fields); err != nil || fields == nil || !utf8.Valid(data) {
		return nil, notAnObject(data, err)
	}
	id, valid := parseID(fields["id"])
	if v := fields["jsonrpc"]; string(v) != `"2.0"` {
		return nil, invalidRequest(id, `the field jsonrpc must be "2.0"`)
	}
	if _, there := fields["id"]; there && !valid {
		return nil, invalidRequest(nil, "the field id must be a string or a whole number below 2^53")
	}
	if why := wrongField(fields); why != "" {
		return nil, invalidRequest(id, "%s", why)
	}
	if refusal := wrongParams(id, fields); refusal != nil {
		return nil, refusal
	}
	m, err := jsonrpc.DecodeMessage(data)
	if err != nil {
		return nil, invalidRequest(id, "%v", err)
	}
	return m, nil
}

// notAnObject refuses data that does not decode into an object; err is the error of decoding.
func notAnObject(data []byte, err error) *Refusal {
	switch {
	case len(data) == 0:
		return parseError("the line is empty")
	case !utf8.Valid(data):
		return parseError("it is not UTF-8")
	case !json.Valid(data):
		return parseError("%v", err)
	case data[0] == '[':
		return invalidRequest(nil, "batches are not supported; send the messages one by one")
	}
	return invalidRequest(nil, "a message must be a JSON object")
}

// paramsOf has a zero value of the parameters of each method of MCP. The SDK, which decodes them before any middleware,
// would report a wrong type in terms of Go.
var paramsOf = map[string]any{
	"initialize": mcp.InitializeParams{}, "tools/call": mcp.CallToolParamsRaw{}, "prompts/get": mcp.GetPromptParams{},
	"completion/complete": mcp.CompleteParams{}, "resources/read": mcp.ReadResourceParams{},
	"resources/subscribe": mcp.SubscribeParams{}, "resources/unsubscribe": mcp.UnsubscribeParams{},
	"logging/setLevel": struct{ Level string }{}, "tools/list": mcp.ListToolsParams{}, "prompts/list": mcp.ListPromptsParams{},
	"resources/list": mcp.ListResourcesParams{}, "resources/templates/list": mcp.ListResourceTemplatesParams{},
}

// typesOf names the types of JSON Schema by the kinds of Go.
var typesOf = map[reflect.Kind]string{
	reflect.String: "string", reflect.Bool: "boolean", reflect.Slice: "array", reflect.Int: "integer", reflect.Float64: "number",
}

// wrongParams refuses a call whose parameters do not have the types of its method.
func wrongParams(id json.RawMessage, fields map[string]json.RawMessage) *Refusal {
	var method string
	if json.Unmarshal(fields["method"], &method) != nil || paramsOf[method] == nil || len(fields["params"]) == 0 {
		return nil
	}
	err := json.Unmarshal(fields["params"], reflect.New(reflect.TypeOf(paramsOf[method])).Interface())
	if err == nil {
		return nil
	}
	what := "the parameters do not have the types that " + method + " takes"
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		what = fieldWords + wrong.Field + " is " + typeWords[cmp.Or(typesOf[wrong.Type.Kind()], "object")]
	}
	return &Refusal{ID: id, Code: jsonrpc.CodeInvalidParams, Message: "invalid params: " + what + ". Next: correct the parameters and call again"}
}

// wrongField returns why an object is not a call, notification or response, "" if it is one.
func wrongField(fields map[string]json.RawMessage) string {
	begins := func(key string, with string) bool {
		v := bytes.TrimSpace(fields[key])
		return len(v) > 0 && bytes.IndexByte([]byte(with), v[0]) >= 0
	}
	if _, there := fields["method"]; there {
		switch _, params := fields["params"]; {
		case !begins("method", `"`):
			return "the field method must be a string"
		case params && !begins("params", "{[n"):
			return "the field params must be an object"
		}
		return ""
	}
	_, result := fields["result"]
	_, fault := fields["error"]
	switch {
	case result == fault || fields["id"] == nil:
		return "the field method is missing"
	case fault && !begins("error", "{"):
		return "the field error must be an object"
	}
	return ""
}

// maxID limits numeric ids: every program represents integers up to it exactly.
const maxID = 1 << 53

// parseID returns an id and whether it is valid for a message.
func parseID(raw json.RawMessage) (json.RawMessage, bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return nil, false
	}
	if raw[0] == '"' {
		return raw, true
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return raw, err == nil && n < maxID && n > -maxID
}
