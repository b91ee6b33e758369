// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
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

// TestLibraryNamesHolder: a program that finds the store open is told the process and its name, though
// that set no Options.Command.
func TestLibraryNamesHolder(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* A\n"})
	_, err := fovea.Open(t.Context(), w.dir, &fovea.Options{StateDir: w.state})
	if fovea.KindOf(err) != fovea.Conflict || !strings.Contains(err.Error(), "(test") {
		t.Errorf("got %v", err)
	}
}
