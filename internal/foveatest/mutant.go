// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Mutant is a defect that is planted in the package of a test: its name, a file, an old text in
// it, and the new one.
type Mutant [4]string

// Mutants plants defects, each in its own build: the tests that run matches, in the package in a
// folder, must find each in the short form of their campaigns. args are those of the test program.
func Mutants(t *testing.T, mutants []Mutant, folder, run string, args ...string) {
	for _, m := range mutants {
		name, file, before, after := m[0], m[1], m[2], m[3]
		t.Run(name, func(t *testing.T) {
			path, err := filepath.Abs(file)
			text, readErr := os.ReadFile(file)
			if err := errors.Join(err, readErr); err != nil || !strings.Contains(string(text), before) {
				t.Fatalf("%s has no %q: %v", file, before, err)
			}
			planted, overlay := filepath.Join(t.TempDir(), file), filepath.Join(t.TempDir(), "overlay.json")
			list, err := json.Marshal(map[string]any{"Replace": map[string]string{path: planted}})
			if err == nil {
				err = os.WriteFile(planted, []byte(strings.Replace(string(text), before, after, 1)), 0o600)
			}
			if err == nil {
				err = os.WriteFile(overlay, list, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			call := append([]string{"test", "-vet=off", "-overlay", overlay, "-run", run, "-count=1", folder, "-args"}, args...)
			c := exec.Command("go", call...)
			c.Env = append(os.Environ(), CampaignEnv+"=")
			out, err := c.CombinedOutput()
			if err == nil {
				t.Errorf("is not found")
			} else if !strings.Contains(string(out), "--- FAIL: Test") && !strings.Contains(string(out), "panic: ") {
				t.Fatalf("the test does not run: %.2000s", out)
			}
			for line := range strings.Lines(string(out)) {
				if strings.Contains(line, "[rapid] failed after") || strings.Contains(line, "panic:") || strings.Contains(line, "    --- FAIL:") {
					t.Log(strings.TrimSpace(line))
				}
			}
		})
	}
}
