// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// TestLibraryAgents runs the MCP clients of doc/library.md, in Go and in Node, in the
// example memex, and compares what they print.
func TestLibraryAgents(t *testing.T) {
	want, goBlocks := fenced(t, libraryPage, "text")[0], fenced(t, libraryPage, "go")
	for _, tc := range []struct {
		name    string
		command func(t *testing.T, dir string) []string
	}{
		{"Go", func(t *testing.T, dir string) []string {
			program := "package main\n\nimport (\n\"context\"\n\"fmt\"\n\"log\"\n\"os/exec\"\n\n\"github.com/modelcontextprotocol/go-sdk/mcp\"\n)\n\n" +
				"func run(ctx context.Context) error {\n" + goBlocks[len(goBlocks)-1] + "return nil\n}\n\n" +
				"func main() {\nif err := run(context.Background()); err != nil {\nlog.Fatal(err)\n}\n}\n"
			file := filepath.Join(dir, "agent.go")
			write(t, file, program)
			agent := filepath.Join(dir, "agent")
			if said, err := exec.CommandContext(t.Context(), "go", "build", "-o", agent, file).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			return []string{agent}
		}},
		{"Node", func(t *testing.T, dir string) []string {
			node := foveatest.Part(t, "node")
			linkPackages(t, dir)
			write(t, filepath.Join(dir, "agent.mjs"), fenced(t, libraryPage, "js")[0])
			return []string{node, "agent.mjs"}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir, env := exampleMemex(t)
			command := tc.command(t, dir)
			c := exec.CommandContext(t.Context(), command[0], command[1:]...)
			c.Dir, c.Env = dir, env
			var said bytes.Buffer
			c.Stderr = &said
			got, err := c.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, said.String())
			}
			if diff := cmp.Diff(lines(want), lines(string(got))); diff != "" {
				t.Errorf("(-doc/library.md +got):\n%s", diff)
			}
		})
	}
}

// exampleMemex copies the example memex into a folder, and returns it with an
// environment in which fovea is the test binary and works on the copy.
func exampleMemex(t *testing.T) (dir string, env []string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "examples/memex"), os.DirFS("../../examples/memex")); err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	env = append(os.Environ(), asCommand+"=1", "PATH="+shims(t)+":"+os.Getenv("PATH"), "TZ=UTC", "FOVEA_MEMEX=examples/memex",
		"XDG_STATE_HOME="+state, "XDG_CONFIG_HOME="+t.TempDir())
	t.Cleanup(func() { // one that an agent started, or a session that failed
		stopped(t, state, func() *exec.Cmd {
			c := exec.Command("sh", "-c", "fovea serve --stop")
			c.Dir, c.Env = dir, env
			return c
		})
	})
	return dir, env
}

// libraryPage shows Fovea in a program.
const libraryPage = "doc/library.md"

