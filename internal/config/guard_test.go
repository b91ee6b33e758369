// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/guard"
)

// A policy that cannot be read as it is ends the command: half of it would protect
// half of what it should.
func TestGuardPolicy(t *testing.T) {
	root := folders(t, "notes")
	for _, tc := range []struct {
		name, file, wrong string
		want              guard.Rules
	}{
		{name: "none"},
		{
			name: "all modes", file: "[guard]\nlockdown = [\"core/\", \"!core/x.org\"]\nask = [\"*.org_archive\"]\ntrusted = []\n",
			want: guard.Rules{Lockdown: []string{"core/", "!core/x.org"}, Ask: []string{"*.org_archive"}},
		},
		{name: "another mode", file: "[guard]\nlocked = []\n", wrong: `unknown key "locked"; there are ask, lockdown, trusted`},
		{name: "no list", file: "[guard]\nask = \"x\"\n", wrong: "ask: x is not a list of patterns"},
		{name: "no pattern", file: "[guard]\nask = [1]\n", wrong: "ask: 1 is not a pattern"},
		{name: "a pattern of nothing", file: "[guard]\nask = [\"a[\"]\n", wrong: `ask: "a[" matches no path`},
		{name: "no table", file: "guard = [\"a\"]\n", wrong: "not a table"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "config.toml")
			file(t, name, tc.file)
			environment(t, map[string]string{"MEMORY_SNAPSHOT_PATH": root + "/state"})
			got, err := Load(Flags{Memex: root + "/notes"}, name)
			if tc.wrong != "" {
				if !errors.Is(err, ErrFile) || !strings.Contains(err.Error(), tc.wrong) {
					t.Errorf("got %v, want %s", err, tc.wrong)
				}
				return
			}
			if diff := cmp.Diff(tc.want, got.Guard); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}
