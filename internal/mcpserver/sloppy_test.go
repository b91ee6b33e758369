// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/mcpserver"
)

// sloppy has, by the type of a field, a value as the schema wants it, and forms that clients are
// known to send instead.
var sloppy = []struct {
	kind, want string
	forms      []string
}{
	{"string", `"12"`, []string{`12`}},
	{"string", `"1.50"`, []string{`1.50`}},
	{"string", `"true"`, []string{`true`}},
	{"string", `"[\"a\"]"`, nil},
	{"string", `"{\"a\": 1}"`, nil},
	{"string", `"null"`, nil},
	{"integer", `12`, []string{`"12"`, `" 12 "`, `12.0`, `"12.0"`, `1.2e1`}},
	{"number", `0.25`, []string{`"0.25"`, `"25e-2"`}},
	{"boolean", `true`, []string{`"true"`, `"True"`}},
	{"boolean", `false`, []string{`"false"`, `"False"`}},
	{"array of string", `["a","12"]`, []string{`"[\"a\",\"12\"]"`, `["a",12]`, `"[\"a\",12]"`}},
	{"array of string", `[]`, []string{`"[]"`}},
	{"array of integer", `[1,2]`, []string{`"[1,2]"`, `["1",2.0]`, `"[\"1\",\"2\"]"`}},
	{"object", `{"K":"12","L":"true"}`, []string{`"{\"K\":\"12\",\"L\":\"true\"}"`, `{"K":12,"L":true}`, `"{\"K\":12,\"L\":true}"`}},
	{"object", `{}`, []string{`"{}"`}},
}

// TestSloppyArguments: every tool, also those that are not listed, takes each field in each form
// that clients are known to send, as it takes the form that its schema wants; null is absent, and
// so are arguments that are JSON text.
func TestSloppyArguments(t *testing.T) {
	var asked []any
	s := mcpserver.New(func(_ context.Context, c api.Call) (any, error) {
		asked = append(asked, c.Request)
		return nil, errors.New("asked")
	}, nil)
	client, fields := attach(t, s, nil, ""), 0
	ask := func(tool, args string) string {
		asked = nil
		r, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
		if err != nil {
			t.Fatalf("%s %s: %v", tool, args, err)
		}
		return r.Content[0].(*mcp.TextContent).Text + "\n" + encode(asked)
	}
	for name, schema := range mcpserver.Schemas(s) {
		for _, base := range bases(schema) {
			without := ask(name, encode(base))
			if got := ask(name, encode(encode(base))); got != without {
				t.Errorf("%s: arguments as text (-want +got):\n%s", name, cmp.Diff(without, got))
			}
			for field, of := range schema.Properties {
				if field == "action" {
					continue
				}
				fields++
				needed := slices.Contains(schema.Required, field)
				got := ask(name, encode(with(base, field, `null`)))
				if needed && !strings.Contains(got, field+" is missing") || !needed && got != without {
					t.Errorf("%s: %s is null (-want +got):\n%s", name, field, cmp.Diff(without, got))
				}
				rows := 0
				for _, row := range sloppy {
					if row.kind != kindOf(of) {
						continue
					}
					rows++
					want := ask(name, encode(with(base, field, row.want)))
					if strings.Contains(want, "the field "+field+" is") {
						t.Errorf("%s: %s: %s: %s", name, field, row.want, want)
					}
					for _, form := range row.forms {
						if got := ask(name, encode(with(base, field, form))); got != want {
							t.Errorf("%s: %s: %s is not as %s (-want +got):\n%s", name, field, form, row.want, cmp.Diff(want, got))
						}
					}
				}
				for _, odd := range []string{`1e400`, `"1e400"`, `-1`, `"-1"`, `1e19`, `-1e19`, `0.5`, `[1e400]`, `[-1]`, `[{}]`, `{"K":1e400}`, `{"K":{}}`, `[[[]]]`} {
					got := ask(name, encode(with(base, field, odd)))
					for _, foreign := range []string{"json:", "Go struct", "validating", "minimum", "/1 is", "strconv", "%!"} {
						if strings.Contains(got, foreign) {
							t.Errorf("%s: %s: %s: not in words: %s", name, field, odd, got)
						}
					}
				}
				if rows == 0 {
					t.Errorf("%s: %s: no form of the type %s is tried", name, field, kindOf(of))
				}
			}
		}
	}
	if fields < 60 {
		t.Errorf("only %d fields were tried", fields)
	}
}

// kindOf is the type of a field, with that of the parts of a list.
func kindOf(of *jsonschema.Schema) string {
	if of.Items != nil {
		return of.Type + " of " + of.Items.Type
	}
	return of.Type
}

// bases are the smallest arguments of a tool, one for each action.
func bases(schema *jsonschema.Schema) (list []map[string]json.RawMessage) {
	base := map[string]json.RawMessage{}
	for _, name := range schema.Required {
		base[name] = json.RawMessage(`"dcayq"`)
	}
	chosen := schema.Properties["action"]
	if chosen == nil {
		return append(list, base)
	}
	for _, action := range chosen.Enum {
		list = append(list, with(base, "action", encode(action)))
	}
	return list
}

func with(base map[string]json.RawMessage, field, value string) map[string]json.RawMessage {
	all := maps.Clone(base)
	all[field] = json.RawMessage(value)
	return all
}

// encode returns a value as JSON; it cannot fail.
func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// TestSloppyCallsAreAnswered: calls as real clients send them reach the memory.
func TestSloppyCallsAreAnswered(t *testing.T) {
	svc, _ := memory(t)
	c := connect(t, svc, nil)
	for _, one := range []struct{ tool, args, want string }{
		{"recall", `{"query":"gauge","mode":null,"limit":null}`, "Found"},
		{"context", `{"question":"gauge","budget":"200","fresh":"true"}`, "of 200 tokens"},
		{"remember", `{"title":"door","tags":"[\"a\",\"b\"]","properties":"{\"K\":\"v\"}"}`, `"handle":`},
		{"remember", `{"title":2024,"properties":{"N":1.50,"B":true}}`, `"handle":`},
		{"recall", `"{\"query\":\"door\"}"`, "door :a:b:"},
		{"recall", `null`, "newest notes"},
		{"recall", `""`, "newest notes"},
		{"recall", `{"query":"property:N=1.50 property:B=true","mode":"query"}`, "2024"},
	} {
		r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: one.tool, Arguments: json.RawMessage(one.args)})
		if err != nil {
			t.Fatal(err)
		}
		if text := r.Content[0].(*mcp.TextContent).Text; r.IsError || !strings.Contains(text, one.want) {
			t.Errorf("%s %s: no %q in %s", one.tool, one.args, one.want, text)
		}
	}
}
