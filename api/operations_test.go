// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"context"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/node"
)

// callJSON calls an operation by its name.
func callJSON(ctx context.Context, svc api.Service, name, request string) (any, error) {
	op := api.OperationNamed(name)
	req, err := op.DecodeRequest([]byte(request))
	if err != nil {
		return nil, err
	}
	return svc(ctx, api.Call{Op: op, Request: req})
}

// TestOperations: each row has a name of its own and a summary, and its typed call passes
// the request on as it is.
func TestOperations(t *testing.T) {
	names := map[string]bool{}
	for _, o := range api.Operations {
		if names[o.Name] || !regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`).MatchString(o.Name) || o.Summary == "" || strings.HasSuffix(o.Summary, ".") {
			t.Errorf("%s: %q", o.Name, o.Summary)
		}
		names[o.Name] = true
		if req, err := o.DecodeRequest(nil); err != nil || reflect.TypeOf(req) != o.Request {
			t.Errorf("%s: an empty request is %T, %v", o.Name, req, err)
		}
		if a, err := o.DecodeAnswer([]byte("null")); err != nil || reflect.TypeOf(a) != o.Answer {
			t.Errorf("%s: an empty answer is %T, %v", o.Name, a, err)
		}
	}
	svc := func(_ context.Context, c api.Call) (any, error) {
		if c.Op.Name != "query" || c.Request.(api.QueryRequest).Limit != 3 {
			t.Errorf("%+v", c)
		}
		return []api.Node{{Place: node.Place{ID: "x"}}}, nil
	}
	if list, err := api.OpQuery.Call(t.Context(), svc, api.QueryRequest{Limit: 3}); err != nil || len(list) != 1 || list[0].ID != "x" {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestRequestsAreRead: a request that is none is told in the words of JSON, and
// nothing is called.
func TestRequestsAreRead(t *testing.T) {
	svc := func(context.Context, api.Call) (any, error) {
		t.Error("called")
		return nil, nil
	}
	for _, tc := range []struct{ name, text, want string }{
		{"not JSON", "{", "query: the request ends in the middle of its JSON"},
		{"a word", "todo:TODO", "query: the request is not JSON: invalid character 'o' in literal true (expecting 'r')"},
		{"a list", "[]", "query: the request is a JSON array; send an object"},
		{"unknown key", `{"querry":"x"}`, `query: unknown key "querry"`},
		{"number for text", `{"query":1}`, "query: a number cannot stand here; it wants a string"},
		{"text for number", `{"limit":"ten"}`, "query: limit: a string cannot stand here; it wants a whole number in range"},
		{"fraction", `{"limit":1.5}`, "query: limit: a number 1.5 cannot stand here; it wants a whole number in range"},
		{"two requests", `{"query":"a"}{}`, "query: something follows the request; send one JSON object"},
		{"deep", strings.Repeat("[", 1_000_000), "query: the request is not JSON: invalid character '[' exceeded max depth"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := callJSON(t.Context(), svc, "query", tc.text)
			if fovea.KindOf(err) != fovea.Invalid || err.Error() != tc.want {
				t.Errorf("%v, want %s", err, tc.want)
			}
		})
	}
	if api.OperationNamed("no such") != nil {
		t.Error("found an operation that is none")
	}
}
