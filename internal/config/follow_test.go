// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestAnOldProblemIsNoNewOne: a mistake that was in the file when the process started keeps no
// change from taking effect, wherever in the file it stands now; a new one does.
func TestAnOldProblemIsNoNewOne(t *testing.T) {
	root := folders(t, "notes")
	name := filepath.Join(root, "config.toml")
	environment(t, map[string]string{"XDG_STATE_HOME": root, "CONTEXT_LOG_LIMIT": "many"})
	for _, old := range []string{"[org]\ntodos = 1\n", "[org]\ntodo = 3\n", "bugdet = 1\n", "log_limit = -1\n", "[grants.a]\npath = 1\n", "org = 1\n",
		"[org.links]\n\"a b\" = \"x\"\n"} {
		file(t, name, old)
		c, err := Load(Flags{Memex: root + "/notes"}, name)
		if err != nil || len(c.Problems) < 2 {
			t.Fatalf("%s: %v %q", old, err, c.Problems)
		}
		f := c.Follow(Flags{Memex: root + "/notes"})
		look := func(text string) (Config, string) {
			file(t, name, text)
			_, _ = f.Look(c) // it has changed
			return f.Look(c)
		}
		if next, advice := look("budget = 300\n\n" + old); next.Budget != 300 || advice != "" {
			t.Errorf("%q, moved: budget %d, %s", old, next.Budget, advice)
		}
		if next, advice := look("budget = 400\ncolour = 1\n" + old); next.Budget != 8000 || !strings.Contains(advice, `config.toml:2: unknown key "colour"`) {
			t.Errorf("%q, and a new one: budget %d, %s", old, next.Budget, advice)
		}
	}
}
