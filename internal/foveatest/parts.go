// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The variables of the environment that the helpers read.
const (
	// TestdataEnv names the folder of outside test material.
	TestdataEnv = "FOVEA_TESTDATA"
	// PartsEnv lists, separated by blanks or commas, the programs that were
	// installed for this run.
	PartsEnv = "FOVEA_PARTS"
	// NodeModulesEnv names the folder of Node packages that was installed for
	// this run.
	NodeModulesEnv = "FOVEA_NODE_MODULES"
)

// Testdata returns the folder of outside test material, which holds corpus/,
// data/ and tools/. It skips the test when FOVEA_TESTDATA is not set, and fails
// it when the variable names no folder: a wrong path must not look like a skip.
func Testdata(tb testing.TB) string {
	tb.Helper()
	dir := os.Getenv(TestdataEnv)
	if dir == "" {
		tb.Skipf("%s is not set: %s needs the outside corpus", TestdataEnv, tb.Name())
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		tb.Fatalf("%s=%s is not a folder; unset it or correct it", TestdataEnv, dir)
	}
	return dir
}

// Part returns the path of the program name, such as emacs or strace. Where the
// program is absent it skips the test by that name, unless FOVEA_PARTS lists it
// as installed: then the absence fails the test.
func Part(tb testing.TB, name string) string {
	tb.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	if partInstalled(os.Getenv(PartsEnv), name) {
		tb.Fatalf("%s lists %s, but it is not found: %v", PartsEnv, name, err)
	}
	tb.Skipf("%s is not installed: %s needs it", name, tb.Name())
	return ""
}

// NodePackages returns the folder that FOVEA_NODE_MODULES names, which a script
// finds its packages in when it stands below a folder that has a link node_modules
// to it. Without the variable it skips the test by the name of the package that it
// needs; a folder that lacks the package fails it.
func NodePackages(tb testing.TB, name string) string {
	tb.Helper()
	dir := os.Getenv(NodeModulesEnv)
	if dir == "" {
		tb.Skipf("%s is not set: %s needs the Node package %s", NodeModulesEnv, tb.Name(), name)
	}
	if _, err := os.Stat(filepath.Join(dir, name, "package.json")); err != nil {
		tb.Fatalf("%s has no package %s: %v", NodeModulesEnv, name, err)
	}
	return dir
}

// partInstalled reports whether list, as FOVEA_PARTS gives it, holds name.
func partInstalled(list, name string) bool {
	return slices.Contains(strings.FieldsFunc(list, func(r rune) bool { return r == ' ' || r == ',' }), name)
}
