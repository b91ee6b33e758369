// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
)

// TestLostFilesAndRights: an agent's way back writes the lost files that it may write
// and no other; the owner's writes all.
func TestLostFilesAndRights(t *testing.T) {
	files := map[string]string{
		"core.org": "* Core\n", "skills/s.org": "* Skill\n", "agents/ada/own.org": "* Own\n", "agents/ada/ROM.org": "* Rom\n",
		"agents/bob/his.org": "* His\n", "tasks.org": "* Task\n",
	}
	for i := range 20 {
		files[fmt.Sprintf("journal/%d.org", i)] = fmt.Sprintf("* Day %d\n", i)
	}
	person, _ := serve(t, files)
	ada := ops.Hold(person, api.Grant{Agent: "ada", Role: api.Agent})
	st, err := api.OpStatus.Call(t.Context(), person, api.StatusRequest{})
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(st.Memex)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(st.Memex, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		name string
		back func() (*api.RollbackResponse, error)
		want []string
	}{
		{"an agent's rollback", func() (*api.RollbackResponse, error) {
			return api.OpRollback.Call(fovea.WithActor(t.Context(), author.Actor{Author: author.Named("ada")}), ada, api.RollbackRequest{To: "seq:1"})
		}, []string{"agents/ada/own.org", "tasks.org"}},
		{"the owner's restore", func() (*api.RollbackResponse, error) {
			r, err := api.OpRestore.Call(t.Context(), person, api.RestoreRequest{Missing: true})
			if err != nil {
				return nil, err
			}
			return &r.RollbackResponse, nil
		}, slices.DeleteFunc(slices.Sorted(maps.Keys(files)), func(p string) bool { return p == "agents/ada/own.org" || p == "tasks.org" })},
	} {
		r, err := step.back()
		if err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if diff := cmp.Diff(step.want, r.RestoredFiles); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
	if _, err := api.OpRestore.Call(t.Context(), ada, api.RestoreRequest{Missing: true}); fovea.KindOf(err) != fovea.Denied {
		t.Errorf("an agent restores: %v", err)
	}
}

// TestRestoreRefuses: what a request cannot mean is said, and nothing is written.
func TestRestoreRefuses(t *testing.T) {
	svc, _ := serve(t, map[string]string{"a.org": "* A\n"})
	if _, err := api.OpSnapshot.Call(t.Context(), svc, api.SnapshotRequest{Name: "kept"}); err != nil {
		// the memory is empty until something is read
		t.Fatal(err)
	}
	for _, tc := range []struct {
		req  api.RestoreRequest
		kind fovea.Kind
	}{
		{api.RestoreRequest{Name: "kept", Missing: true}, fovea.Invalid},
		{api.RestoreRequest{Files: []string{"a.org"}, Missing: true}, fovea.Invalid},
		{api.RestoreRequest{Missing: true, At: "kept"}, fovea.Invalid},
		{api.RestoreRequest{Missing: true, MemoryOnly: true}, fovea.Invalid},
		{api.RestoreRequest{Files: []string{"../a.org"}}, fovea.NotFound},
		{api.RestoreRequest{Files: []string{"never.org"}}, fovea.NotFound},
		{api.RestoreRequest{Files: []string{"a.org"}, At: "nowhere"}, fovea.NotFound},
	} {
		if _, err := api.OpRestore.Call(t.Context(), svc, tc.req); fovea.KindOf(err) != tc.kind {
			t.Errorf("%+v: %v, want %v", tc.req, err, tc.kind)
		}
	}
}
