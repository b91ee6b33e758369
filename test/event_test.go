// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
)

// TestOneEventIsUndone proves that what one event did, which commits name as their session, is
// undone exactly, whatever the same agent did for another event before, between and after: the
// files and the root are those of a memex in which the event never was.
func TestOneEventIsUndone(t *testing.T) {
	const notes = 12
	var text strings.Builder
	for i := range notes {
		fmt.Fprintf(&text, "* Note %d\n:PROPERTIES:\n:ID: n%d\n:END:\nbody %d\n", i, i, i)
	}
	for seed := range uint64(6) {
		play := func(withEvent bool) *world {
			r := rand.New(rand.NewPCG(seed, 1))
			w := newWorld(t, map[string]string{"a.org": text.String()})
			w.ingest()
			for step := range 25 {
				event, id := r.IntN(3) == 0, r.IntN(notes)
				edit := []document.Edit{
					document.SetTitle{Title: fmt.Sprint("Title ", step)}, document.SetTodo{Keyword: "TODO"}, document.AppendBody{Text: fmt.Sprint("line ", step)},
				}[r.IntN(3)]
				session := "event-8"
				if event {
					session, id = "event-7", id/2*2 // notes of its own: what both changed is a conflict
				} else {
					id = id/2*2 + 1
				}
				if event && !withEvent {
					continue
				}
				ctx := fovea.WithActor(t.Context(), author.Actor{Author: author.Named("ada"), Session: session, May: anywhere})
				if _, err := w.m.Notes().Edit(ctx, fmt.Sprint("n", id), nil, edit); err != nil && fovea.KindOf(err) != fovea.Invalid {
					t.Fatal(err)
				}
				if event && step%4 == 0 {
					if _, _, err := w.m.Notes().Insert(ctx, "a.org", document.InsertHeadline{Title: fmt.Sprint("New ", step)}, nil); err != nil {
						t.Fatal(err)
					}
				}
			}
			return w
		}
		w, want := play(true), play(false)
		svc := api.NewLocal(w.m, nil)
		owner := author.WithGrant(t.Context(), api.Grant{Role: api.Owner})
		r, err := api.OpRevert.Call(owner, svc, api.RevertRequest{Session: "event-7"})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.onDisk(), w.onDisk()); diff != "" || len(r.Conflicts) > 0 {
			t.Errorf("seed %d, %d commits, conflicts %v (-want +got):\n%s", seed, len(r.Commits), r.Conflicts, diff)
		}
		if w.m.View().Root() != want.m.View().Root() {
			t.Errorf("seed %d: the root differs", seed)
		}
	}
}
