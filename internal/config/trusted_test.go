// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTrust(t *testing.T) {
	root := folders(t, "notes")
	for _, tc := range []struct {
		name, file, wrong string
		want              Trust
	}{
		{name: "none"},
		{
			name: "agents and paths", file: "[trust]\nagents = [\"mint\"]\npaths = [\"agents/*/facts.org\", \"projects/\"]\n",
			want: Trust{Agents: []string{"mint"}, Paths: []string{"agents/*/facts.org", "projects/"}},
		},
		{name: "another key", file: "[trust]\nagent = [\"mint\"]\n", wrong: `unknown key "agent"; there are agents, paths`},
		{name: "no list", file: "[trust]\nagents = \"mint\"\n", wrong: "agents: mint is not a list of texts"},
		{name: "no name", file: "[trust]\nagents = [\"owner\"]\n", wrong: "agents: "},
		{name: "a pattern of nothing", file: "[trust]\npaths = [\"a[\"]\n", wrong: `paths: "a[" matches no path`},
		{name: "no table", file: "trust = [\"mint\"]\n", wrong: "not a table"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "config.toml")
			file(t, name, tc.file)
			environment(t, map[string]string{"MEMORY_SNAPSHOT_PATH": root + "/state"})
			got, err := Load(Flags{Memex: root + "/notes"}, name)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got.Trust); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if problems := strings.Join(got.Problems, "\n"); !strings.Contains(problems, tc.wrong) || tc.wrong == "" && problems != "" {
				t.Errorf("problems %q, want %q", problems, tc.wrong)
			}
		})
	}
}

func TestTrustCovers(t *testing.T) {
	if (Trust{}).Covers() != nil {
		t.Error("nothing is trusted by default, but there is a function that may say otherwise")
	}
	covers := Trust{Agents: []string{"mint"}, Paths: []string{"agents/*/facts.org", "projects/", "!projects/wild.org"}}.Covers()
	for _, tc := range []struct {
		agent, path string
		want        bool
	}{
		{"mint", "agents/mint/notes.org", true},
		{"sage", "agents/sage/notes.org", false},
		{"sage", "agents/sage/facts.org", true},
		{"sage", "projects/kaplja.org", true},
		{"sage", "Projects/kaplja.org", false},
		{"", "notes.org", false},
	} {
		if got := covers(tc.agent, tc.path); got != tc.want {
			t.Errorf("%s in %s: %v, want %v", tc.agent, tc.path, got, tc.want)
		}
	}
}
