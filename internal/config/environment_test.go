// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"os"
	"strings"
	"testing"
)

// environment replaces the environment of this process while a test runs, but for what programs
// need.
func environment(t *testing.T, vars map[string]string) {
	t.Helper()
	for _, one := range os.Environ() {
		if name, _, _ := strings.Cut(one, "="); name != "PATH" && name != "TMPDIR" {
			t.Setenv(name, "")
		}
	}
	for name, value := range vars {
		t.Setenv(name, value)
	}
}
