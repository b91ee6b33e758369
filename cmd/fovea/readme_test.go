// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadme runs the terminal sessions of README.md in a copy of the example
// memex and compares what they print. A line of "…" stands for any lines;
// times, digests, ids and counts of what was recomputed may differ.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "examples/memex"), os.DirFS("../../examples/memex")); err != nil {
		t.Fatal(err)
	}
	bin := shims(t)
	env := append(os.Environ(), asCommand+"=1", "PATH="+bin+":"+os.Getenv("PATH"), "TZ=UTC", "FOVEA_MEMEX=examples/memex",
		"XDG_STATE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
	t.Cleanup(func() { // where a session failed that would have stopped it
		c := exec.Command("sh", "-c", "fovea serve --stop")
		c.Dir, c.Env = dir, env
		_ = c.Run()
	})
	blocks := regexp.MustCompile("(?ms)^```console\n(.*?)^```$").FindAllStringSubmatch(string(text), -1)
	if len(blocks) == 0 {
		t.Fatal("README.md shows no terminal session")
	}
	for _, b := range blocks {
		for _, run := range strings.Split("\n"+b[1], "\n$ ")[1:] {
			command, want, _ := strings.Cut(run, "\n")
			c := exec.CommandContext(t.Context(), "sh", "-c", command)
			c.Dir, c.Env = dir, env
			got, err := c.CombinedOutput()
			if err != nil {
				t.Errorf("$ %s\n%s%v", command, got, err)
				continue
			}
			if !matches(lines(string(got)), lines(want)) {
				t.Errorf("$ %s\nprints\n%s\nREADME.md says\n%s", command, got, want)
			}
		}
	}
}

func lines(s string) []string { return strings.Split(strings.TrimRight(s, "\n"), "\n") }

// shims makes a folder in which "fovea" and "go run ./cmd/fovea" are the test
// binary.
func shims(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, script := range map[string]string{
		"fovea": `exec "` + os.Args[0] + `" "$@"`,
		"go":    `shift 2; exec "` + os.Args[0] + `" "$@"`,
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

// TestReadmeCode holds the Go code of README.md against the example that runs.
func TestReadmeCode(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("../../example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)```go\n(.*?)```").FindSubmatch(readme)
	if m == nil {
		t.Fatal("README.md shows no Go code")
	}
	indented := "\t" + strings.ReplaceAll(strings.TrimRight(string(m[1]), "\n"), "\n", "\n\t")
	if !strings.Contains(string(example), indented) {
		t.Errorf("example_test.go does not hold the code of README.md:\n%s", indented)
	}
}
