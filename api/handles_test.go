// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
)

// handleOf returns the handle of a node.
func handleOf(t *testing.T, svc api.Service, name string) string {
	t.Helper()
	n, err := api.OpShow.Call(t.Context(), svc, api.ShowRequest{ID: name})
	if err != nil {
		t.Fatal(err)
	}
	if len(n.Handle) != 5 || n.Handle == n.ID {
		t.Fatalf("the handle of %s is %q", name, n.Handle)
	}
	return n.Handle
}

// TestEachOperationTakesHandles calls every operation that is about a node by its handle,
// and looks for the handle in every answer that lists nodes.
func TestEachOperationTakesHandles(t *testing.T) {
	svc, _ := serve(t, map[string]string{
		"a.org": "* Gauge\n:PROPERTIES:\n:ID: gauge\n:END:\nspeaks LoRa\n- [ ] tick\n* Weight\n:PROPERTIES:\n:ID: weight\n:END:\n* Bare\n",
	})
	ctx := t.Context()
	gauge, weight, bare := handleOf(t, svc, "gauge"), handleOf(t, svc, "weight"), handleOf(t, svc, "Bare")
	edit := func(r *api.EditResponse, err error) (any, error) { return r, err }
	for _, step := range []struct {
		name string
		call func() (any, error)
		want string // in the answer as JSON
	}{
		{"show", func() (any, error) { return api.OpShow.Call(ctx, svc, api.ShowRequest{ID: gauge}) }, `"handle":"` + gauge + `"`},
		{"show as it was", func() (any, error) {
			return api.OpShow.Call(ctx, svc, api.ShowRequest{ID: gauge, At: "seq:1"})
		}, `"handle":"` + gauge + `"`},
		{"element", func() (any, error) {
			return api.OpShow.Call(ctx, svc, api.ShowRequest{ID: gauge + "::item.1"})
		}, `"handle":"` + gauge + `::item.1"`},
		{"search", func() (any, error) {
			return api.OpSearch.Call(ctx, svc, api.SearchRequest{Text: "LoRa", Query: "id:" + gauge})
		}, `"handle":"` + gauge + `"`},
		{"query", func() (any, error) { return api.OpQuery.Call(ctx, svc, api.QueryRequest{Query: "id:" + weight}) }, `"handle":"` + weight + `"`},
		{"context", func() (any, error) {
			return api.OpContext.Call(ctx, svc, api.ContextRequest{Focus: gauge})
		}, `* ` + gauge + ` Gauge\n speaks LoRa`},
		{"context of a signal", func() (any, error) {
			return api.OpContext.Call(ctx, svc, api.ContextRequest{FovealFocus: gauge})
		}, `"handle":"` + gauge + `"`},
		{"log", func() (any, error) { return api.OpLog.Call(ctx, svc, api.LogRequest{ID: gauge}) }, `"seq":1`},
		{"blame", func() (any, error) { return api.OpBlame.Call(ctx, svc, api.BlameRequest{ID: gauge}) }, `"id":"gauge"`},
		{"edit", func() (any, error) {
			return edit(api.OpEdit.Call(ctx, svc, api.EditRequest{ID: gauge, Append: new("More.")}))
		}, `"handle":"` + gauge + `"`},
		{"refile", func() (any, error) { return edit(api.OpRefile.Call(ctx, svc, api.MoveRequest{ID: weight, To: gauge})) }, `"id":"weight"`},
		{"remember", func() (any, error) {
			return edit(api.OpRemember.Call(ctx, svc, api.RememberRequest{Title: "New", Under: gauge, Property: []string{"ID=new"}}))
		}, `"handle":"`},
		{"resolve", func() (any, error) { return edit(api.OpResolve.Call(ctx, svc, api.ResolveRequest{ID: gauge})) }, "no conflict"},
		{"assign", func() (any, error) { return api.OpAssignIDs.Call(ctx, svc, api.AssignRequest{IDs: []string{bare}}) }, `"title":"Bare"`},
		{"archive", func() (any, error) { return edit(api.OpArchive.Call(ctx, svc, api.MoveRequest{ID: weight})) }, `"id":"weight"`},
		{"ingest below", func() (any, error) {
			return api.OpIngestTree.Call(ctx, svc, api.IngestTreeRequest{AST: json.RawMessage(`{"type":"note","properties":{"ID":"tree"}}`), Parent: gauge})
		}, "file"}, // a tree cannot hang below a node of a file, which is thus found
		{"forget", func() (any, error) { return edit(api.OpForget.Call(ctx, svc, api.MoveRequest{ID: gauge})) }, `"seq":`},
		{"log of what is gone", func() (any, error) { return api.OpLog.Call(ctx, svc, api.LogRequest{ID: gauge}) }, `"seq":1`},
		{"show of what is gone", func() (any, error) { return api.OpShow.Call(ctx, svc, api.ShowRequest{ID: gauge, At: "seq:1"}) }, `speaks LoRa`},
		{"purge of what is gone", func() (any, error) {
			return api.OpPurge.Call(ctx, svc, api.PurgeRequest{IDs: []string{gauge}, DryRun: true})
		}, `"versions":`},
	} {
		answer, err := step.call()
		text, encodeErr := json.Marshal(answer)
		if encodeErr != nil {
			t.Fatal(encodeErr)
		}
		all := string(text)
		if err != nil {
			all = err.Error()
		}
		if !strings.Contains(all, step.want) || strings.Contains(all, "no such node") {
			t.Errorf("%s: no %s in %s", step.name, step.want, all)
		}
	}
}

// TestHandlesNeverPassOn: the handle of a note that is gone names no other, even one that
// bears it as title, id or path.
func TestHandlesNeverPassOn(t *testing.T) {
	svc, write := serve(t, map[string]string{"a.org": "* Gauge\n:PROPERTIES:\n:ID: gauge\n:END:\n"})
	gauge := handleOf(t, svc, "gauge")
	write("a.org", "* Other\n")
	if _, err := api.OpShow.Call(t.Context(), svc, api.ShowRequest{ID: gauge}); fovea.KindOf(err) != fovea.NotFound {
		t.Errorf("the handle of what is gone: %v", err)
	}
	for _, text := range []string{"* " + gauge + "\n", "* Other\n:PROPERTIES:\n:ID: " + gauge + "\n:END:\n"} {
		write("a.org", text)
		for _, name := range []string{gauge, "id:" + gauge} {
			n, err := api.OpShow.Call(t.Context(), svc, api.ShowRequest{ID: name})
			exact := err == nil && name != gauge && n.ID == gauge
			if kind := fovea.KindOf(err); kind != fovea.Ambiguous && kind != fovea.NotFound && !exact {
				t.Errorf("%q means %+v, %v in %q", name, n, err, text)
			}
		}
	}
	write("a.org", "* Gauge\n:PROPERTIES:\n:ID: gauge\n:END:\n")
	if again := handleOf(t, svc, "gauge"); again != gauge {
		t.Errorf("the node came back with the handle %q, it had %q", again, gauge)
	}
}
