// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/mcpserver"
)

// wrongValues are JSON values of every kind, and what is no JSON.
var wrongValues = []string{`null`, `true`, `7`, `1.5`, `-1`, `1e400`, `99999999999999999999999`, `"x"`, `""`, `"2020-13-45"`, `[]`, `[[]]`, `[1]`,
	`["x",{}]`, `{}`,
	`{"x":{"y":[1]}}`, `{"uri":7}`, `nul`, `{`, `'x'`, ``}

// TestErrorsAreInWords: whatever is wrong with a message, its parameters or the arguments of a
// tool, the answer says it in words that are not those of Go.
func TestErrorsAreInWords(t *testing.T) {
	svc, _ := memory(t)
	s := mcpserver.New(svc, nil)
	web := httptest.NewServer(forAll(s))
	t.Cleanup(web.Close)
	tried := 0
	send := func(body string) {
		t.Helper()
		tried++
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		answer, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if word := foveatest.InnerWord(string(text)); err != nil || word != "" {
			t.Errorf("%s: %q in %s %v", body, word, text, err)
		}
	}
	for _, v := range wrongValues {
		send(v)
		send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%s}`, v))
		send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"ping"}`, v))
		for method, fields := range map[string]string{
			"initialize": "protocolVersion capabilities clientInfo", "tools/call": "name arguments _meta", "prompts/get": "name arguments _meta",
			"resources/read": "uri", "resources/subscribe": "uri", "resources/unsubscribe": "uri", "completion/complete": "ref argument context",
			"tools/list": "cursor", "prompts/list": "cursor", "resources/list": "cursor", "resources/templates/list": "cursor", "logging/setLevel": "level", "x": "x",
		} {
			send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"%s","params":%s}`, method, v))
			for field := range strings.FieldsSeq(fields) {
				send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"%s","params":{"%s":%s}}`, method, field, v))
			}
		}
		for name, schema := range mcpserver.Schemas(s) {
			for _, base := range bases(schema) {
				for field := range schema.Properties {
					args := encode(with(base, field, `"VALUE"`))
					send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s","arguments":%s}}`, name, strings.Replace(args, `"VALUE"`, v, 1)))
				}
			}
		}
	}
	t.Logf("%d messages", tried)
}
