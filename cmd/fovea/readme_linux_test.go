// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/face"
)

// TestReadme runs the terminal sessions of README.md, doc/tour.md, doc/agents.md, doc/hooks.md and working/README.md, each in a copy of
// the example memex at a terminal of 80 columns, and compares what they print. A line of
// "…" stands for any lines; times, digests, ids and counts of what was recomputed may
// differ.
func TestReadme(t *testing.T) {
	for _, page := range []string{"README.md", "doc/tour.md", "working/README.md", "doc/agents.md", "doc/hooks.md"} {
		t.Run(page, func(t *testing.T) {
			dir, env := exampleMemex(t)
			for _, block := range fenced(t, page, "console") {
				for _, run := range strings.Split("\n"+block, "\n$ ")[1:] {
					command, want, _ := strings.Cut(run, "\n")
					c := exec.CommandContext(t.Context(), "sh", "-c", command)
					c.Dir, c.Env = dir, env
					got, err := atTerminal(t, c, face.Columns)
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
