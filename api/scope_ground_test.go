// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
)

// TestScopesThatLostTheirGround: the store of a project or session lies in the state
// folder too. Where its journal was taken away, under an open memory or before the next
// opening, everybody who names the scope is warned, and the status of the memex says it.
func TestScopesThatLostTheirGround(t *testing.T) {
	losses := map[string]func(folder string) error{
		"journal renamed": func(folder string) error { return os.Rename(folder+"/journal", folder+".journal") },
		"journal emptied": func(folder string) error { return os.Remove(folder + "/journal/00000001.j") },
		"journal a copy":  func(folder string) error { return replaceByCopy(folder + "/journal") },
		"folder removed":  os.RemoveAll,
		"folder a copy":   replaceByCopy,
		"every scope is moved": func(folder string) error {
			scopes := filepath.Dir(folder)
			return os.Rename(scopes, filepath.Join(filepath.Dir(scopes), "quarantine", "aside"))
		},
	}
	for scope, named := range map[string]api.Scopes{"project/kap": {Project: "kap"}, "session/s1": {Session: "s1"}} {
		for name, lose := range losses {
			for _, reopened := range []bool{false, true} {
				if reopened && !strings.HasPrefix(name, "journal") || reopened && name == "journal a copy" {
					continue // a copy is as good then; for a whole folder see what the key remembers
				}
				what := scope + ", " + name
				if reopened {
					what += ", reopened"
				}
				t.Run(what, func(t *testing.T) {
					dir, state := t.TempDir(), filepath.Join(t.TempDir(), "state")
					if err := os.WriteFile(filepath.Join(dir, "a.org"), []byte("* Note\n"), 0o644); err != nil {
						t.Fatal(err)
					}
					var m *fovea.Memory
					var told string
					open := func() (svc api.Service) {
						var err error
						if m, err = fovea.Open(t.Context(), dir, &fovea.Options{StateDir: state}); err != nil {
							t.Fatal(err)
						}
						return api.NewLocal(m, &api.LocalOptions{Warn: func(err error) { told += err.Error() + "\n" }})
					}
					svc := open()
					defer func() { m.Close() }()
					ctx := author.WithScopes(t.Context(), named)
					tree := json.RawMessage(`{"type":"headline","properties":{"ID":"a","TITLE":"Ape"}}`)
					if _, err := api.OpIngestTree.Call(ctx, svc, api.IngestTreeRequest{AST: tree}); err != nil || told != "" {
						t.Fatal(err, told)
					}
					if reopened {
						if err := m.Close(); err != nil {
							t.Fatal(err)
						}
					}
					if err := lose(filepath.Join(state, "scopes", strings.ReplaceAll(scope, "/", "-"))); err != nil {
						t.Fatal(err)
					}
					if reopened {
						svc = open()
					}
					if _, err := api.OpLog.Call(ctx, svc, api.LogRequest{}); err == nil && !strings.Contains(told, scope+" cannot be written") {
						t.Errorf("the caller of log is told %q", told)
					}
					st, err := api.OpStatus.Call(t.Context(), svc, api.StatusRequest{})
					if err != nil || !strings.Contains(st.ReadOnly, scope) {
						t.Errorf("status of the memex: %v, read-only %q", err, st.ReadOnly)
					}
					if _, err := api.OpIngestTree.Call(ctx, svc, api.IngestTreeRequest{AST: bytes.ReplaceAll(tree, []byte("Ape"),
						[]byte("Bee"))}); fovea.KindOf(err) != fovea.ReadOnly && fovea.KindOf(err) != fovea.Corrupt {
						t.Errorf("a write ends with %v", err)
					}
				})
			}
		}
	}
}

// replaceByCopy puts a copy in the place of a folder.
func replaceByCopy(folder string) error {
	return errors.Join(os.CopyFS(folder+".copy", os.DirFS(folder)), os.RemoveAll(folder), os.Rename(folder+".copy", folder))
}
