// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package text

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

func TestIgnored(t *testing.T) {
	for _, tc := range []struct {
		name, text, path string
		isFolder         bool
		want             bool
	}{
		{"nothing", "", "a.org", false, false},
		{"name anywhere", "a.org", "x/y/a.org", false, true},
		{"comment", "#a.org", "#a.org", false, false},
		{"escaped comment", `\#a.org`, "#a.org", false, true},
		{"escaped exclamation mark", `\!a.org`, "!a.org", false, true},
		{"kept again", "*.org\n!a.org", "a.org", false, false},
		{"left out again", "*.org\n!a.org\na.*", "a.org", false, true},
		{"folder pattern, folder", "drafts/", "x/drafts", true, true},
		{"folder pattern, file", "drafts/", "x/drafts", false, false},
		{"anchored by its first slash", "/a.org", "x/a.org", false, false},
		{"anchored by a middle slash", "x/a.org", "y/x/a.org", false, false},
		{"star stops at slash", "x/*.org", "x/y/a.org", false, false},
		{"any depth before", "**/y/a.org", "y/a.org", false, true},
		{"any depth between", "x/**/a.org", "x/a.org", false, true},
		{"all below", "x/**", "x/y/z", false, true},
		{"all below is not the folder", "x/**", "x", true, false},
		{"two stars in a name are one", "a**/b", "ax/y/b", false, false},
		{"set", "[a-c].org", "b.org", false, true},
		{"negated set", "[!a-c].org", "b.org", false, false},
		{"bracket in a set", "[]x].org", "].org", false, true},
		{"class", "[[:digit:]].org", "7.org", false, true},
		{"slash never in a set", "x[/]y", "x/y", false, false},
		{"set without an end", "[a.org", "[a.org", false, false},
		{"escape without an end", `a\`, `a\`, false, false},
		{"blanks at the end", "a.org   ", "a.org", false, true},
		{"escaped blank at the end", `a\ `, "a ", false, true},
		{"line of Windows", "a.org\r\nb", "a.org", false, true},
		{"byte order mark", "\ufeffa.org", "a.org", false, true},
		{"question mark is a byte", "?.org", "é.org", false, false},
		{"many stars end", strings.Repeat("*a", 200) + "b", strings.Repeat("a", 4000), false, false},
		{"many folders end", strings.Repeat("**/a/", 100) + "b", strings.Repeat("a/", 1000) + "c", false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := ParsePatterns(nil, ".", tc.text).Match(tc.path, tc.isFolder); got != tc.want {
				t.Errorf("%q on %q: got %v, want %v", tc.text, tc.path, got, tc.want)
			}
		})
	}
}

func TestIgnoresOfFolderBelow(t *testing.T) {
	top := ParsePatterns(nil, ".", "*.org\n!/x/keep.org")
	below := ParsePatterns(top, "x", "!/a.org\n/keep.org")
	for path, want := range map[string]bool{"x/a.org": false, "x/y/a.org": true, "x/keep.org": true, "x/b.org": true, "x/c.txt": false} {
		if got := below.Match(path, false); got != want {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
}

// The alphabet of the differential test: few letters, so that patterns often
// match, and every byte that has a meaning in a pattern.
var (
	patternText = rapid.StringOfN(rapid.RuneFrom([]rune("aabbc***??//[]]!^-\\\\:. #é\r\t")), 0, 10, -1)
	patternPart = rapid.SampledFrom([]string{
		"a", "b", "ab", "*", "**", "?", "/", "/", "/**/", "**/", "/**", "[ab]", "[!a]", "[^b]", "[a-c]", "[]a]", "[!]a]", "[a-]", "[--a]", "[[:alpha:]]",
		"[[:punct:]]", "[[:nope:]]", "[[:alpha:]-z]", "[a/b]", "\\a", "\\*", "\\/", "\\ ", " ", "!", "#", "\\!", "\\#", ".", "é", "[\\]]", "[\\a-c]", "[c-a]",
	})
	pathNames = rapid.SampledFrom([]string{"a", "b", "c", "ab", "ba", "aa", "a b", "a ", "!a", "#a", "[a", "a]", "*", "a*", "é", "a.b", "-", "\\", "]"})
)

// undocumented matches the lines for which Git does not follow its own manual
// but this package does: before an escaped slash ** needs at least one folder,
// and two stars that follow another byte and precede a slash sometimes act as
// ** (depending on memory addresses, up to Git 2.40).
var undocumented = regexp.MustCompile(`\*\*\\/|[^/]\*\*(/|\s*$)`)

func drawIgnoreText(t *rapid.T, label string) string {
	line := rapid.Custom(func(t *rapid.T) string {
		if rapid.Bool().Draw(t, "raw") {
			return patternText.Draw(t, "text")
		}
		return strings.Join(rapid.SliceOfN(patternPart, 1, 6).Draw(t, "parts"), "")
	})
	line = line.Filter(func(s string) bool { return !undocumented.MatchString(s) })
	return strings.Join(rapid.SliceOfN(line, 1, 4).Draw(t, label), "\n")
}

// TestIgnoresAsGit draws trees with ignore files and compares the result for
// each path in them with that of Git.
func TestIgnoresAsGit(t *testing.T) {
	git := foveatest.Part(t, "git")
	repository := filepath.Join(t.TempDir(), ".git")
	if out, err := exec.Command(git, "init", "-q", "--bare", "--template=", repository).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	rapid.Check(t, func(t *rapid.T) {
		texts := map[string]string{".": drawIgnoreText(t, "root")}
		if rapid.Bool().Draw(t, "nested") {
			texts["a"] = drawIgnoreText(t, "a")
		}
		paths := map[string]bool{"a": true} // path -> whether it is a folder
		for range 12 {
			names := rapid.SliceOfN(pathNames, 1, 4).Draw(t, "path")
			for i := range names {
				path := strings.Join(names[:i+1], "/")
				if isFolder, ok := paths[path]; ok && !isFolder {
					break
				}
				paths[path] = i < len(names)-1 || paths[path]
			}
		}
		want := askGit(t, git, repository, texts, paths)
		for path, isFolder := range paths {
			if got := ignoredBelow(texts, path, isFolder); got != want[path] {
				t.Errorf("%q of %q (folder: %v): got %v, Git has %v", path, texts, isFolder, got, want[path])
			}
		}
	})
}

// ignoredBelow tests a path and the folders above it, as a scan does.
func ignoredBelow(texts map[string]string, path string, isFolder bool) bool {
	in := ParsePatterns(nil, ".", texts["."])
	for i, c := range path {
		if c != '/' {
			continue
		}
		if in.Match(path[:i], true) {
			return true
		}
		if text, ok := texts[path[:i]]; ok {
			in = ParsePatterns(in, path[:i], text)
		}
	}
	return in.Match(path, isFolder)
}

// askGit creates the tree and returns the output of git check-ignore for each
// path.
func askGit(t *rapid.T, git, repository string, texts map[string]string, paths map[string]bool) map[string]bool {
	dir, err := os.MkdirTemp("", "ignores")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	var files []string
	for path, isFolder := range paths {
		folder := path
		if !isFolder {
			folder = filepath.Dir(path)
			files = append(files, path)
		}
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range files {
		write(t, filepath.Join(dir, path), "")
	}
	for folder, text := range texts {
		write(t, filepath.Join(dir, folder, ".gitignore"), text)
	}
	var stdin strings.Builder
	for path := range paths {
		stdin.WriteString(path + "\x00")
	}
	cmd := exec.Command(git, "-c", "core.bare=false", "-c", "core.excludesFile=", "check-ignore", "--no-index", "-z", "--stdin")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_DIR="+repository, "GIT_WORK_TREE="+dir)
	cmd.Stdin = strings.NewReader(stdin.String())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	// Status 1 means that no path is ignored.
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && (!ok || exit.ExitCode() != 1 || stderr.Len() > 0) {
		t.Fatalf("git check-ignore: %v\n%s", err, stderr.Bytes())
	}
	said := strings.Split(string(out), "\x00")
	want := map[string]bool{}
	for path := range paths {
		want[path] = slices.Contains(said, path)
	}
	return want
}

func write(t interface{ Fatal(...any) }, name, text string) {
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func FuzzIgnored(f *testing.F) {
	f.Add("*.org\n!a/**/b[[:alpha:]-z]\n", "a/b.org", true)
	f.Add("[!]a-\\]]/**", "x/y", false)
	f.Fuzz(func(t *testing.T, text, path string, isFolder bool) {
		in := ParsePatterns(nil, ".", text)
		// Whatever the other lines are, a last line * ignores everything.
		in.Match(path, isFolder)
		if !ParsePatterns(nil, ".", text+"\n*").Match(path, isFolder) {
			t.Errorf("%q: * does not match %q", text, path)
		}
	})
}

func TestValid(t *testing.T) {
	for line, want := range map[string]bool{"*.org": true, "/a/**/b/": true, "!x": true, "": false, "# x": false, "a[": false, "/": false, "a\nb": false} {
		if got := IsPattern(line); got != want {
			t.Errorf("%q: got %v", line, got)
		}
	}
}
