// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

import (
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
	// PartsEnv lists, separated by spaces or commas, the programs that this run may use, in addition
	// to those that building needs.
	PartsEnv = "FOVEA_PARTS"
	// NodeModulesEnv names the folder of Node packages installed for this run.
	NodeModulesEnv = "FOVEA_NODE_MODULES"
)

// Testdata returns the folder of external test data, with the subfolders corpus/, data/ and tools/. It
// skips the test if FOVEA_TESTDATA is not set, and fails it if the variable does not name a folder.
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

// always lists the programs that every build needs, and the program itself under the name in its own
// tests. No run excludes them.
var always = []string{"go", "git", "fovea"}

// Part returns the path of a program such as emacs or strace, or the folder of the Debian package
// elpa-NAME of Emacs Lisp. If FOVEA_PARTS is set, Part fails the test if a listed program is missing,
// and skips it if the program is not listed, even if it is installed. If FOVEA_PARTS is not set, Part
// skips the test if the program is missing.
func Part(tb testing.TB, name string) string {
	tb.Helper()
	list, chosen := os.LookupEnv(PartsEnv)
	listed := partInstalled(list, name)
	if chosen && !listed && !slices.Contains(always, name) {
		tb.Skipf("%s is not in %s: %s needs it", name, PartsEnv, tb.Name())
	}
	path, err := exec.LookPath(name)
	if lisp, is := strings.CutPrefix(name, "elpa-"); is {
		found, _ := filepath.Glob("/usr/share/emacs/site-lisp/elpa-src/" + lisp + "-[0-9]*")
		if path, err = strings.Join(found, " "), nil; len(found) != 1 {
			err = fs.ErrNotExist
		}
	}
	if err != nil && listed {
		tb.Fatalf("%s lists %s, but it is not found: %v", PartsEnv, name, err)
	}
	if err != nil {
		tb.Skipf("%s is not installed: %s needs it", name, tb.Name())
	}
	return path
}

// NodePackages returns the folder that FOVEA_NODE_MODULES names. A script finds its packages there if a
// folder above it has a link node_modules to that folder. NodePackages skips the test if the variable is
// not set, and fails it if the folder lacks the package.
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

// partInstalled reports whether list, in the form of FOVEA_PARTS, contains name.
func partInstalled(list, name string) bool {
	return slices.Contains(strings.FieldsFunc(list, func(r rune) bool { return r == ' ' || r == ',' }), name)
}
