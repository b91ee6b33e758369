// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
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
