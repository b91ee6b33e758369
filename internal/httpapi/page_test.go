// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/httpapi"
)

// TestPagesBesideAWriter: where somebody writes while a page is made, the pages are
// those of one list, or who asks is told to begin again.
func TestPagesBesideAWriter(t *testing.T) {
	for _, tc := range []struct {
		name   string
		writes int // the first so many requests for the list meet one
		second int // of the second page
	}{
		{"nobody writes", 0, 200},
		{"once", 1, 200},
		{"again and again", 2, 409},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := open(t, map[string]string{"b.org": "* TODO B1\n* TODO B2\n* TODO B3\n"})
			s.ask("POST", "/v1/ingest", "{}")
			asked := 0
			s.through(func(ctx context.Context, c api.Call) (any, error) {
				list, err := api.NewLocal(s.m, nil)(ctx, c)
				if asked++; c.Op.Name == "query" && asked <= tc.writes {
					s.write(fmt.Sprintf("a%d.org", asked), "* TODO A\n")
					err = s.m.Ingest(ctx, nil)
				}
				return list, err
			})
			first := s.ask("GET", "/v1/query?limit=2&query=todo%3ATODO", "")
			next, _, _ := strings.Cut(strings.TrimPrefix(first.header.Get("Link"), "<"), ">")
			second := s.ask("GET", next, "")
			if got := second.status; got != tc.second {
				t.Fatalf("second page: %d %s, want %d", got, second.body, tc.second)
			}
			if second.status != 200 {
				return
			}
			var one, two, all []api.Node
			for text, into := range map[*[]byte]*[]api.Node{&first.body: &one, &second.body: &two} {
				if err := json.Unmarshal(*text, into); err != nil {
					t.Fatal(err)
				}
			}
			if err := json.Unmarshal(s.ask("POST", "/v1/query", `{"query":"todo:TODO"}`).body, &all); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(all, append(one, two...)); diff != "" {
				t.Errorf("pages (-list +pages):\n%s", diff)
			}
		})
	}
}

// through puts something between the server and its memory.
func (s *site) through(svc api.Service) {
	server := httptest.NewServer(httpapi.New(httpapi.Options{
		Service: svc, Feed: s.feed,
		Hello: func() api.Hello {
			return api.Hello{Protocol: api.Protocol, Memex: s.dir, Root: s.m.View().Root().String(), Seq: s.m.View().Head().Seq}
		},
	}).Handler(admit))
	s.t.Cleanup(server.Close)
	s.url = server.URL
}