// fenced returns the fenced blocks of a page that are marked with a language.
func fenced(t *testing.T, page, language string) []string {
	t.Helper()
	text := pageText(t, page)
	var blocks []string
	for _, fence := range []string{"```", "````"} {
		for _, m := range regexp.MustCompile("(?ms)^"+fence+language+"\n(.*?)^"+fence+"$").FindAllStringSubmatch(text, -1) {
			blocks = append(blocks, m[1])
		}
	}
	if len(blocks) == 0 {
		t.Fatalf("%s has no block of %s", page, language)
	}
	return blocks
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func lines(s string) []string { return strings.Split(strings.TrimRight(s, "\n"), "\n") }

// shims makes a folder in which "fovea" and "go run ./cmd/fovea" are the test
// binary. "go install" installs what it names for nobody; -short leaves it out.
func shims(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	goTool := foveatest.Part(t, "go")
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	install := fmt.Sprintf(`cd %q && GOBIN=%q HOME=%q exec %q "$@"`, root, t.TempDir(), os.Getenv("HOME"), goTool)
	if testing.Short() {
		install = "exit 0"
	}
	for name, script := range map[string]string{
		"fovea": `exec "` + os.Args[0] + `" "$@"`,
		"go": `case $1 in run) shift 2; exec "` + os.Args[0] + `" "$@";; install) ` + install + `;; esac
HOME="` + os.Getenv("HOME") + `" exec "` + goTool + `" "$@"`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var changing = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|bafyrei[a-z2-7]+|recomputed \d+|process \d+|[0-9a-f]{8}-[0-9a-f-]{27}`)

// matches compares lines, where "…" stands for any number of them.
func matches(got, want []string) bool {
	for i, w := range want {
		if w == "…" {
			for j := i; j <= len(got); j++ {
				if matches(got[j:], want[i+1:]) {
					return true
				}
			}
			return false
		}
		if i >= len(got) || changing.ReplaceAllString(got[i], "*") != changing.ReplaceAllString(w, "*") {
			return false
		}
	}
	return len(got) == len(want)
}

// TestLibraryCode compares the Go library code of doc/library.md with the examples that run.
// The last block is the MCP client of TestLibraryAgents.
func TestLibraryCode(t *testing.T) {
	files, err := filepath.Glob("../../examples/library/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var examples strings.Builder
	for _, file := range append(files, "../../example_test.go") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		examples.Write(text)
	}
	blocks := fenced(t, libraryPage, "go")
	if len(blocks) < 6 {
		t.Errorf("%s shows %d examples", libraryPage, len(blocks))
	}
	for _, code := range blocks[:len(blocks)-1] {
		indented := "\t" + strings.ReplaceAll(strings.TrimRight(code, "\n"), "\n", "\n\t")
		if !strings.Contains(examples.String(), code) && !strings.Contains(examples.String(), indented) {
			t.Errorf("no example holds the code of %s:\n%s", libraryPage, code)
		}
	}
}

// TestReadmeLength keeps README.md short enough to be read.
func TestReadmeLength(t *testing.T) {
	const maxWords = 650
	if n := len(strings.Fields(pageText(t, "README.md"))); n > maxWords {
		t.Errorf("README.md has %d words, limit %d; move text to doc/", n, maxWords)
	}
}

func pageText(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile("../../" + page)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestReadmeFigures: each figure of README.md is one that the test of its command has recorded,
// each of these stands there, and the table has the same.
func TestReadmeFigures(t *testing.T) {
	recorded := map[string][]string{}
	for _, m := range regexp.MustCompile(`(?m)^Test(\w+)\t.*: (.*)$`).FindAllStringSubmatch(pageText(t, "bench/testdata/readme.txt"), -1) {
		recorded[m[1]] = append(recorded[m[1]], m[2])
	}
	readme, tests := pageText(t, "README.md"), pageText(t, "bench/readme_linux_test.go")
	shown := map[string][]string{}
	for item := range strings.SplitSeq(readme, "\n- ") {
		item, _, _ = strings.Cut(item, "\n\n")
		command := regexp.MustCompile("`(?:FOVEA_TESTDATA=DIR )?go test -C bench -v -run (\\w+) \\.`").FindStringSubmatch(item)
		if command == nil {
			continue
		}
		if !strings.Contains(tests, "func Test"+command[1]+"(") {
			t.Errorf("%s runs no test", command[0])
		}
		for _, m := range regexp.MustCompile(`\*\*([^*]+)\*\*`).FindAllStringSubmatch(item, -1) {
			shown[command[1]] = append(shown[command[1]], strings.ReplaceAll(m[1], ",", ""))
		}
	}
	sorted := cmpopts.SortSlices(strings.Compare)
	if diff := cmp.Diff(recorded, shown, sorted); diff != "" {
		t.Errorf("(-bench/testdata/readme.txt +README.md):\n%s", diff)
	}
	row := regexp.MustCompile(`(?m)^\| writes lost of (\d+) \| (\d+) .* (\d+) \|`).FindStringSubmatch(readme)
	if row == nil || !slices.Equal(row[1:], []string{"400", "0", recorded["ReadmeLost"][1]}) {
		t.Errorf("the table says %q of the writes that are lost", row)
	}
}
