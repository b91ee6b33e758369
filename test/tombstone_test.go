// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
)

// asAda keeps a note of an agent and returns the kind of the error.
func asAda(t *testing.T, m *fovea.Memory, title, body string) (kept, fovea.Kind) {
	t.Helper()
	r, err := remember(fovea.WithActor(t.Context(), author.Actor{Author: author.Named("ada"), May: anywhere}), m, "agents/ada/", title, body)
	if err == nil {
		return r, fovea.Other
	}
	return r, fovea.KindOf(err)
}

// TestForget: no agent brings back what was forgotten, after a restart too; the
// person does, and so does going back to before.
func TestForget(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* The code of the door\n1234\n** Notes\n** Spare key\nUnder the mat.\n* Other\n"})
	n := get(t, w.ingest(), "The code of the door")
	if _, err := w.m.Notes().Forget(t.Context(), n.ID, nil); err != nil {
		t.Fatal(err)
	}
	if got := w.onDisk()["a.org"]; got != "* Other\n" {
		t.Errorf("the file holds %q", got)
	}
	for _, how := range []string{"at once", "from the journal", "from an image"} {
		if _, kind := asAda(t, w.m, "the CODE of the door", " 1234"); kind != fovea.Denied {
			t.Errorf("%s: the note comes back: %v", how, kind)
		}
		if _, kind := asAda(t, w.m, "Spare key", "under the mat."); kind != fovea.Denied {
			t.Errorf("%s: what stood below comes back: %v", how, kind)
		}
		if how == "from the journal" {
			w.saved(map[string]string{"large.org": large("Large")})
		}
		w.reopen()
	}
	if r, kind := asAda(t, w.m, "Notes", ""); kind != fovea.Other || r.Known {
		t.Errorf("a title without text is taken: %v", kind)
	}
	if _, err := remember(t.Context(), w.m, "b.org", "The code of the door", "1234"); err != nil {
		t.Errorf("the person may not: %v", err)
	}
	if r, kind := asAda(t, w.m, "The code of the door", "1234"); kind != fovea.Other || !r.Known {
		t.Errorf("what the person has: %+v, %v", r, kind)
	}
	if err := os.Remove(filepath.Join(w.dir, "b.org")); err != nil {
		t.Fatal(err)
	}
	w.ingest()
	if _, kind := asAda(t, w.m, "The code of the door", "1234"); kind != fovea.Denied {
		t.Errorf("when the person's file is gone: %v", kind)
	}
}

// TestForgetTakenBack: a rollback or a revert of the forgetting ends it, and a
// rollback of that brings it again.
func TestForgetTakenBack(t *testing.T) {
	for _, how := range []string{"rollback", "memory only", "revert"} {
		t.Run(how, func(t *testing.T) {
			w := newWorld(t, map[string]string{"a.org": "* One\ntext\n* Other\n"})
			id := get(t, w.ingest(), "One").ID
			c, err := w.m.Notes().Forget(t.Context(), id, nil)
			if err != nil {
				t.Fatal(err)
			}
			if how == "revert" {
				_, _, _, err = w.m.History().Revert(t.Context(), []uint64{c.Seq}, nil)
			} else {
				_, _, err = w.m.History().Rollback(t.Context(), "0", &fovea.WriteOptions{MemoryOnly: how == "memory only"})
			}
			if err != nil {
				t.Fatal(err)
			}
			w.reopen()
			if r, kind := asAda(t, w.m, "One", "text"); kind != fovea.Other || r.ID != id {
				t.Errorf("it stands again, and is answered: %+v, %v", r, kind)
			}
			if how == "memory only" {
				return
			}
			w.write(map[string]string{"a.org": "* Other\n"})
			w.ingest()
			r, kind := asAda(t, w.m, "One", "text")
			if kind != fovea.Other || r.Known {
				t.Errorf("after the person took it out of the file: %+v, %v", r, kind)
			}
			if _, _, err := w.m.History().Rollback(t.Context(), "seq:2", nil); err != nil {
				t.Fatal(err)
			}
			if _, kind := asAda(t, w.m, "One", "text"); kind != fovea.Denied {
				t.Errorf("back to when it was forgotten: %v", kind)
			}
		})
	}
}

// TestForgetOfOnesOwn: who alone has forgotten a note may remember it again, however it
// is kept, and that ends the forgetting for others too. Nobody but the owner takes back
// what somebody else has forgotten, also by forgetting it once more.
func TestForgetOfOnesOwn(t *testing.T) {
	for _, how := range []string{"at once", "from the journal", "from an image"} {
		t.Run(how, func(t *testing.T) {
			w := newWorld(t, map[string]string{"a.org": "* Other\n"})
			w.ingest()
			images := 0
			again := func() {
				if how == "from an image" {
					images++
					w.saved(map[string]string{"large.org": large(images)})
				}
				if how != "at once" {
					w.reopen()
				}
			}
			as := func(who author.Author) context.Context {
				return fovea.WithActor(t.Context(), author.Actor{Author: who, May: anywhere})
			}
			keep := func(who author.Author, want fovea.Kind) {
				t.Helper()
				again()
				if _, err := remember(as(who), w.m, "notes.org", "The code", "1234"); fovea.KindOf(err) != want || want == fovea.Other && err != nil {
					t.Errorf("%s keeps it: %v, want %v", who, err, want)
				}
			}
			forget := func(who author.Author) {
				t.Helper()
				again()
				if _, err := w.m.Notes().Forget(as(who), get(t, w.m.View(), "The code").ID, nil); err != nil {
					t.Fatal(err)
				}
			}
			cut := func() { // by hand, which forgets nothing
				t.Helper()
				w.write(map[string]string{"notes.org": "* Nothing\n"})
				w.ingest()
			}
			ada, bob := author.Named("ada"), author.Named("bob")
			keep(ada, fovea.Other)
			forget(ada)
			keep(bob, fovea.Denied)
			keep(ada, fovea.Other)
			cut()
			keep(bob, fovea.Other) // ada has taken her forgetting back
			forget(bob)
			keep(bob, fovea.Other)
			forget(byOwner)
			keep(ada, fovea.Denied)
			keep(bob, fovea.Denied)
			keep(byOwner, fovea.Other)
			forget(ada) // once more: it does not become hers
			keep(ada, fovea.Denied)
			keep(byOwner, fovea.Other)
			there := fmt.Sprintf("seq:%d", w.m.View().Head().Seq)
			forget(byOwner)
			if _, _, err := w.m.History().Rollback(as(ada), there, nil); err != nil {
				t.Fatal(err)
			}
			cut()
			keep(ada, fovea.Denied) // what an agent brings back stays forgotten
			if _, _, err := w.m.History().Rollback(as(byOwner), there, nil); err != nil {
				t.Fatal(err)
			}
			cut()
			keep(ada, fovea.Other)
		})
	}
}
