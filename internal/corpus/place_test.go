// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestWritesAreBoundToWhatWasJudged: if the path has another target at the time of the
// change than when the write was authorized, nothing changes, even if that target has
// the same bytes.
func TestWritesAreBoundToWhatWasJudged(t *testing.T) {
	alone := func(p Place) error {
		if p.Links > 1 {
			return ErrLink
		}
		return nil
	}
	for _, tc := range []struct {
		name, path string
		turn       func(dir string) error
		want       error
	}{
		{"the file becomes a link", "mine/a.org", func(dir string) error {
			return errors.Join(os.Remove(dir+"/mine/a.org"), os.Symlink("../theirs/a.org", dir+"/mine/a.org"))
		}, ErrChanged},
		{"its folder becomes a link", "mine/a.org", func(dir string) error {
			return errors.Join(os.Rename(dir+"/mine", dir+"/was"), os.Symlink("theirs", dir+"/mine"))
		}, ErrChanged},
		{"a link turns", "link.org", func(dir string) error {
			return errors.Join(os.Remove(dir+"/link.org"), os.Symlink("theirs/a.org", dir+"/link.org"))
		}, ErrChanged},
		{"the file gets another name", "mine/a.org", func(dir string) error {
			return os.Link(dir+"/mine/a.org", dir+"/theirs/b.org")
		}, ErrLink},
		{"the folder of a new file becomes a link", "mine/new.org", func(dir string) error {
			return errors.Join(os.Rename(dir+"/mine", dir+"/was"), os.Symlink("theirs", dir+"/mine"))
		}, ErrChanged},
		{"nothing happens", "mine/a.org", func(string) error { return nil }, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range []string{"mine/a.org", "theirs/a.org"} {
				name = filepath.Join(dir, name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte("same"), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink("mine/a.org", dir+"/link.org"); err != nil {
				t.Fatal(err)
			}
			base := sum("same")
			if tc.path == "mine/new.org" {
				base = [32]byte{}
			}
			w, err := open(t, dir, nil).Stage(tc.path, base, Next{Text: "planted"}, alone)
			if err != nil {
				t.Fatal(err)
			}
			if err := tc.turn(dir); err != nil {
				t.Fatal(err)
			}
			if err := w.Apply(); !errors.Is(err, tc.want) || (err == nil) != (tc.want == nil) {
				t.Errorf("%v, want %v", err, tc.want)
			}
			text, err := os.ReadFile(dir + "/theirs/a.org")
			list, _ := os.ReadDir(dir + "/theirs")
			planted := slices.ContainsFunc(list, func(e os.DirEntry) bool { return e.Name() == "new.org" })
			if err != nil || string(text) != "same" || planted {
				t.Errorf("the new target was written: %q, %v, %v", text, planted, err)
			}
		})
	}
}

// TestNames: a file has all the names that links give it, including links to folders and
// to other links, as found by the latest scan of each region.
func TestNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"plans/a.org", ".hidden/h.org", "lake/l.org", "b.org"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700), os.WriteFile(filepath.Join(dir, name), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{
		"skills": "plans", "one.org": "skills/a.org", "two.org": "one.org", "x.org": ".hidden/h.org", "y.org": "x.org", "all": ".", "water": "lake",
		"picture.png": "photo.png",
	} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	r := open(t, dir, nil)
	if r.Linked() != nil {
		t.Error("links are known before the first scan")
	}
	if got := r.Names("plans/a.org"); !slices.Equal(got, []string{"plans/a.org"}) {
		t.Errorf("before a scan: %q", got)
	}
	rest, lake := r.Region(nil, []string{"lake"}), r.Region([]string{"lake"}, nil)
	for _, part := range []*Root{rest, lake} {
		if _, err := part.Scan(t.Context(), nil, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string][]string{
		"plans/a.org": {"plans/a.org", "skills/a.org", "one.org", "two.org", "all/plans/a.org"},
		"one.org":     {"plans/a.org", "skills/a.org"},
		"x.org":       {".hidden/h.org", "y.org"},
		"lake/l.org":  {"water/l.org"},
		"b.org":       {"all/b.org"},
		"new/c.org":   {"all/new/c.org"},
	} {
		got := lake.Names(path)
		if got[0] != path || len(got) > maxNames {
			t.Errorf("%s: %q", path, got)
		}
		for _, name := range want {
			if !slices.Contains(got, name) {
				t.Errorf("%s: no %s among %q", path, name, got)
			}
		}
	}
	linked := r.Linked()
	if _, err := rest.Scan(t.Context(), nil, time.Now()); err != nil || r.Linked() != linked {
		t.Errorf("unchanged links are reported as changed: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "skills")); err != nil {
		t.Fatal(err)
	}
	if _, err := rest.Scan(t.Context(), nil, time.Now()); err != nil || slices.Contains(r.Names("plans/a.org"), "skills/a.org") || r.Linked() == linked {
		t.Errorf("a link that is gone: %q, %v", r.Names("plans/a.org"), err)
	}
}

// TestPlace covers targets of paths, and the errors of paths without one.
func TestPlace(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.MkdirAll(dir+"/a/b", 0o700), os.WriteFile(dir+"/a/b/c.org", nil, 0o600), os.Symlink("a/b", dir+"/l"),
		os.Symlink("gone", dir+"/d"), os.Symlink("..", dir+"/o"), os.Link(dir+"/a/b/c.org", dir+"/a/h.org"), os.Symlink("loop", dir+"/loop")); err != nil {
		t.Fatal(err)
	}
	r := open(t, dir, nil)
	for _, tc := range []struct {
		path string
		want Place
		err  error
	}{
		{"a/b/c.org", Place{"a/b/c.org", "a/b/c.org", 2}, nil},
		{"l/c.org", Place{"l/c.org", "a/b/c.org", 2}, nil},
		{"l/new/d.org", Place{"l/new/d.org", "a/b/new/d.org", 0}, nil},
		{"l", Place{"l", "a/b", 0}, nil},
		{"d", Place{}, ErrDangling}, {"o/x.org", Place{}, ErrOutside}, {"loop", Place{}, ErrLoop}, {"../x", Place{}, ErrName}, {"a\nb", Place{}, ErrName},
		{"a/h.org/x.org", Place{}, ErrNotFolder},
	} {
		got, err := r.Place(tc.path)
		if !errors.Is(err, tc.err) || (err == nil) != (tc.err == nil) {
			t.Errorf("%s: %v, want %v", tc.path, err, tc.err)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: %s", tc.path, diff)
		}
	}
}

// TestHardLinks: all names of a file know each other, listed or not, in whatever region they
// are, until a scan finds that they are files of their own; a link into another region adds
// nothing to this one.
func TestHardLinks(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.MkdirAll(dir+"/lake", 0o700), os.WriteFile(dir+"/core.org", []byte("* Core\n"), 0o600), os.Link(dir+"/core.org", dir+"/hard.org"),
		os.Link(dir+"/core.org", dir+"/lake/l.org"), os.Link(dir+"/core.org", dir+"/hard.txt"), os.WriteFile(dir+"/lake/own.org", nil, 0o600),
		os.Symlink("lake/own.org", dir+"/alias.org"), os.Symlink("lake", dir+"/all")); err != nil {
		t.Fatal(err)
	}
	r := open(t, dir, nil)
	rest, lake := r.Region(nil, []string{"lake"}), r.Region([]string{"lake"}, nil)
	scan := func(in *Root) (paths []string) {
		t.Helper()
		s, err := in.Scan(t.Context(), nil, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range s.Files {
			paths = append(paths, f.Path)
		}
		return paths
	}
	if got := scan(rest); !slices.Equal(got, []string{"core.org", "hard.org"}) {
		t.Errorf("the files beside the lake are %q", got)
	}
	scan(lake)
	want := []string{"core.org", "hard.org", "lake/l.org"}
	for _, name := range append(want, "hard.txt") {
		_, names, err := Peek(r, name)
		listed := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == "hard.txt" || n == "all/l.org" })
		slices.Sort(listed)
		if err != nil || !slices.Equal(listed, want) {
			t.Errorf("%s: %q, %v", name, names, err)
		}
		if got := r.Names(name); name != "hard.txt" && (len(got) != 4 || got[0] != name) {
			t.Errorf("names of %s: %q", name, got)
		}
	}
	if err := errors.Join(os.WriteFile(dir+"/new", nil, 0o600), os.Rename(dir+"/new", dir+"/hard.org")); err != nil {
		t.Fatal(err)
	}
	if scan(rest); len(r.Names("hard.org")) != 1 || len(r.Names("core.org")) != 3 {
		t.Errorf("names of a file of its own: %q, of the other: %q", r.Names("hard.org"), r.Names("core.org"))
	}
}
