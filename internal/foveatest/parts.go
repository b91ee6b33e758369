// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The environment variables of the helpers.
const (
	// TestdataEnv names the folder of external test data.
	TestdataEnv = "FOVEA_TESTDATA"
	// PartsEnv lists, separated by spaces or commas, the programs that this run may use,
	// beside those that building needs.
	PartsEnv = "FOVEA_PARTS"
	// NodeModulesEnv names the folder of Node packages installed for this run.
	NodeModulesEnv = "FOVEA_NODE_MODULES"
	// SourcesEnv names the folder of source code of other people downloaded for this run.
	SourcesEnv = "FOVEA_SOURCES"
)

// Testdata returns the folder of external test data, with the subfolders corpus/, data/
// and tools/. It skips the test if FOVEA_TESTDATA is not set, and fails it if the
// variable does not name a folder, so that a wrong path does not look like a skip.
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

// always lists the programs that a clone is built with, which no run leaves out, and the
// program itself under the name that its own tests give it.
var always = []string{"go", "git", "fovea"}

// Part returns the path of the program name, such as emacs or strace. Where FOVEA_PARTS is
// set, a run has exactly the programs that it lists: Part fails the test if a listed one is
// missing, and skips the test with the name of one that is not listed, though it may be
// installed. Where it is not set, Part skips the test if the program is missing.
func Part(tb testing.TB, name string) string {
	tb.Helper()
	return part(tb, name, exec.LookPath)
}

// Elisp returns the folder of the package elpa-name of Debian, which is Emacs Lisp. It is a
// part like the programs of Part, under the name elpa-name.
func Elisp(tb testing.TB, name string) string {
	tb.Helper()
	return part(tb, "elpa-"+name, func(string) (string, error) {
		found, err := filepath.Glob("/usr/share/emacs/site-lisp/elpa-src/" + name + "-[0-9]*")
		if len(found) == 0 {
			return "", errors.Join(fs.ErrNotExist, err)
		}
		return found[0], nil
	})
}

// part finds a part by find, as Part says.
func part(tb testing.TB, name string, find func(string) (string, error)) string {
	tb.Helper()
	list, chosen := os.LookupEnv(PartsEnv)
	listed := partInstalled(list, name)
	if chosen && !listed && !slices.Contains(always, name) {
		tb.Skipf("%s is not in %s: %s needs it", name, PartsEnv, tb.Name())
	}
	path, err := find(name)
	if err != nil && listed {
		tb.Fatalf("%s lists %s, but it is not found: %v", PartsEnv, name, err)
	}
	if err != nil {
		tb.Skipf("%s is not installed: %s needs it", name, tb.Name())
	}
	return path
}

// NodePackages returns the folder that FOVEA_NODE_MODULES names. A script finds its
// packages there if a folder above it has a link node_modules to that folder. If the
// variable is not set, NodePackages skips the test with the name of the package; if the
// folder lacks the package, it fails the test.
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

// Sources returns the folder that FOVEA_SOURCES names, with the packages of source code
// that .ci/sources unpacks. If the variable is not set, Sources skips the test; if it names
// no folder, it fails it.
func Sources(tb testing.TB) string {
	tb.Helper()
	dir := os.Getenv(SourcesEnv)
	if dir == "" {
		tb.Skipf("%s is not set: %s needs the source code that .ci/sources downloads", SourcesEnv, tb.Name())
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		tb.Fatalf("%s=%s is not a folder; run .ci/parts again", SourcesEnv, dir)
	}
	return dir
}

// partInstalled reports whether list, in the form of FOVEA_PARTS, contains name.
func partInstalled(list, name string) bool {
	return slices.Contains(strings.FieldsFunc(list, func(r rune) bool { return r == ' ' || r == ',' }), name)
}
