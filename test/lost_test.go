// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea"
)

// losses are the ways in which files get lost: each changes the folder and may use a
// draw to choose among the files.
var losses = map[string]func(w *world, rt *rapid.T, files []string){
	"all files": func(w *world, _ *rapid.T, files []string) {
		for _, name := range files {
			w.remove(name)
		}
	},
	"the folders, too": func(w *world, _ *rapid.T, _ []string) {
		entries, err := os.ReadDir(w.dir)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, e := range entries {
			if err := os.RemoveAll(filepath.Join(w.dir, e.Name())); err != nil {
				w.t.Fatal(err)
			}
		}
	},
	"some files": func(w *world, rt *rapid.T, files []string) {
		for _, name := range chosen(rt, files) {
			w.remove(name)
		}
	},
	"a folder": func(w *world, rt *rapid.T, _ []string) {
		folder := rapid.SampledFrom([]string{"journal", "skills", "agents"}).Draw(rt, "folder")
		if err := os.RemoveAll(filepath.Join(w.dir, folder)); err != nil {
			w.t.Fatal(err)
		}
	},
	"emptied": func(w *world, rt *rapid.T, files []string) {
		for _, name := range chosen(rt, files) {
			w.write(map[string]string{name: ""})
		}
	},
	"conflicts of a sync program": func(w *world, rt *rapid.T, files []string) {
		for _, name := range chosen(rt, files) {
			text, err := os.ReadFile(filepath.Join(w.dir, name))
			if err != nil {
				w.t.Fatal(err)
			}
			ours := strings.TrimSuffix(name, ".org") + ".sync-conflict-20261122.org"
			w.write(map[string]string{ours: string(text), name: "<<<<<<< here\n" + string(text) + "=======\n* Theirs\n>>>>>>> there\n"})
		}
	},
	"removed and others renamed": func(w *world, rt *rapid.T, files []string) {
		for i, name := range chosen(rt, files) {
			if i%2 == 0 {
				w.remove(name)
				continue
			}
			if err := os.Rename(filepath.Join(w.dir, name), filepath.Join(w.dir, strings.ReplaceAll(name, "/", "-")+".moved.org")); err != nil {
				w.t.Fatal(err)
			}
		}
	},
}

func chosen(rt *rapid.T, files []string) []string {
	return rapid.SliceOfNDistinct(rapid.SampledFrom(files), 1, len(files), rapid.ID[string]).Draw(rt, "files")
}

// TestEveryLossComesBack loses files in every way, lets the memory see that in every
// way, and goes back in every way: the folder is byte for byte what it was, nothing is
// locked down, and the next scan finds nothing new.
func TestEveryLossComesBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		before := map[string]string{"inbox.org": "* In\n", "skills/water.org": "* Water\nPlants.\n", "agents/ine/ROM.org": "* Ine\n"}
		for i := range rapid.IntRange(0, 30).Draw(rt, "days") {
			before[fmt.Sprintf("journal/%02d.org", i)] = fmt.Sprintf("* Day %d\n:PROPERTIES:\n:ID: day-%d\n:END:\ntext", i, i)
		}
		w := newWorld(t, before)
		defer w.m.Close()
		w.ingest()
		if rapid.Bool().Draw(rt, "edited") {
			before["inbox.org"] = "* In\n* More\n"
			w.write(map[string]string{"inbox.org": before["inbox.org"]})
			w.ingest()
		}
		moment := fmt.Sprintf("seq:%d", w.m.View().Head().Seq)
		loss := rapid.SampledFrom(slices.Sorted(maps.Keys(losses))).Draw(rt, "loss")
		losses[loss](w, rt, slices.Sorted(maps.Keys(before)))

		held := w.see(rt)
		w.goBack(rt, moment, before, held)

		if diff := cmp.Diff(before, w.onDisk()); diff != "" {
			rt.Fatalf("after %s the folder is another one (-want +got):\n%s", loss, diff)
		}
		seq := w.m.View().Head().Seq
		if v := w.ingest(); v.Head().Seq != seq {
			rt.Fatalf("the next scan made commit %+v", v.Head())
		}
		if missing := w.m.Status().Missing; len(missing) > 0 {
			rt.Fatalf("still missing: %v", missing)
		}
		w.reopen()
		if told := w.m.Status().Recovered; told != "" {
			rt.Fatalf("a way back that ended is told as cut short: %s", told)
		}
		v, err := w.m.Guard().View(t.Context(), nil)
		if err != nil || len(v.Lockdown()) > 0 {
			rt.Fatalf("locked down: %v, %v", v.Lockdown(), err)
		}
	})
}

