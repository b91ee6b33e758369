// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
)

// A drift lasts as long as its file stays as it was seen, no longer: what ends
// it is told by the file, or by a rollback to what the file holds.
func TestDriftEnds(t *testing.T) {
	for _, tc := range []struct {
		name string
		end  func(*world) // of the drift of a.org, which holds two where memory has one
		want map[string]string
	}{
		{"changed", func(w *world) { w.write(map[string]string{"a.org": "* three\n"}) }, map[string]string{"a.org": "* three\n"}},
		{"removed", func(w *world) { w.remove("a.org") }, map[string]string{}},
		{"rolled back", func(w *world) {
			if _, files, err := w.m.History().Rollback(t.Context(), "0", nil); err != nil || len(files) > 0 {
				t.Fatalf("wrote %q, %v; the file had it already", files, err)
			}
		}, map[string]string{"a.org": "* two\n"}},
		{"rolled back, then removed", func(w *world) {
			if _, _, err := w.m.History().Rollback(t.Context(), "0", nil); err != nil {
				t.Fatal(err)
			}
			w.remove("a.org")
		}, map[string]string{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"a.org": "* one\n"})
			w.ingest()
			w.write(map[string]string{"a.org": "* two\n"})
			w.ingest()
			if _, _, err := w.m.History().Rollback(t.Context(), "0", &fovea.WriteOptions{MemoryOnly: true}); err != nil {
				t.Fatal(err)
			}
			w.reopen()
			if got := w.m.Status().Drift; !cmp.Equal(got, []string{"a.org"}) {
				t.Fatalf("drift of %q", got)
			}
			tc.end(w)
			got := documentsOf(w.ingest())
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
			w.reopen()
			if got := w.m.Status().Drift; len(got) > 0 {
				t.Errorf("still drift of %q", got)
			}
		})
	}
}

// A file whose removal memory took back stays absent until somebody writes it.
func TestDriftOfAnAbsentFile(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* one\n", "b.org": "* b\n"})
	before := w.ingest()
	w.remove("a.org")
	w.ingest()
	if _, _, err := w.m.History().Rollback(t.Context(), "0", &fovea.WriteOptions{MemoryOnly: true}); err != nil {
		t.Fatal(err)
	}
	w.reopen()
	if v := w.ingest(); v.Root() != before.Root() {
		t.Error("the document that memory has without a file was dropped")
	}
	w.write(map[string]string{"a.org": "* new\n"})
	if text, _ := w.ingest().Text("a.org"); text != "* new\n" {
		t.Errorf("the file that came was not taken: %q", text)
	}
}

// An empty file is not one that is absent.
func TestDriftOfAnEmptyFile(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* one\n"})
	w.ingest()
	w.write(map[string]string{"empty.org": ""})
	w.ingest()
	if _, _, err := w.m.History().Rollback(t.Context(), "0", &fovea.WriteOptions{MemoryOnly: true}); err != nil {
		t.Fatal(err)
	}
	if files, err := w.m.History().ApplyDrift(t.Context()); err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if diff := cmp.Diff(filesOf(w.m.View()), w.onDisk()); diff != "" {
		t.Errorf("files (-memory +folder):\n%s", diff)
	}
}

// With a store that cannot be written, a rollback leaves the files alone.
func TestRollbackOfAReadOnlyStore(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* one\n"})
	w.ingest()
	for _, text := range []string{"* two\n", "* three\n", "* four\n"} {
		w.write(map[string]string{"a.org": text})
		w.ingest()
	}
	if err := w.m.Close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(w.state, "journal", "00000001.j")
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)*3/4] ^= 0xff // before the last commit
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	w.open()
	if w.m.Status().ReadOnly == "" {
		t.Fatal("the damage was not seen")
	}
	_, _, err = w.m.History().Rollback(t.Context(), "0", &fovea.WriteOptions{Skip: true})
	if fovea.KindOf(err) != fovea.ReadOnly {
		t.Errorf("got %v, want a read-only error", err)
	}
	if got := w.onDisk()["a.org"]; got != "* four\n" {
		t.Errorf("the file holds %q now", got)
	}
}

// A file can be made opaque, and parsed again, by the configuration: its bytes
// stay, its nodes do not, and the store opens either way.
func TestOpaqueByConfiguration(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "#+TITLE: A\n* one\n** two\n", "b.org": "* b\n"})
	parsed := w.ingest()
	with := func(opaque ...string) fovea.View {
		t.Helper()
		if err := w.m.Close(); err != nil {
			t.Fatal(err)
		}
		m, err := fovea.Open(t.Context(), w.dir, &fovea.Options{StateDir: w.state, Now: w.now, Opaque: opaque})
		if err != nil {
			t.Fatal(err)
		}
		w.m = m
		return w.ingest()
	}
	opaque := with("a.org")
	if got, want := opaque.Len(), parsed.Len()-2; got != want {
		t.Errorf("%d nodes while opaque, want %d", got, want)
	}
	if again := with("a.org"); again.Root() != opaque.Root() || again.Head().Seq != opaque.Head().Seq {
		t.Error("a restart changed the opaque document")
	}
	if _, problems, err := w.m.Mending().Verify(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("verify: %v, %v", problems, err)
	}
	if got := with(); got.Root() != parsed.Root() {
		t.Error("parsed again, the root is another")
	}
}

