// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
)

// Without a moment, a difference is what changed since the last snapshot; a
// memory that has none yet has changed nothing, or what the folder has now.
func TestDiffBeforeTheFirstSnapshot(t *testing.T) {
	svc, write := serve(t, map[string]string{"a.org": "* One\n"})
	for _, step := range []struct {
		name, text string
		added      int
	}{{"empty memory", "", 0}, {"nothing changed", "", 0}, {"a headline more", "* One\n* Two\n", 1}} {
		if step.text != "" {
			write("a.org", step.text)
		}
		d, err := api.OpDiff.Call(t.Context(), svc, api.DiffRequest{})
		if err != nil || len(d.Added) != step.added {
			t.Errorf("%s: %+v, %v", step.name, d, err)
		}
	}
}

// A version is shown by the name a person gives the node, as anything else is.
func TestShowVersionByTitle(t *testing.T) {
	svc, write := serve(t, map[string]string{"a.org": "* One\nold\n"})
	old, err := api.OpShow.Call(t.Context(), svc, api.ShowRequest{ID: "One"})
	if err != nil {
		t.Fatal(err)
	}
	write("a.org", "* One\nnew\n")
	got, err := api.OpShow.Call(t.Context(), svc, api.ShowRequest{ID: "One", At: old.Digest})
	if err != nil || got.Content != "* One\nold\n" {
		t.Errorf("%+v, %v", got, err)
	}
}

// The log of a title that two nodes have says so, as show does.
func TestLogOfAnAmbiguousTitle(t *testing.T) {
	svc, _ := serve(t, map[string]string{"a.org": "* One\n* One\n"})
	if _, err := api.OpLog.Call(t.Context(), svc, api.LogRequest{ID: "One"}); fovea.KindOf(err) != fovea.Ambiguous {
		t.Errorf("got %v, want an ambiguous name", err)
	}
}

// A path may be one that a shell completed or an editor knows a file by.
func TestPathsFromOutside(t *testing.T) {
	svc, _ := serve(t, map[string]string{"a.org": "intro\n* One\n"})
	st, err := api.OpStatus.Call(t.Context(), svc, api.StatusRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.org:2", "./a.org:2", st.Memex + "/a.org:2", st.Memex + "/a.org:+6"} {
		if n, err := api.OpShow.Call(t.Context(), svc, api.ShowRequest{ID: name}); err != nil || n.Title != "One" {
			t.Errorf("show %s: %+v, %v", name, n, err)
		}
		if c, err := api.OpLog.Call(t.Context(), svc, api.LogRequest{ID: name}); err != nil || len(c) != 1 {
			t.Errorf("log %s: %+v, %v", name, c, err)
		}
		if _, err := api.OpContext.Call(t.Context(), svc, api.ContextRequest{Focus: name, Budget: 500, Counter: "estimate"}); err != nil {
			t.Errorf("context %s: %v", name, err)
		}
	}
}
