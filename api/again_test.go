// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/merkle"
)

// TestAgain: a request that comes again under its op gets the answer of the first
// time, though the node that it names by its title is called otherwise, or gone.
func TestAgain(t *testing.T) {
	title := "New title"
	for name, call := range map[string]func(ctx context.Context, svc api.Service) (*api.EditResponse, error){
		"retitled": func(ctx context.Context, svc api.Service) (*api.EditResponse, error) {
			return api.OpEdit.Call(ctx, svc, api.EditRequest{ID: "One", Title: &title})
		},
		"forgotten": func(ctx context.Context, svc api.Service) (*api.EditResponse, error) {
			return api.OpForget.Call(ctx, svc, api.MoveRequest{ID: "One"})
		},
		"remembered": func(ctx context.Context, svc api.Service) (*api.EditResponse, error) {
			return api.OpRemember.Call(ctx, svc, api.RememberRequest{Title: "Three", Under: "Two"})
		},
		"refiled": func(ctx context.Context, svc api.Service) (*api.EditResponse, error) {
			return api.OpRefile.Call(ctx, svc, api.MoveRequest{ID: "One", To: "Two"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			svc, _ := serve(t, map[string]string{"a.org": "* One\n** Below\n* Two\n"})
			ctx := fovea.WithActor(t.Context(), author.Actor{Author: author.Named("mint"), May: func(string) error { return nil }})
			svc = api.WithKey(svc, "op-1")
			first, err := call(ctx, svc)
			if err != nil {
				t.Fatal(err)
			}
			again, err := call(ctx, svc)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(first, again); diff != "" {
				t.Errorf("(-first +again):\n%s", diff)
			}
			if log, err := api.OpLog.Call(t.Context(), svc, api.LogRequest{}); err != nil || len(log) != 2 {
				t.Errorf("%d commits, %v", len(log), err)
			}
		})
	}
}

// TestBaseOfNothing: a base that names no text is refused, not taken for none.
func TestBaseOfNothing(t *testing.T) {
	svc, _ := serve(t, map[string]string{"a.org": "* One\n"})
	title := "New title"
	for _, base := range []string{"zzz", merkle.Digest{}.String()} {
		_, err := api.OpEdit.Call(t.Context(), svc, api.EditRequest{ID: "One", Title: &title, Base: base})
		if fovea.KindOf(err) != fovea.Invalid {
			t.Errorf("%s: %v", base, err)
		}
	}
}
