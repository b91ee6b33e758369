// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
)

// TestDiffText: the lines that changed, where they stand in their files, with
// their line ends.
func TestDiffText(t *testing.T) {
	for _, tc := range []struct {
		name, old, now string
		want           api.Difference
	}{
		{
			"body", "* One\na\n* Two\nb\n", "* One\na\n* Two\nc\n",
			api.Difference{Changed: []api.Changed{{Title: "Two", Text: "--- a.org\n+++ a.org\n@@ -3,2 +3,2 @@\n * Two\n-b\n+c\n"}}},
		},
		{
			"line end", "* One\na\r\n", "* One\na\n",
			api.Difference{Changed: []api.Changed{{Title: "One", Text: "--- a.org\n+++ a.org\n@@ -1,2 +1,2 @@\n * One\n-a\r\n+a\n"}}},
		},
		{
			"no final line end", "* One\na\n", "* One\na",
			api.Difference{Changed: []api.Changed{{Title: "One",
				Text: "--- a.org\n+++ a.org\n@@ -1,2 +1,2 @@\n * One\n-a\n+a\n\\ No newline at end of file\n"}}},
		},
		{
			"comes", "* One\n", "* One\n* Two\nb\n",
			api.Difference{Added: []api.Changed{{Title: "Two", Text: "--- /dev/null\n+++ a.org\n@@ -0,0 +2,2 @@\n+* Two\n+b\n"}}},
		},
		{
			"goes", "* One\n* Two\n", "* One\n",
			api.Difference{Removed: []api.Changed{{Title: "Two", Text: "--- a.org\n+++ /dev/null\n@@ -2 +0,0 @@\n-* Two\n"}}},
		},
		{
			"goes by another id", "* One\nthe long body of it\n", "* Uno\nthe long body of it\n",
			api.Difference{
				Added:   []api.Changed{{Title: "Uno", Was: "id", Text: "--- a.org\n+++ a.org\n@@ -1,2 +1,2 @@\n-* One\n+* Uno\n the long body of it\n"}},
				Removed: []api.Changed{{Title: "One"}},
			},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			svc, write := serve(t, map[string]string{"a.org": tc.old})
			if _, err := api.OpIngest.Call(t.Context(), svc, api.IngestRequest{}); err != nil {
				t.Fatal(err)
			}
			write("a.org", tc.now)
			got, err := api.OpDiff.Call(t.Context(), svc, api.DiffRequest{From: "head", Text: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, list := range []*[]api.Changed{&got.Added, &got.Removed, &got.Changed, &got.Moved} {
				kept := (*list)[:0]
				for _, c := range *list {
					if c.ID, c.Path = "", ""; c.Was != "" {
						c.Was = "id"
					}
					if c.Title != "a" { // the document, whose children changed
						kept = append(kept, c)
					}
				}
				if *list = kept; len(kept) == 0 {
					*list = nil
				}
			}
			if diff := cmp.Diff(&tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestNothingYet: a memory of an empty folder answers what lists with empty lists.
func TestNothingYet(t *testing.T) {
	svc, _ := serve(t, nil)
	d, err := api.OpDiff.Call(t.Context(), svc, api.DiffRequest{})
	if diff := cmp.Diff(&api.Difference{Added: []api.Changed{}, Removed: []api.Changed{}, Changed: []api.Changed{}, Moved: []api.Changed{}}, d); err != nil ||
		diff != "" {
		t.Errorf("diff: %v, (-want +got):\n%s", err, diff)
	}
	log, err := api.OpLog.Call(t.Context(), svc, api.LogRequest{})
	if err != nil || len(log) != 0 {
		t.Errorf("log: %v, %v", log, err)
	}
}

// TestTheOwnerReadsAll: what is withheld from others is the owner's to see, in history
// and in what changed.
func TestTheOwnerReadsAll(t *testing.T) {
	r := hidden["rejected"](t)
	d, err := api.OpDiff.Call(t.Context(), r.owner, api.DiffRequest{From: "ingest", To: "changed", Text: true})
	if err != nil || !strings.Contains(fmt.Sprint(d), "zy9body") || len(d.Added) == 0 {
		t.Errorf("%+v, %v", d, err)
	}
	agent := author.WithGrant(t.Context(), api.Grant{Agent: "ada", Role: api.Agent})
	d, err = api.OpDiff.Call(agent, r.owner, api.DiffRequest{From: "ingest", To: "changed", Text: true})
	if err != nil || !slices.Equal(d.Lockdown, []string{"skills/plan.org"}) || len(d.Added)+len(d.Removed)+len(d.Changed)+len(d.Moved) > 0 {
		t.Errorf("an agent: %+v, %v", d, err)
	}
	if d, err = api.OpDiff.Call(agent, r.owner, api.DiffRequest{From: "ingest", To: "rejected"}); err != nil || len(d.Lockdown)+len(d.Changed) > 0 {
		t.Errorf("between two moments that are trusted: %+v, %v", d, err)
	}
}

// TestARollbackReadsTheFolderOnce: what a dry run says is asked for by dry runs alone.
func TestARollbackReadsTheFolderOnce(t *testing.T) {
	dir := t.TempDir()
	m, err := fovea.Open(t.Context(), dir, &fovea.Options{StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for _, text := range []string{"* One\n", "* Two\n"} {
		if err := os.WriteFile(filepath.Join(dir, "a.org"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := m.Ingest(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	reads := 0
	svc := api.NewLocal(m, &api.LocalOptions{Sync: func(context.Context) error { reads++; return nil }})
	for _, dry := range []bool{true, false} {
		reads = 0
		if _, err := api.OpRollback.Call(t.Context(), svc, api.RollbackRequest{To: "seq:1", DryRun: dry}); err != nil || reads != 1 {
			t.Errorf("dry run %v: %v, the folder is read %d times", dry, err, reads)
		}
	}
}
