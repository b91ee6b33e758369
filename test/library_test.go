// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"os/exec"
	"testing"
)

// TestLibraryExamples runs the examples of doc/library.md from a module of their own, in which
// nothing of an internal package can be named.
func TestLibraryExamples(t *testing.T) {
	run := exec.CommandContext(t.Context(), "go", "test", "-count=1", ".")
	run.Dir = "../examples/library"
	if said, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
}
