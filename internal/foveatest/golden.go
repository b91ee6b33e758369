// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files of the tests that run instead of comparing with them")

// Updating reports whether the flag -update is set.
func Updating() bool { return *update }

// Golden compares got with the file testdata/name of the package under test and fails
// the test with a diff if they differ. With the flag -update it writes the file instead.
// A golden file of a format changes only with a new version of that format.
func Golden(tb testing.TB, name string, got []byte) {
	tb.Helper()
	compareGolden(tb, filepath.Join("testdata", filepath.FromSlash(name)), got, *update)
}

// compareGolden implements Golden for a file path and a value of the flag.
func compareGolden(tb testing.TB, path string, got []byte, write bool) {
	tb.Helper()
	if write {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			tb.Fatalf("golden: %v", err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			tb.Fatalf("golden: %v", err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		tb.Fatalf("golden: %v; go test -update writes it", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		tb.Errorf("%s differs (-want +got):\n%s", path, diff)
	}
}
