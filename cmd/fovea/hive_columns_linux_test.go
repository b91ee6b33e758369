// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rivo/uniseg"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
)

// TestHiveFitsATerminal: what the verbs of agents print has at most 80 columns at a terminal of as
// many, and is there to its last word.
func TestHiveFitsATerminal(t *testing.T) {
	dir, state := t.TempDir(), filepath.Join(t.TempDir(), "state")
	long := "A title of a proposal that is longer than most, and that goes on until it says LAST"
	if err := os.WriteFile(filepath.Join(dir, "tasks.org"), []byte("* TODO Paint\n:PROPERTIES:\n:ID: paint\n:END:\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := fovea.Open(t.Context(), dir, &fovea.Options{StateDir: state})
	if err != nil {
		t.Fatal(err)
	}
	svc := ops.Guarded(api.NewLocal(m, nil))
	ada := author.WithGrant(t.Context(), api.Grant{Agent: "ada", Role: api.Agent})
	request, err := json.Marshal(map[string]any{"title": long, "under": "projects/a-file-with-a-long-name.org"})
	if err != nil {
		t.Fatal(err)
	}
	for range 12 {
		if _, err := ops.OpPropose.Call(ada, svc, ops.ProposeRequest{Op: "remember", Request: request}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := ops.OpTaskClaim.Call(ada, svc, ops.ClaimRequest{Task: "paint"}); err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	for words, want := range map[string]string{
		"review list": "LAST", "agent list": "tasks/", "agent show ada": "tasks/", "task list": "claim", "message inbox": "no messages",
		"log --since-last": "fovea review list", "task claim paint --agent bob": "until", "message send carl x --agent ada": "--first",
	} {
		c := exec.CommandContext(t.Context(), os.Args[0], append(strings.Fields(words), "--memex", dir, "--no-daemon")...)
		c.Env = append(os.Environ(), asCommand+"=1", "HOME="+dir, "MEMORY_SNAPSHOT_PATH="+state, "XDG_CONFIG_HOME="+filepath.Join(dir, "config"), "COLUMNS=")
		out, _ := atTerminal(t, c, 80) // some are refused
		if !strings.Contains(out, want) {
			t.Errorf("fovea %s: %s", words, out)
		}
		for line := range strings.Lines(out) {
			if wide := uniseg.StringWidth(strings.TrimRight(line, "\r\n")); wide > 80 {
				t.Errorf("fovea %s: %d columns: %s", words, wide, line)
			}
		}
	}
}
