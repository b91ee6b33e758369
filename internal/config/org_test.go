// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/org"
)

// TestOrg takes the settings of Emacs, and names with its line each that cannot be
// used while the others count.
func TestOrg(t *testing.T) {
	todo := []string{"TODO(t) NEXT(n!) WAIT(w@/!) | DONE(d)"}
	for _, tc := range []struct {
		name, text string
		want       *org.Defaults
		problems   []string // the end of each
	}{
		{"none", "", nil, nil},
		{"empty", "[org]\n", nil, nil},
		{"all", `[org]
todo = ["TODO(t) NEXT(n!) WAIT(w@/!) | DONE(d)"]
tags = ["work home", "{ a b }"]
log_done = "note"
log_repeat = false
log_reschedule = "time"
log_into_drawer = true
archive = "archive/%s_archive::"
links = { gh = "https://github.com/%s" }
`, &org.Defaults{Todo: todo, Tags: []string{"work home", "{ a b }"}, Startup: []string{"lognotedone", "nologrepeat", "logreschedule"},
			LogDrawer: "LOGBOOK", Archive: "archive/%s_archive::", Links: map[string]string{"gh": "https://github.com/%s"}}, nil},
		{"one text", "org.todo = \"A | B\"\n", &org.Defaults{Todo: []string{"A | B"}}, nil},
		{"a drawer", "[org]\nlog_into_drawer = \"LOG\"\n", &org.Defaults{LogDrawer: "LOG"}, nil},
		{"keyword twice", "\n[org]\nlog_done = true\ntodo = [\"A B | A\"]\n", &org.Defaults{Startup: []string{"logdone"}},
			[]string{":4: org.todo: the keyword A is listed twice; it is ignored"}},
		{"two bars", "[org]\ntodo = \"A | B | C\"\n", nil, []string{`:2: org.todo: "A | B | C" has more than one |, which separates the keywords from ` +
			`the done ones; it is ignored`}},
		{"no keyword", "[org]\ntodo = [\" | \"]\n", nil, []string{`:2: org.todo: " | " has no keyword; write it as TODO NEXT | DONE; it is ignored`}},
		{"no sequence", "[org]\ntodo = 3\n", nil, []string{":2: org.todo: 3 is not a list of texts; it is ignored"}},
		{"bad key", "[org]\ntodo = \"A(ab) | B\"\n", nil, []string{`:2: org.todo: "A(ab)": the brackets hold one key and optionally ! or @, as in ` +
			`WAIT(w@/!); it is ignored`}},
		{"COMMENT", "[org]\ntodo = \"COMMENT | B\"\n", nil, []string{`:2: org.todo: "COMMENT" has another meaning in a headline; choose another ` +
			`keyword; it is ignored`}},
		{"log_done", "[org]\nlog_done = \"yes\"\n", nil, []string{`:2: org.log_done: yes is not "time", "note" or false; it is ignored`}},
		{"a list for a word", "[org]\nlog_done = [1]\n", nil, []string{`:2: org.log_done: [1] is not "time", "note" or false; it is ignored`}},
		{"archive into a headline", "[org]\narchive = \"::* Old\"\n", nil, []string{`it is ignored`}},
		{"a line break", "[org]\ntags = [\"a\\n#+TODO: x\"]\n", nil, []string{`it is ignored`}},
		{"link", "[org.links]\n\"a b\" = \"x\"\n", nil, []string{`:1: org.links: link "a b" to "x": want a name without blanks and colons, and an ` +
			`address; it is ignored`}},
		{"unknown", "[org]\n\ntodos = \"A\"\n", nil, []string{`:3: unknown key "todos" in org; the keys are todo, tags, log_done, log_repeat, ` +
			`log_reschedule, log_redeadline, log_refile, log_into_drawer, archive, links`}},
		{"no table", "org = 1\n", nil, []string{"org: 1 is not a table; it is ignored"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "config.toml")
			if err := os.WriteFile(file, []byte(tc.text), 0o600); err != nil {
				t.Fatal(err)
			}
			environment(t, map[string]string{"HOME": t.TempDir()})
			c, err := Load(Flags{Memex: t.TempDir()}, file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, c.Org); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(c.Problems) != len(tc.problems) {
				t.Fatalf("problems %q, want %q", c.Problems, tc.problems)
			}
			for i, want := range tc.problems {
				if !strings.HasPrefix(c.Problems[i], file) || !strings.HasSuffix(c.Problems[i], want) {
					t.Errorf("problem %q, want %q behind the file", c.Problems[i], want)
				}
			}
		})
	}
}
