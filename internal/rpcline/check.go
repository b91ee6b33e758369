// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package rpcline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Refusal is why something is no message, as it is sent to who sent that.
type Refusal struct {
	ID      json.RawMessage // of the message, null where that is not readable
	Code    int64
	Message string
}

// Error is the message.
func (r *Refusal) Error() string { return r.Message }

// Line is the answer, without the end of a line.
func (r *Refusal) Line() []byte {
	type fault struct {
		Code    int64  `json:"code"`
		Message string `json:"message"`
	}
	id := r.ID
	if id == nil {
		id = json.RawMessage("null")
	}
	text, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   fault           `json:"error"`
	}{"2.0", id, fault{r.Code, r.Message}})
	if err != nil { // an id is JSON that was read
		return []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"internal error"}}`)
	}
	return text
}

func unreadable(format string, a ...any) *Refusal {
	return &Refusal{Code: jsonrpc.CodeParseError, Message: "parse error: " + fmt.Sprintf(format, a...) + ". Next: send one JSON-RPC message in UTF-8"}
}

func invalid(id json.RawMessage, format string, a ...any) *Refusal {
	return &Refusal{ID: id, Code: jsonrpc.CodeInvalidRequest, Message: "invalid request: " + fmt.Sprintf(format, a...) + `. Next: send {"jsonrpc":"2.0","id":…,"method":…,"params":{…}}`}
}

// maxBatch is how many messages a batch has at most: each can be answered.
const maxBatch = 1000

// Check returns the messages that some bytes are, of a batch or one. Where they are none
// there is a refusal in the place of the message, and of the whole where it is not even
// JSON.
func Check(data []byte) (messages []jsonrpc.Message, refusals []*Refusal, batch bool, whole *Refusal) {
	data = bytes.TrimSpace(data)
	if whole = readable(data); whole != nil {
		return nil, nil, false, whole
	}
	if data[0] != '[' {
		m, refusal := message(data)
		return []jsonrpc.Message{m}, []*Refusal{refusal}, false, refusal
	}
	var parts []json.RawMessage
	switch err := json.Unmarshal(data, &parts); {
	case err != nil:
		return nil, nil, true, unreadable("%v", err)
	case len(parts) == 0:
		return nil, nil, true, invalid(nil, "a batch needs at least one message")
	case len(parts) > maxBatch:
		return nil, nil, true, invalid(nil, "a batch may have at most %d messages", maxBatch)
	}
	for _, part := range parts {
		m, refusal := message(part)
		messages, refusals = append(messages, m), append(refusals, refusal)
	}
	return messages, refusals, true, nil
}

// readable refuses what is no JSON.
func readable(data []byte) *Refusal {
	if len(data) == 0 {
		return unreadable("the line is empty")
	}
	if !utf8.Valid(data) {
		return unreadable("it is not UTF-8")
	}
	var any json.RawMessage
	if err := json.Unmarshal(data, &any); err != nil {
		return unreadable("%v", err)
	}
	return nil
}

// message reads JSON as a message.
func message(data []byte) (jsonrpc.Message, *Refusal) {
	fields := map[string]json.RawMessage{}
	if data = bytes.TrimSpace(data); data[0] != '{' {
		return nil, invalid(nil, "a message must be a JSON object")
	}
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil, invalid(nil, "%v", err)
	}
	id, readable := idOf(fields["id"])
	if v := fields["jsonrpc"]; string(v) != `"2.0"` {
		return nil, invalid(id, `the field jsonrpc must be "2.0"`)
	}
	if _, there := fields["id"]; there && !readable {
		return nil, invalid(nil, "the field id must be a string or a whole number below 2^53")
	}
	if why := kind(fields); why != "" {
		return nil, invalid(id, "%s", why)
	}
	m, err := jsonrpc.DecodeMessage(data)
	if err != nil {
		return nil, invalid(id, "%v", err)
	}
	return m, nil
}

// kind returns why an object is neither a call, a notification nor an answer.
func kind(fields map[string]json.RawMessage) string {
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

// largestID is the largest number that every program reads as the same number.
const largestID = 1 << 53

// idOf reports whether an id can be that of a message, and returns it if so.
func idOf(raw json.RawMessage) (json.RawMessage, bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return nil, false
	}
	if raw[0] == '"' {
		return raw, true
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return raw, err == nil && n < largestID && n > -largestID
}
