// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"encoding/json"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
)

// TestBareScopes proves that session and project alone are those of the call, in the request as in the tree,
// and that a call without one is told to name it.
func TestBareScopes(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* a\n"})
	w.ingest()
	owner := author.WithScopes(t.Context(), api.Scopes{Session: "s", Project: "p"})
	kid := `{"type":"HEADLINE","properties":{"ID":"k","TITLE":"k"}}`
	ada := w.desk("ada", "")
	ada.ctx = author.WithGrant(ada.ctx, api.Grant{Agent: "ada", Role: api.Agent, Operations: []string{"ingest-tree"}})
	for _, tc := range []struct {
		name, tree, scope string
		d                 *agentDesk
		want              string
	}{
		{"session of the call", "", "session", &agentDesk{w, owner, api.NewLocal(w.m, nil)}, "session/s"},
		{"project of the call", "", "project", &agentDesk{w, owner, api.NewLocal(w.m, nil)}, "project/p"},
		{"session of the tree", `,"scope":"session","contents":[` + kid + `]`, "", &agentDesk{w, owner, api.NewLocal(w.m, nil)}, "session/s"},
		{"session of an agent", "", "session", ada, "session/ada"},
		{"no session", "", "session", &agentDesk{w, t.Context(), api.NewLocal(w.m, nil)}, ""},
		{"no project", "", "project", ada, ""},
	} {
		tree := `{"type":"HEADLINE","properties":{"ID":"` + tc.name + `","TITLE":"t"}` + tc.tree + `}`
		r, err := api.OpIngestTree.Call(tc.d.ctx, tc.d.svc, api.IngestTreeRequest{AST: json.RawMessage(tree), Scope: tc.scope})
		switch {
		case tc.want == "":
			if fovea.KindOf(err) != fovea.Invalid {
				t.Errorf("%s: %v, want invalid", tc.name, err)
			}
		case err != nil || r.Scope != tc.want:
			t.Errorf("%s: %+v, %v", tc.name, r, err)
		}
	}
}
