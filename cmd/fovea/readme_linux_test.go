// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/internal/face"
)

// TestReadme runs the terminal sessions of README.md, doc/tour.md, doc/agents.md, doc/hooks.md and working/README.md, each in a copy of
// the example memex at a terminal of 80 columns, and compares what they print. A line of
// "…" stands for any lines; times, digests, ids and counts of what was recomputed may
// differ. Nobody has to scroll sideways in the first two.
func TestReadme(t *testing.T) {
	for i, page := range []string{"README.md", "doc/tour.md", "working/README.md", "doc/agents.md", "doc/hooks.md"} {
		t.Run(page, func(t *testing.T) {
			s := newShell(t)
			if page == "README.md" {
				s = newcomer(t)
			}
			for _, block := range fenced(t, page, "console") {
				for line := range strings.Lines(block) {
					if i < 2 && utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > face.Columns {
						t.Errorf("%q has more than %d columns", line, face.Columns)
					}
				}
				for _, run := range strings.Split("\n"+block, "\n$ ")[1:] {
					command, want, _ := strings.Cut(run, "\n")
					for strings.HasSuffix(command, "\\") {
						next, rest, _ := strings.Cut(want, "\n")
						command, want = command+"\n"+next, rest
					}
					got, err := s.run(t, command)
					if err != nil {
						t.Errorf("$ %s\n%s%v", command, got, err)
						continue
					}
					if !matches(lines(got), lines(want)) {
						t.Errorf("$ %s\nprints\n%s\n%s says\n%s", command, got, page, want)
					}
				}
			}
		})
	}
}

// shell runs one command after the other at a terminal of 80 columns.
type shell struct {
	dir   string
	env   []string
	state string // what the last command exported, and the folder that it ended in
}

// newShell starts in a folder with the example memex.
func newShell(t *testing.T) *shell {
	t.Helper()
	dir, env := exampleMemex(t)
	return &shell{dir, env, filepath.Join(t.TempDir(), "state")}
}

// newcomer is a shell of a person who has a clone, notes of their own in ~/org, and nothing of Fovea.
func newcomer(t *testing.T) *shell {
	t.Helper()
	s, home := newShell(t), t.TempDir()
	s.env = slices.DeleteFunc(s.env, func(v string) bool { return strings.HasPrefix(v, "FOVEA_MEMEX=") })
	s.env = append(s.env, "HOME="+home)
	if err := os.Mkdir(filepath.Join(home, "org"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(home, "org", "garden.org"), "* Apples\n")
	return s
}

func (s *shell) run(t *testing.T, command string) (string, error) {
	t.Helper()
	script := fmt.Sprintf("[ ! -e %[1]q ] || . %[1]q\n%s\ns=$?\n{ export -p; echo \"cd '$PWD'\"; } >%[1]q\nexit $s", s.state, command)
	c := exec.CommandContext(t.Context(), "sh", "-c", script)
	c.Dir, c.Env = s.dir, s.env
	return atTerminal(t, c, face.Columns)
}
