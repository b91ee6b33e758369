// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"context"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
)

// nameOf is the name of a method as an operation: AssignIDs is assign-ids.
func nameOf(method string) string {
	words := regexp.MustCompile("([a-z])([A-Z])").ReplaceAllString(method, "$1-$2")
	return strings.ToLower(words)
}

// TestOperationsAreTheService: the table has each method of Service once, in its
// order, under its name, with its types; and Through calls each by that row.
func TestOperationsAreTheService(t *testing.T) {
	var called string
	svc := api.Through(func(_ context.Context, op *api.Operation, req any) (any, error) {
		called = op.Name
		if reflect.TypeOf(req) != op.Request {
			t.Errorf("%s: request of type %T", op.Name, req)
		}
		return reflect.Zero(op.Answer).Interface(), nil
	})
	var want, got []string
	for _, o := range api.Operations {
		got = append(got, o.Name)
		if o.Summary == "" || strings.HasSuffix(o.Summary, ".") {
			t.Errorf("%s: summary %q", o.Name, o.Summary)
		}
		called = ""
		if _, err := o.Call(t.Context(), svc, nil); err != nil || called != o.Name {
			t.Errorf("%s calls %s, %v", o.Name, called, err)
		}
	}
	service := reflect.TypeFor[api.Service]()
	for m := range service.Methods() {
		name := nameOf(m.Name)
		want = append(want, name)
		o := api.OperationNamed(name)
		if o == nil {
			t.Errorf("Service.%s has no row %q in api.Operations", m.Name, name)
			continue
		}
		if m.Type.Out(0) != o.Answer || m.Type.NumIn() == 2 && m.Type.In(1) != o.Request {
			t.Errorf("%s: takes %v and answers %v, the table says %v and %v", name, m.Type.In(1), m.Type.Out(0), o.Request, o.Answer)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("operations (-service +table):\n%s", diff)
	}
}

// TestRequestsAreRead: a request that is none is told in the words of JSON, and
// nothing is called.
func TestRequestsAreRead(t *testing.T) {
	svc := api.Through(func(context.Context, *api.Operation, any) (any, error) {
		t.Error("called")
		return nil, nil
	})
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
			_, err := api.OperationNamed("query").Call(t.Context(), svc, []byte(tc.text))
			if fovea.KindOf(err) != fovea.Invalid || err.Error() != tc.want {
				t.Errorf("%v, want %s", err, tc.want)
			}
		})
	}
	if api.OperationNamed("no such") != nil {
		t.Error("found an operation that is none")
	}
}
