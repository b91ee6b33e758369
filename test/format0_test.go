// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
)

// manyHeadlines is a file whose headlines have derived ids, so that most edits change
// those of several.
func manyHeadlines(titles ...string) string {
	var b strings.Builder
	b.WriteString("#+title: Many\n")
	for _, title := range titles {
		fmt.Fprintf(&b, "* %s\nOf %s.\n** Below\n", title, title)
	}
	return b.String()
}

// formatStory is a history that has each kind of change of a list of children. The
// memories in testdata/format0 were made by it, with the build before format 1.
func formatStory(w *world) {
	w.t.Helper()
	w.clock = time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	w.saved(map[string]string{
		"many.org": manyHeadlines("One", "Two", "Three", "Four", "Five", "Six"),
		"ids.org":  "* A\n:PROPERTIES:\n:ID: a\n:END:\n** B\n:PROPERTIES:\n:ID: b\n:END:\nsecret words\n** C\n:PROPERTIES:\n:ID: c\n:END:\n",
	})
	w.saved(map[string]string{"many.org": manyHeadlines("One", "Two", "New", "Three", "Four", "Five", "Six", "Seven")})
	w.saved(map[string]string{"many.org": manyHeadlines("Seven", "Two", "Other", "Three", "Five", "Six", "One")})
	w.saved(map[string]string{"many.org": "* Only\n", "more.org": manyHeadlines("Two", "Two", "Two")})
	w.rolledBack("seq:2")
	w.edit("ann", "b", document.Delete{})
	w.edit("ann", "a", document.AppendBody{Text: "words of ann"})
	if _, _, _, err := w.m.History().Revert(w.t.Context(), []uint64{w.m.View().Head().Seq}, nil); err != nil {
		w.t.Fatal(err)
	}
	w.remove("many.org")
	w.saved(map[string]string{"more.org": manyHeadlines("Two", "Two", "Six")})
	if _, _, err := w.m.Mending().Purge(w.t.Context(), nil, "secret words", nil); err != nil {
		w.t.Fatal(err)
	}
	w.saved(map[string]string{"many.org": manyHeadlines("Two", "Six", "Seven", "Eight")})
}

// formatFork goes on from the story.
func formatFork(w *world) {
	w.t.Helper()
	w.edit("bob", "c", document.AppendBody{Text: "words of bob"})
	w.saved(map[string]string{"many.org": manyHeadlines("Zero", "Two", "Six", "Seven", "Eight")})
}

// format0 opens a copy of a memory of testdata/format0: ours ends with the story,
// theirs with the fork. The folder has the files of such a history.
func format0(t testing.TB, side string) *world {
	t.Helper()
	like := newWorld(t, nil)
	formatStory(like)
	if side == "theirs" {
		formatFork(like)
	}
	w := &world{t: t, dir: t.TempDir(), state: filepath.Join(t.TempDir(), "state"), clock: like.clock}
	for _, part := range []string{"both", side} {
		if err := os.CopyFS(w.state, os.DirFS(filepath.Join("testdata", "format0", part))); err != nil {
			t.Fatal(err)
		}
	}
	w.write(like.onDisk())
	m, err := fovea.Open(t.Context(), w.dir, &fovea.Options{StateDir: w.state, Now: w.now, Adopt: true})
	if err != nil {
		t.Fatal(err)
	}
	w.m = m
	t.Cleanup(func() { w.m.Close() })
	w.ingest()
	return w
}

// logged lists number, kind, digest and root of all commits, oldest first.
func (w *world) logged() (lines []string) {
	w.t.Helper()
	commits, err := w.m.History().Log(w.t.Context(), "", 0)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, c := range slices.Backward(commits) {
		lines = append(lines, fmt.Sprintf("%d %s %s %s", c.Seq, c.Kind, c.Digest, c.Root))
	}
	return lines
}

// rootsOf takes the digests of commits out of a log: their operations are random.
func rootsOf(lines []string) (roots []string) {
	for _, line := range lines {
		f := strings.Fields(line)
		roots = append(roots, f[0]+" "+f[1]+" "+f[3])
	}
	return roots
}

// momentsOf gives the documents of each moment, or why they cannot be shown, and
// proves that each node's version is found with the children it had.
func (w *world) momentsOf() (all []map[string]string) {
	w.t.Helper()
	for seq := uint64(1); seq <= w.m.View().Head().Seq; seq++ {
		v, err := w.m.History().At(w.t.Context(), fmt.Sprintf("seq:%d", seq))
		if err != nil {
			all = append(all, map[string]string{"error": err.Error()})
			continue
		}
		all = append(all, documentsOf(v))
		for n := range v.All() {
			if len(n.Kids) == 0 {
				continue
			}
			got, err := w.m.History().Version(w.t.Context(), n.ID, n.Version)
			if err != nil {
				w.t.Errorf("commit %d: %s: %v", seq, n.ID, err)
			} else if diff := cmp.Diff(n.Kids, got.Kids); diff != "" {
				w.t.Errorf("commit %d: children of %s (-view +version):\n%s", seq, n.ID, diff)
			}
		}
	}
	return all
}

const format0Purged = "purged: 1 block purged by commit 10"

