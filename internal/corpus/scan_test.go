// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// tree creates a folder. A name that ends with / is a folder; a text "-> x" makes a link
// to x, in which ROOT is replaced by the path of the folder.
func tree(t *testing.T, texts map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range texts {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, isLink := strings.CutPrefix(text, "-> "); isLink {
			err = os.Symlink(strings.ReplaceAll(target, "ROOT", root), path)
		} else if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(path, 0o755)
		} else {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func open(t *testing.T, dir string, opts *Options) *Root {
	t.Helper()
	r, err := Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func scan(t *testing.T, r *Root, prev *Table, now time.Time) Scan {
	t.Helper()
	s, err := r.Scan(t.Context(), prev, now)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// listing returns the paths of the files, with a mark on opaque ones, and the problems.
func listing(s Scan) (files, problems []string) {
	for _, f := range s.Files {
		if f.Opaque {
			f.Path += " (opaque)"
		}
		files = append(files, f.Path)
	}
	for _, p := range s.Problems {
		problems = append(problems, p.Path+": "+string(p.Kind))
	}
	return files, problems
}

func TestScan(t *testing.T) {
	for _, tc := range []struct {
		name     string
		texts    map[string]string
		opts     Options
		files    []string
		problems []string
	}{
		{name: "empty folder"},
		{name: "no Org file", texts: map[string]string{"a.txt": "", "b/": ""}},
		{
			name:  "names",
			texts: map[string]string{"a.org": "", "b/c.org_archive": "", "s.org.gpg": "", "b.ORG": "", "org": "", "aorg": "", "d.org/x.org": ""},
			files: []string{"a.org", "b.ORG", "b/c.org_archive", "d.org/x.org", "s.org.gpg (opaque)"},
		},
		{
			name:  "order is that of bytes",
			texts: map[string]string{"a/x.org": "", "a-b.org": "", "a.org": "", "B.org": "", "é.org": ""},
			files: []string{"B.org", "a-b.org", "a.org", "a/x.org", "é.org"},
		},
		{
			name: "hidden and editors' copies",
			texts: map[string]string{".a.org": "", ".git/a.org": "", "#a.org#": "", "a.org~": "", ".#a.org": "-> noor@host.1", "skills/x~": "", "skills/#x#": "",
				"skills/#x": ""},
			files: []string{"skills/#x (opaque)"},
		},
		{
			name: "opaque",
			texts: map[string]string{"skills/a/run.sh": "", "skills/a.org": "", "agents/scout/ROM.md": "", "agents/scout/ROM.org": "", "agents/scout/x.md": "",
				"agents/a/b/ROM.md": "", "agents/ROM.md": "", "x/agents/a/ROM.md": ""},
			files: []string{"agents/scout/ROM.md (opaque)", "agents/scout/ROM.org", "skills/a.org", "skills/a/run.sh (opaque)"},
		},
		{
			name:     "named in the options",
			texts:    map[string]string{"my/tricks/a.md": "", "skills/b.md": "", "code.go": "", ".hidden/c": "", "plan.org": "", ".foveaignore": "code.go"},
			opts:     Options{SkillsDir: "my/tricks/", Opaque: []string{"code.go", "./.hidden/c", "plan.org", "missing", "../out"}},
			files:    []string{".foveaignore (opaque)", ".hidden/c (opaque)", "code.go (opaque)", "my/tricks/a.md (opaque)", "plan.org (opaque)"},
			problems: []string{"missing: vanished"},
		},
		{
			name:  "hidden skills folder",
			texts: map[string]string{".claude/skills/a/SKILL.md": "", ".claude/b.org": ""},
			opts:  Options{SkillsDir: ".claude/skills"},
			files: []string{".claude/skills/a/SKILL.md (opaque)"},
		},
		{
			name: "ignored",
			texts: map[string]string{
				".foveaignore": "drafts/\n/x.org\nn/*.org\n", "drafts/a.org": "", "n/drafts/a.org": "", "x.org": "", "n/x.org": "", "n/keep.org": "",
				"n/.foveaignore": "!keep.org", "m/.foveaignore": "*", "m/a.org": "",
			},
			files: []string{".foveaignore (opaque)", "m/.foveaignore (opaque)", "n/.foveaignore (opaque)", "n/keep.org"},
		},
		{
			name:  "links inside are followed, once",
			texts: map[string]string{"a.org": "", "b/c.org": "", "a2.org": "-> a.org", "c.org": "-> b/../b/c.org", "b2": "-> b", "d.org": "-> ROOT/a.org"},
			files: []string{"a.org", "b/c.org"},
		},
		{
			name: "only links lead there",
			texts: map[string]string{".store/1": "", ".store/n/x.org": "", "b.org": "-> .store/1", "a.org": "-> ROOT/.store/1", "n": "-> .store/n",
				"z.org": "-> n/x.org", "m": "-> ROOT/.store/n"},
			files: []string{"a.org", "m/x.org"},
		},
		{
			name:  "link whose name is left out",
			texts: map[string]string{".foveaignore": "*.org\nn/", ".s/n/a.org": "", "a.org": "-> .s/n/a.org", "n": "-> .s/n", "x.txt": "-> .s/n/a.org"},
			files: []string{".foveaignore (opaque)"},
		},
		{
			name:  "a loop of folders",
			texts: map[string]string{"a/b/c.org": "", "a/b/up": "-> ../..", "a/b/self": "-> .", "a/top": "-> ROOT", ".h/l": "-> ../.h", ".h/x.org": "", "h": "-> .h"},
			files: []string{"a/b/c.org", "h/x.org"},
		},
		{
			name: "links that lead nowhere",
			texts: map[string]string{
				"a.org": "-> b.org", "b.org": "-> a.org", "c.org": "-> missing", "folder": "-> missing", "d.org": "-> /etc/hostname", "e": "-> ../..",
				"f.org": "-> x.org/y",
				"x.org": "", "photo.jpg": "-> missing", "self": "-> self",
			},
			files:    []string{"x.org"},
			problems: []string{"a.org: loop", "b.org: loop", "c.org: dangling", "d.org: outside", "e: outside", "f.org: dangling", "folder: dangling", "self: loop"},
		},
		{
			name: "names that cannot be used",
			texts: map[string]string{"a\nb.org": "", "\xff.org": "", "x\ty/c.org": "", "bad\n.txt": "", "ok.org": "", strings.Repeat(strings.Repeat("d", 200)+"/",
				2) + "ok.org": ""},
			files:    []string{strings.Repeat(strings.Repeat("d", 200)+"/", 2) + "ok.org", "ok.org"},
			problems: []string{"a\nb.org: name", "x\ty: name", "\xff.org: name"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := scan(t, open(t, tree(t, tc.texts), &tc.opts), nil, time.Now())
			files, problems := listing(s)
			if diff := cmp.Diff(tc.files, files); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.problems, problems); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(s.Files, s.Changed); diff != "" {
				t.Errorf("without a table every file is to be read (-files +changed):\n%s", diff)
			}
		})
	}
}

// TestScanDeep creates a path that is too long for a node, folder by folder.
func TestScanDeep(t *testing.T) {
	root := tree(t, map[string]string{"a.org": ""})
	at, err := os.OpenRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.Repeat("d", 250)
	for range maxPath/len(name) + 1 {
		if err := at.Mkdir(name, 0o755); err != nil {
			t.Fatal(err)
		}
		below, err := at.OpenRoot(name)
		if err != nil {
			t.Fatal(err)
		}
		at.Close()
		at = below
	}
	defer at.Close()
	files, problems := listing(scan(t, open(t, root, nil), nil, time.Now()))
	if len(files) != 1 || len(problems) != 1 || !strings.HasSuffix(problems[0], ": name") {
		t.Errorf("got %v %.80q, want a.org and one problem of its name", files, problems)
	}
}

// asNobody runs f without root's permission to read everything. Only the thread of this
// test changes its identity.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		f()
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := setUser(65534); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := setUser(0); err != nil {
			t.Fatal(err)
		}
	}()
	f()
}

func TestScanUnreadable(t *testing.T) {
	root := tree(t, map[string]string{"a.org": "", "closed/b.org": "", "closed/c/d.org": "", "closed-no.org": "", "rules/.foveaignore": "x", "rules/x.org": "",
		"listed/e.org": ""})
	r := open(t, root, nil)
	first := scan(t, r, nil, time.Now())
	var read []Entry
	for _, f := range first.Files {
		read = append(read, Entry{File: f})
	}
	table := first.Table(nil, read)
	for name, mode := range map[string]os.FileMode{"a.org": 0, "closed": 0, "rules/.foveaignore": 0, "listed": 0o744} {
		if err := os.Chmod(filepath.Join(root, name), mode); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(filepath.Join(root, name), 0o755) })
	}
	asNobody(t, func() {
		s := scan(t, r, table, time.Now())
		files, problems := listing(s)
		want := []string{"a.org", "closed-no.org", "closed/b.org", "closed/c/d.org", "listed/e.org", "rules/.foveaignore (opaque)", "rules/x.org"}
		if diff := cmp.Diff(want, files); diff != "" {
			t.Errorf("files below a folder that cannot be read stay (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"closed: unreadable", "listed: unreadable", "rules: unreadable"}, problems); diff != "" {
			t.Error(diff)
		}
		if len(s.Gone) > 0 {
			t.Errorf("%q counts as deleted", s.Gone)
		}
		_, _, err := r.Read("a.org", 0)
		if p := ProblemOf("a.org", err); p.Kind != Unreadable || !errors.Is(p.Err, ErrUnreadable) {
			t.Errorf("read a.org: got %v", p)
		}
		if _, err := Open(filepath.Join(root, "closed"), nil); !errors.Is(err, ErrUnreadable) {
			t.Errorf("open closed: got %v, want ErrUnreadable", err)
		}
	})
	if err := os.Chmod(root, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(root, 0o755) })
	asNobody(t, func() {
		if _, err := r.Scan(t.Context(), table, time.Now()); !errors.Is(err, ErrUnreadable) {
			t.Errorf("scan of a root that cannot be read: got %v", err)
		}
	})
}

func TestScanStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := open(t, tree(t, nil), nil).Scan(ctx, nil, time.Now()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

// TestScanUnchanged covers the reasons to read a file again.
func TestScanUnchanged(t *testing.T) {
	root := tree(t, map[string]string{"a.org": "one"})
	name := filepath.Join(root, "a.org")
	r := open(t, root, nil)
	start := time.Now()
	// table is what a scan at the given time leaves behind.
	table := func(now time.Time) *Table {
		s := scan(t, r, nil, now)
		text, f, err := r.Read("a.org", 0)
		if err != nil {
			t.Fatal(err)
		}
		return s.Table(nil, []Entry{{File: f, Digest: sha256.Sum256([]byte(text))}})
	}
	changed := func(prev *Table) int { return len(scan(t, r, prev, start.Add(time.Hour)).Changed) }

	settled := table(start.Add(3 * time.Second))
	if got := changed(settled); got != 0 {
		t.Errorf("settled: %d changed, want 0", got)
	}
	if got := changed(table(start.Add(time.Second))); got != 1 {
		t.Errorf("read within the settle time: %d changed, want 1", got)
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte("two"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(name, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if got := changed(settled); got != 1 {
		t.Errorf("same size and mtime, other ctime: %d changed, want 1", got)
	}
	settled = table(start.Add(3 * time.Second))
	if err := os.WriteFile(name+".new", []byte("two"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(name+".new", name); err != nil {
		t.Fatal(err)
	}
	if got := changed(settled); got != 1 {
		t.Errorf("replaced: %d changed, want 1", got)
	}
	settled = table(start.Add(3 * time.Second))
	named := open(t, root, &Options{Opaque: []string{name}})
	if got := len(scan(t, named, settled, start.Add(time.Hour)).Changed); got != 1 {
		t.Errorf("now opaque: %d changed, want 1", got)
	}
	if got := scan(t, r, NewTable([]Entry{{File: File{Path: "b.org"}}}), start).Gone; !cmp.Equal(got, []string{"b.org"}) {
		t.Errorf("gone: got %q", got)
	}
}