// TestDriftEndsByWill: memory takes what files hold, or files get what memory has;
// all or none, and once under one op.
func TestDriftEndsByWill(t *testing.T) {
	drifting := func(t *testing.T) *world {
		w := newWorld(t, map[string]string{"a.org": "* one\n", "c.org": "* gone\n"})
		w.ingest()
		w.write(map[string]string{"a.org": "* two\n", "b.org": "* new\n"})
		w.remove("c.org")
		w.ingest()
		if _, _, err := w.m.History().Rollback(t.Context(), "0", &fovea.WriteOptions{MemoryOnly: true}); err != nil {
			t.Fatal(err)
		}
		if got := w.m.History().Drift(); len(got) != 3 || !got["c.org"][0].IsZero() || !got["b.org"][1].IsZero() || got["a.org"][0].IsZero() {
			t.Fatalf("drift %v", got)
		}
		return w
	}
	ended := func(t *testing.T, w *world, want map[string]string) {
		t.Helper()
		for _, when := range []string{"at once", "after a restart"} {
			if got := w.m.History().Drift(); len(got) > 0 {
				t.Errorf("%s: drift %v", when, got)
			}
			if diff := cmp.Diff(want, w.onDisk()); diff != "" {
				t.Errorf("%s: files (-want +got):\n%s", when, diff)
			}
			if diff := cmp.Diff(want, documentsOf(w.ingest())); diff != "" {
				t.Errorf("%s: memory (-want +got):\n%s", when, diff)
			}
			w.reopen()
		}
	}
	t.Run("adopt", func(t *testing.T) {
		w := drifting(t)
		ctx := fovea.WithActor(t.Context(), author.Actor{Author: author.Named("anna"), May: anywhere})
		c, files, err := w.m.History().AdoptDrift(ctx, withKey("op-1"))
		if diff := cmp.Diff([]string{"a.org", "b.org", "c.org"}, files); diff != "" || err != nil || c.Author != author.Named("anna") {
			t.Errorf("%+v, %v: %s", c, err, diff)
		}
		again, same, err := w.m.History().AdoptDrift(ctx, withKey("op-1"))
		if again.Seq != c.Seq || !cmp.Equal(same, files) || err != nil {
			t.Errorf("again %+v, %q, %v", again, same, err)
		}
		ended(t, w, map[string]string{"a.org": "* two\n", "b.org": "* new\n"})
	})
	t.Run("apply", func(t *testing.T) {
		w := drifting(t)
		before := w.m.History().Snapshots()
		if files, err := w.m.History().ApplyDrift(t.Context()); err != nil || len(files) != 3 {
			t.Errorf("%q, %v", files, err)
		}
		if diff := cmp.Diff(before, w.m.History().Snapshots()); diff != "" {
			t.Errorf("snapshots, though memory stays (-before +after):\n%s", diff)
		}
		ended(t, w, map[string]string{"a.org": "* one\n", "c.org": "* gone\n"})
	})
	t.Run("apply to one that changed since", func(t *testing.T) {
		w := drifting(t)
		w.write(map[string]string{"b.org": "* newer\n"})
		want := w.onDisk()
		if _, err := w.m.History().ApplyDrift(t.Context()); fovea.KindOf(err) != fovea.Conflict {
			t.Errorf("%v", err)
		}
		if diff := cmp.Diff(want, w.onDisk()); diff != "" || len(w.m.History().Drift()) != 3 {
			t.Errorf("files (-before +after):\n%s", diff)
		}
	})
	t.Run("a file that does not drift", func(t *testing.T) {
		w := drifting(t)
		if _, _, err := w.m.History().AdoptDrift(t.Context(), nil, "a.org", "d.org"); fovea.KindOf(err) != fovea.NotFound {
			t.Errorf("%v", err)
		}
		if _, err := w.m.History().ApplyDrift(t.Context(), "d.org"); fovea.KindOf(err) != fovea.NotFound {
			t.Errorf("%v", err)
		}
		if n := len(w.m.History().Drift()); n != 3 {
			t.Errorf("%d files drift", n)
		}
	})
	t.Run("nothing drifts", func(t *testing.T) {
		w := newWorld(t, map[string]string{"a.org": "* one\n"})
		w.ingest()
		c, files, err := w.m.History().AdoptDrift(t.Context(), nil)
		if more, aerr := w.m.History().ApplyDrift(t.Context()); c.Seq != 0 || len(files)+len(more) > 0 || err != nil || aerr != nil {
			t.Errorf("%+v, %q, %q, %v, %v", c, files, more, err, aerr)
		}
	})
}
