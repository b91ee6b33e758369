// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// TestProblemsAreInWords: a value of a wrong kind for any setting, in the file or the environment,
// is described without the words of Go.
func TestProblemsAreInWords(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "config.toml")
	environment(t, map[string]string{"HOME": dir})
	for _, s := range settings {
		for _, v := range []string{`true`, `7`, `-1`, `1.5`, `"x"`, `""`, `[]`, `[[1]]`, `["x", 2]`, `{}`,
			`{x = 1}`, `{x = {y = [1]}}`, `{x = ["y"]}`, `2020-01-02`, `nan`} {
			if err := os.WriteFile(name, fmt.Appendf(nil, "%s = %s\n", s.key, v), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, given := range append(s.env, "") {
				if given != "" {
					t.Setenv(given, strings.Trim(v, `"`))
				}
				c, err := Load(Flags{Memex: filepath.Join(dir, "memex")}, name)
				text := fmt.Sprint(strings.Join(c.Problems, "\n"), "\n", err)
				if word := foveatest.InnerWord(strings.TrimSuffix(text, "<nil>")); word != "" {
					t.Errorf("%s = %s: %q in %s", s.key, v, word, text)
				}
				if given != "" {
					t.Setenv(given, "")
				}
			}
		}
	}
}