// TestFormat0IsRead: a memory that the build before format 1 wrote is what it was, the
// same history in format 1 leads to the same roots, and one goes on from the other.
func TestFormat0IsRead(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "format0", "log.txt"))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	again := newWorld(t, nil)
	formatStory(again)
	formatFork(again)
	if diff := cmp.Diff(rootsOf(want), rootsOf(again.logged())); diff != "" {
		t.Errorf("roots in format 1 (-format 0 +format 1):\n%s", diff)
	}
	w := format0(t, "theirs")
	if diff := cmp.Diff(want, w.logged()); diff != "" {
		t.Errorf("log (-then +now):\n%s", diff)
	}
	moments := again.momentsOf()
	if diff := cmp.Diff(moments, w.momentsOf()); diff != "" {
		t.Errorf("moments (-format 1 +format 0):\n%s", diff)
	}
	w.edit("cid", "c", document.AppendBody{Text: "words of cid"})
	for _, seq := range []int{9, 7, 12} {
		w.rolledBack(fmt.Sprintf("seq:%d", seq))
		if diff := cmp.Diff(moments[seq-1], documentsOf(w.m.View())); diff != "" {
			t.Errorf("rolled back to commit %d (-then +now):\n%s", seq, diff)
		}
	}
	root := w.m.View().Root()
	if err := os.RemoveAll(filepath.Join(w.state, "image")); err != nil {
		t.Fatal(err)
	}
	w.reopen()
	if got := w.m.View().Root(); got != root {
		t.Errorf("read from the first commit on: root %s, was %s", got, root)
	}
	if got := w.kindsOf(); got != format0Purged {
		t.Errorf("verify says %q", got)
	}
}

// TestFormat0IsMended: what leaves blocks out of history or puts damage aside takes
// commits of both formats.
func TestFormat0IsMended(t *testing.T) {
	for name, tc := range map[string]struct {
		do   func(w *world) error
		want string // what verify says afterwards
	}{
		"purge": {func(w *world) error {
			_, n, err := w.m.Mending().Purge(w.t.Context(), nil, "words of ann", nil)
			if err == nil && n != 1 {
				err = fmt.Errorf("%d versions", n)
			}
			return err
		}, "purged: 1 block purged by commit 10\npurged: 1 block purged by commit 16"},
		"retain": {func(w *world) error {
			for i := range 21 { // as many automatic snapshots hold their moments
				w.edit("cid", "c", document.AppendBody{Text: fmt.Sprint(i)})
			}
			w.clock = w.clock.Add(48 * time.Hour)
			_, _, n, err := w.m.Mending().Retain(w.t.Context(), time.Hour, 0, 0, nil)
			if err == nil && n == 0 {
				err = errors.New("nothing was thinned")
			}
			return err
		}, format0Purged + "\nthinned"},
		"repair": {func(w *world) error {
			w.m.Close()
			w.spoil("words of bob")
			w.open()
			_, err := w.m.Mending().Repair(w.t.Context(), nil)
			return err
		}, format0Purged},
	} {
		t.Run(name, func(t *testing.T) {
			w := format0(t, "theirs")
			w.edit("cid", "a", document.AppendBody{Text: "words of cid"})
			w.saved(map[string]string{"many.org": manyHeadlines("Two", "Six", "Nine")})
			if err := tc.do(w); err != nil {
				t.Fatal(err)
			}
			if got := w.kindsOf(); !strings.HasPrefix(got, tc.want) {
				t.Errorf("verify says %q, want %q", got, tc.want)
			}
			if diff := cmp.Diff(w.onDisk(), documentsOf(w.m.View())); diff != "" {
				t.Errorf("memory (-folder +memory):\n%s", diff)
			}
			root := w.m.View().Root()
			if w.reopen(); w.m.View().Root() != root {
				t.Errorf("opened again: root %s, was %s", w.m.View().Root(), root)
			}
		})
	}
}

// TestMergeAcrossFormats: a side that went on in format 1 and one that went on in
// format 0 become one, by the same root whoever merges.
func TestMergeAcrossFormats(t *testing.T) {
	fork := func(side string) *world {
		w := format0(t, side)
		if side == "ours" {
			w.edit("cid", "a", document.AppendBody{Text: "words of cid"})
			w.saved(map[string]string{"more.org": manyHeadlines("Two", "Two", "Six", "Ten")})
		}
		return w
	}
	var roots []string
	for _, sides := range [][2]string{{"ours", "theirs"}, {"theirs", "ours"}} {
		into, from := fork(sides[0]), fork(sides[1])
		from.m.Close()
		if _, _, conflicts, err := into.m.History().Merge(t.Context(), from.state, nil); err != nil || len(conflicts) > 0 {
			t.Fatalf("%s takes in %s: %v %v", sides[0], sides[1], conflicts, err)
		}
		files := into.onDisk()
		for path, text := range map[string]string{"ids.org": "words of bob", "more.org": "* Ten", "many.org": "* Zero"} {
			if !strings.Contains(files[path], text) {
				t.Errorf("%s lacks %q: %q", path, text, files[path])
			}
		}
		if got := into.kindsOf(); got != format0Purged {
			t.Errorf("verify says %q", got)
		}
		roots = append(roots, into.m.View().Root().String())
		into.reopen()
		if got := into.m.View().Root().String(); got != roots[len(roots)-1] {
			t.Errorf("opened again: root %s, was %s", got, roots[len(roots)-1])
		}
	}
	if roots[0] != roots[1] {
		t.Errorf("roots %v", roots)
	}
}