// see lets the memory read the folder, and reports whether deletions were held.
func (w *world) see(rt *rapid.T) (held bool) {
	w.t.Helper()
	opts := &fovea.IngestOptions{AcceptDeletions: rapid.Bool().Draw(rt, "accept")}
	for range rapid.IntRange(1, 2).Draw(rt, "scans") {
		err := w.m.Ingest(w.t.Context(), opts)
		held = fovea.KindOf(err) == fovea.Held
		if err != nil && !held {
			rt.Fatal(err)
		}
		if (len(w.m.Status().Missing) > 0) != held {
			rt.Fatalf("held %v, missing %v", held, w.m.Status().Missing)
		}
		if rapid.Bool().Draw(rt, "look") { // at what is locked down, so that the owner was told
			if _, err := w.m.Guard().View(w.t.Context(), nil); err != nil {
				rt.Fatal(err)
			}
		}
	}
	if rapid.Bool().Draw(rt, "reopen") {
		w.reopen()
		err := w.m.Ingest(w.t.Context(), nil)
		if held != (fovea.KindOf(err) == fovea.Held) {
			rt.Fatalf("held %v before, then %v", held, err)
		}
	}
	return held
}

// goBack brings the files back.
func (w *world) goBack(rt *rapid.T, moment string, before map[string]string, held bool) {
	w.t.Helper()
	ctx := w.t.Context()
	restored := false
	if rapid.Bool().Draw(rt, "restore") {
		var paths []string
		if !held {
			paths = slices.Sorted(maps.Keys(before))
		}
		at := moment
		if held {
			at = ""
		}
		if _, _, err := w.m.History().RestoreFiles(ctx, paths, at, nil); err != nil {
			rt.Fatal(err)
		}
		restored = true
	}
	if restored && cmp.Equal(before, w.onDisk()) {
		return
	}
	if _, _, err := w.m.History().Rollback(ctx, moment, nil); err != nil { // takes away what came besides
		rt.Fatal(err)
	}
}

// TestLostBehindLinks: a lost file comes back, and the links to it with it; a link that
// leads to nothing else does not stop the others.
func TestLostBehindLinks(t *testing.T) {
	files := map[string]string{"real.org": "* Real\n", "note.txt": "* Linked\n"}
	for i := range 20 {
		files[fmt.Sprintf("day/%02d.org", i)] = fmt.Sprintf("* Day %d\n", i)
	}
	w := newWorld(t, files)
	for link, to := range map[string]string{"link.org": "real.org", "other.org": "note.txt"} {
		if err := os.Symlink(to, filepath.Join(w.dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	w.ingest()
	for name := range files {
		w.remove(name)
	}
	if err := w.m.Ingest(t.Context(), nil); fovea.KindOf(err) != fovea.Held {
		t.Fatalf("got %v, want a held scan", err)
	}
	if _, _, err := w.m.History().Rollback(t.Context(), "head", nil); err != nil {
		t.Fatal(err)
	}
	delete(files, "note.txt") // it is no document
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join(w.dir, name)); string(got) != want {
			t.Errorf("%s holds %q, %v", name, got, err)
		}
	}
	if got, err := os.ReadFile(filepath.Join(w.dir, "link.org")); string(got) != "* Real\n" {
		t.Errorf("the link leads to %q, %v", got, err)
	}
}
