// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// judgedFolder is a folder with everything that the rule of paths looks at.
func judgedFolder(t *testing.T) (string, *Root) {
	t.Helper()
	dir := tree(t, map[string]string{
		".foveaignore": "drafts/\n*.secret.org\n", "sub/.foveaignore": "/private\n", "a.org": "", "notes/x.org": "", ".store/y.org": "",
		"out": "-> /tmp", "in": "-> notes", "stow": "-> .store", "loop": "-> loop", "dir.org/": "",
	})
	return dir, open(t, dir, &Options{SkillsDir: ".agent/skills", Opaque: []string{".zshrc", "drafts/kept.txt"}})
}

func TestJudge(t *testing.T) {
	_, root := judgedFolder(t)
	for _, tc := range []struct {
		path  string
		setup bool
		want  Verdict
	}{
		{path: "b.org", want: Listed},
		{path: "sub/deep/b.ORG", want: Listed},
		{path: "b.org_archive", want: Listed},
		{path: "b.org.gpg", want: Listed},
		{path: "agents/ada/ROM.md", want: Listed},
		{path: ".agent/skills/run.sh", want: Listed},
		{path: ".zshrc", want: Listed},
		{path: "drafts/kept.txt", want: Listed},
		{path: ".foveaignore", want: Listed},
		{path: "sub/.foveaignore", want: Listed},
		{path: "x.setup", setup: true, want: Listed},
		{path: "CON.org", want: Listed},
		{path: "a:b?.org", want: Listed},
		{path: "…and more.org", want: Listed},
		{path: "dot. /x.org", want: Listed},
		{path: "legit~1.org", want: Listed},
		{path: "stow/z.org", want: Listed},

		{path: "x.setup", want: NotHere},
		{path: "run.sh", want: NotHere},
		{path: "Makefile", want: NotHere},
		{path: "a.org~", setup: true, want: NotHere},
		{path: "#a.org#", want: NotHere},
		{path: "drafts/x.org", want: NotHere},
		{path: "a/b.secret.org", want: NotHere},
		{path: "sub/private", setup: true, want: NotHere},
		{path: "drafts/.foveaignore", want: NotHere},
		{path: "in/new.org", want: NotHere},

		{path: ".git/config", want: Never},
		{path: ".GIT/config", setup: true, want: Never},
		{path: "a/.git/x.org", want: Never},
		{path: ".dir-locals.el", setup: true, want: Never},
		{path: ".envrc", want: Never},
		{path: "a/.hidden.org", want: Never},
		{path: "\u200b.git/x.org", want: Never},
		{path: "\u200d\ufe0f.git/x.org", want: Never},
		{path: "\uff0egit/x.org", want: Never},
		{path: "\u2024git/x.org", want: Never},
		{path: "\ufe52git/x.org", want: Never},
		{path: "git~1/config.org", want: Never},
		{path: "a/GIT~2/x.org", want: Never},
		{path: "GI\u200cT~1/x.org", want: Never},
		{path: "\u2060/x.org", want: Never},
		{path: ".agent/x.org", want: Never},
		{path: ".agent/skills/.git/config", want: Never},
		{path: ".hidden/.foveaignore", want: Never},
		{path: "out/x.org", want: Never},
		{path: "loop/x.org", want: Never},
		{path: "a\nb.org", want: Never},
		{path: "a\u0085b.org", want: Never},
		{path: "a\xffb.org", want: Never},
		{path: "../x.org", want: Never},
		{path: "/x.org", want: Never},
		{path: "a//b.org", want: Never},
		{path: "a/./b.org", want: Never},
		{path: "", want: Never},
		{path: strings.Repeat("d/", 2047) + "xx.org", want: Never},
	} {
		if got, err := Judge(root, tc.path, tc.setup, nil); got != tc.want || err != nil && got == Listed {
			t.Errorf("%q, setup %v: %v, %v, want %v", tc.path, tc.setup, got, err, tc.want)
		}
	}
	if got, err := Judge(root.Region([]string{"sub"}, nil), "b.org", false, nil); got != NotHere || err != nil {
		t.Errorf("outside the region: %v, %v", got, err)
	}
	coming := func(path string) (string, bool) { return "new.org", path == "fresh/.foveaignore" }
	if got, err := Judge(root, "fresh/new.org", false, coming); got != NotHere || err != nil {
		t.Errorf("under an ignore file that comes: %v, %v", got, err)
	}
}

// TestJudgeIsWhatScansList: a file whose path is listed is one that a scan finds, and no other is.
func TestJudgeIsWhatScansList(t *testing.T) {
	dir, root := judgedFolder(t)
	parts := []string{"a", "sub", "drafts", "private", ".git", ".GIT", "git~1", "GIT~12", "git~x", "\u200b.h", "\u200bplain", "\uff0eh", "…", "in", "stow", "out",
		".agent", "skills", "agents", "ada", "x.org", "y.ORG", "b.secret.org", ".x.org", "run.sh", "ROM.md", "ROM", "#x.org#", "x.org~", "x.org.gpg", ".foveaignore",
		"notes", "kept.txt", ".zshrc", "é.org", "e\u0301.org", "a\u0085.org", "CON.org", "a b.org", "-x.org", "n.org_archive"}
	rapid.Check(t, func(t *rapid.T) {
		name := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 4).Draw(t, "parts"), "/")
		if strings.HasPrefix(name, "out") { // another folder than ours
			return
		}
		at := filepath.Join(dir, filepath.FromSlash(name))
		var made []string // folders, outermost first
		for folder := filepath.Dir(at); ; folder = filepath.Dir(folder) {
			if _, err := os.Lstat(folder); err == nil {
				break
			}
			made = append(made, folder)
		}
		if _, err := os.Lstat(at); err == nil || os.MkdirAll(filepath.Dir(at), 0o755) != nil {
			return // taken, or below a file
		}
		defer func() {
			os.Remove(at)
			for _, folder := range made {
				os.Remove(folder)
			}
		}()
		verdict, err := Judge(root, name, false, nil)
		if err != nil && !errors.Is(err, ErrElsewhere) {
			t.Fatal(strconv.Quote(name), err)
		}
		if err := os.WriteFile(at, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		s, err := root.Scan(t.Context(), nil, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if listed := slices.ContainsFunc(s.Files, func(f File) bool { return f.Path == name }); listed != (verdict == Listed) {
			t.Fatalf("%q is judged %v, and a scan lists it: %v", name, verdict, listed)
		}
	})
}
