// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// TestPython runs the program of doc/python.md, and its commands, and compares what they print.
func TestPython(t *testing.T) {
	python := foveatest.Part(t, "python3")
	want := lines(fenced(t, "doc/python.md", "text")[0])
	memex := func(t *testing.T) *served {
		s := newServed(t)
		for name, text := range map[string]string{
			"agents/agent_001/ROM.md": "You are agent_001.\n", "src/login.go": "package login\n\nfunc In() {}\n", "a.org": "* A note\n",
		} {
			file := filepath.Join(s.memex, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, file, text)
		}
		s.run("serve", "--detach", "--http", "--quiet")
		return s
	}
	t.Run("program", func(t *testing.T) {
		s := memex(t)
		program := filepath.Join(t.TempDir(), "example.py")
		write(t, program, fenced(t, "doc/python.md", "python")[0])
		c := exec.CommandContext(t.Context(), python, program, s.state)
		c.Stderr = t.Output()
		got, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		printed := lines(string(got))
		for i := range printed {
			printed[i] = strings.TrimRight(printed[i], " ")
		}
		if len(printed) <= len(want) || !cmp.Equal(printed[:len(want)], want) {
			t.Errorf("(-page +got)\n%s", cmp.Diff(want, printed))
		}
	})
	t.Run("commands", func(t *testing.T) {
		s := memex(t)
		c := exec.CommandContext(t.Context(), "sh", "-ec", fenced(t, "doc/python.md", "sh")[0])
		c.Env = append(s.command().Env, "PATH="+shims(t)+":"+os.Getenv("PATH"), "FOVEA_MEMEX="+s.memex)
		c.Stderr = t.Output()
		got, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		var entries []struct{ ID, Priority string }
		if err := json.Unmarshal(got[strings.Index(string(got), "[\n"):], &entries); err != nil || len(entries) < len(want) {
			t.Fatalf("%v in %s", err, got)
		}
		for i, line := range want {
			if words := strings.Fields(line); words[0] != entries[i].Priority || words[1] != entries[i].ID {
				t.Errorf("entry %d is %+v, the page has %s", i, entries[i], line)
			}
		}
	})
}
