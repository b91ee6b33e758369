// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/foveatest/forge"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/travel"
	"github.com/fovea-memory/fovea/org"
)

// everything returns all files of a folder, hidden ones too.
func everything(t testing.TB, in *faultfs.FS) map[string]string {
	t.Helper()
	out := map[string]string{}
	var walk func(folder string)
	walk = func(folder string) {
		entries, err := in.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			name := path.Join(folder, e.Name())
			if e.IsDir() {
				walk(name)
				continue
			}
			b, err := in.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			out[name] = string(b)
		}
	}
	walk(".")
	return out
}

// TestCampaignOfForgedStates: whatever a well-signed state of another machine names, what is written
// is what a fresh scan of the folder lists; a path that no memex may have refuses the whole; what is
// ignored or not read here stays in memory, and is not handed on as a deletion; no ignore file comes
// into force but in a new folder.
func TestCampaignOfForgedStates(t *testing.T) {
	campaign := foveatest.NewCampaign(t)
	start := newMachine(t, forge.Start)
	start.m.Close()
	key, _ := newKey(t, "mallory")
	refused, taken, kept := 0, 0, 0
	for i := range campaign.Length(150, 10_000) {
		documents := map[string]forge.Document{}
		never := forge.Draw(campaign.Rand, documents)
		f := forged{t: t, machine: &machine{t: t, name: "victim", d: start.d.clone(), hour: start.hour}, documents: documents, state: start.d.state.Clone()}
		f.forge(campaign.Rand, key)
		way := []string{"merge", "restore", "clone"}[i%3]
		switch n, err := f.take(way); {
		case never != errors.Is(err, corpus.ErrNever):
			t.Fatalf("case %d, %s of %q: %v", i, way, slices.Sorted(maps.Keys(documents)), err)
		case err != nil && fovea.KindOf(err) != fovea.Denied && fovea.KindOf(err) != fovea.Conflict:
			t.Fatalf("case %d, %s: %v", i, way, err)
		case err != nil:
			refused++
		default:
			taken, kept = taken+1, kept+n
		}
	}
	if refused == 0 || taken == 0 || kept == 0 {
		t.Errorf("%d refused, %d taken in with %d documents kept without a file", refused, taken, kept)
	}
	t.Logf("%d refused, %d taken in with %d documents kept without a file", refused, taken, kept)
}

// forged is one forged state and the machine that it is handed to.
type forged struct {
	*machine
	t         *testing.T
	documents map[string]forge.Document
	state     *faultfs.FS
}

func (f *forged) forge(r *rand.Rand, key note.Signer) {
	f.t.Helper()
	by := []author.Author{{Kind: author.Owner}, {Kind: author.Agent, Name: "mallory"}, {Kind: author.File}, {Kind: author.Fovea}}[r.IntN(4)]
	when := []int64{0, 1_800_000_000_000, time.Now().UnixMilli(), 1 << 50}[r.IntN(4)]
	c := graph.Commit{Kind: graph.KindEdit, Author: by, Session: "s\x1b[2J", Message: "nothing\nto see", Time: when}
	if err := forge.Append(f.t.Context(), f.state, document.Formats{org.Format{}}, key, c, f.documents); err != nil {
		f.t.Fatalf("%q: %v", slices.Sorted(maps.Keys(f.documents)), err)
	}
}

// take hands the state over, and returns how many documents are kept without a file. It fails the
// test if a file came that a scan does not list.
func (f *forged) take(way string) (kept int, err error) {
	t := f.t
	if way == "clone" {
		f.d = disks{faultfs.New(), f.state}
	}
	f.set = func(o *fovea.Options) { o.Actor = author.Actor{Author: author.Author{Kind: author.Owner}} }
	f.open()
	defer f.m.Close()
	if way != "clone" {
		f.sync()
	}
	before := everything(t, f.d.memex)
	switch way {
	case "merge":
		_, _, _, err = mergeStore(t.Context(), f.m, f.state, nil)
	case "restore":
		_, _, err = travel.RestoreStore(t.Context(), travel.Of(f.m.History()), f.state, "forged", nil)
	case "clone":
		if err = travel.Refuse(travel.Of(f.m.History())); err == nil {
			_, _, err = f.m.History().RestoreFiles(t.Context(), nil, "", nil)
		}
	}
	after := everything(t, f.d.memex)
	if err != nil {
		if diff := cmp.Diff(before, after); diff != "" {
			t.Fatalf("%s: refused, and changed\n%s", way, diff)
		}
		return 0, err
	}
	root, err := corpus.Open("/memex", &corpus.Options{FS: f.d.memex.Clone()})
	if err != nil {
		t.Fatal(err)
	}
	if unlisted, err := forge.Unlisted(t.Context(), root, before, after); err != nil || len(unlisted) > 0 {
		t.Fatalf("%s of %q wrote %q, which a scan does not list: %v", way, slices.Sorted(maps.Keys(f.documents)), unlisted, err)
	}
	for name, text := range after {
		if path.Base(name) == ".foveaignore" && way != "clone" && text != before[name] {
			t.Fatalf("%s put %s into force: %q", way, name, text)
		}
	}
	for name := range before {
		if _, still := after[name]; !still && !f.documents[name].Gone && way == "merge" {
			t.Fatalf("%s removed %q", way, name)
		}
	}
	return f.stays(way), nil
}

// stays returns how many documents have no file, and fails the test if the next scan lets one go or
// changes it. A clone takes a state as it is, so there the scan may parse what was said to be opaque.
func (f *forged) stays(way string) (kept int) {
	root, held := f.m.View().Root(), textsOf(f.m.View())
	f.sync()
	if diff := cmp.Diff(held, textsOf(f.m.View())); diff != "" || way != "clone" && f.m.View().Root() != root {
		f.t.Fatalf("%s of %q: the next scan changed what memory has\n%s", way, slices.Sorted(maps.Keys(f.documents)), diff)
	}
	ignores := false // by what it says, the other machine ignores what it lost
	for name, d := range f.documents {
		ignores = ignores || document.IsIgnore(name) && (d.Text == "*\n" || d.Text == "notes/\n")
	}
	for name, d := range f.documents {
		_, has := f.m.View().Text(name)
		if has == d.Gone && !(has && ignores && way == "merge") {
			f.t.Fatalf("%s: memory has %q: %v", way, name, has)
		}
		if _, err := f.d.memex.Lstat(name); has && errors.Is(err, fs.ErrNotExist) {
			kept++
			if !slices.Contains(f.m.Status().Drift, name) {
				f.t.Fatalf("%s: nobody is told of %q", way, name)
			}
		}
	}
	return kept
}

func textsOf(v fovea.View) map[string]string {
	texts := map[string]string{}
	for d := range v.Documents() {
		texts[d.Path], _ = v.Text(d.Path)
	}
	return texts
}
