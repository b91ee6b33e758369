// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// recorder is a testing.TB that records a skip or failure instead of ending the test.
type recorder struct {
	testing.TB
	skipped, failed string
}

func (r *recorder) Helper() {}

func (r *recorder) Skipf(format string, args ...any) {
	r.skipped = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.failed = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Errorf(format string, args ...any) { r.failed = fmt.Sprintf(format, args...) }

// watch runs f in its own goroutine, which a skip or failure ends.
func watch(t *testing.T, f func(testing.TB)) *recorder {
	t.Helper()
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(r)
	}()
	<-done
	return r
}

func TestPart(t *testing.T) {
	const absent, unset = "fovea-part-that-is-nowhere", "unset"
	for _, tc := range []struct {
		name, part, parts string
		skips, fails      bool
	}{
		{"present", "sh", unset, false, false},
		{"present and listed", "sh", "emacs sh", false, false},
		{"present and not listed", "sh", "emacs strace", true, false},
		{"present where nothing is listed", "sh", "", true, false},
		{"needed by every build", "go", "", false, false},
		{"absent", absent, unset, true, false},
		{"absent where nothing is listed", absent, "", true, false},
		{"absent and another listed", absent, "emacs strace", true, false},
		{"absent though listed by blanks", absent, "emacs " + absent, false, true},
		{"absent though listed by commas", absent, absent + ",emacs", false, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Setenv(PartsEnv, tc.parts)
			if tc.parts == unset {
				if err := os.Unsetenv(PartsEnv); err != nil {
					t.Fatal(err)
				}
			}
			r := watch(t, func(tb testing.TB) { Part(tb, tc.part) })
			if (r.skipped != "") != tc.skips || (r.failed != "") != tc.fails {
				t.Fatalf("skipped %q, failed %q", r.skipped, r.failed)
			}
			if said := r.skipped + r.failed; said != "" && !strings.Contains(said, tc.part) {
				t.Errorf("%q does not name the part", said)
			}
		})
	}
}

func TestNodePackages(t *testing.T) {
	dir := t.TempDir()
	err := os.MkdirAll(filepath.Join(dir, "@a", "b"), 0o755)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "@a", "b", "package.json"), []byte("{}"), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, env, part string
		skips, fails    bool
	}{
		{"present", dir, "@a/b", false, false},
		{"not set", "", "@a/b", true, false},
		{"set and absent", dir, "@a/c", false, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Setenv(NodeModulesEnv, tc.env)
			r := watch(t, func(tb testing.TB) { NodePackages(tb, tc.part) })
			if (r.skipped != "") != tc.skips || (r.failed != "") != tc.fails {
				t.Fatalf("skipped %q, failed %q", r.skipped, r.failed)
			}
			if said := r.skipped + r.failed; said != "" && !strings.Contains(said, tc.part) {
				t.Errorf("%q does not name the package", said)
			}
		})
	}
}

func TestTestdata(t *testing.T) {
	dir := t.TempDir()
	for _, tc := range []struct {
		name, env    string
		skips, fails bool
	}{
		{"a folder", dir, false, false},
		{"not set", "", true, false},
		{"no such folder", filepath.Join(dir, "absent"), false, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Setenv(TestdataEnv, tc.env)
			r := watch(t, func(tb testing.TB) {
				if got := Testdata(tb); got != tc.env {
					tb.Errorf("got %s, want %s", got, tc.env)
				}
			})
			if (r.skipped != "") != tc.skips || (r.failed != "") != tc.fails {
				t.Fatalf("skipped %q, failed %q", r.skipped, r.failed)
			}
		})
	}
}

func TestGolden(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "a.golden")
	compare := func(got string, write bool) string {
		return watch(t, func(tb testing.TB) { compareGolden(tb, path, []byte(got), write) }).failed
	}
	if compare("one\n", false) == "" {
		t.Error("a missing file does not fail")
	}
	if failed := compare("one\n", true); failed != "" {
		t.Fatalf("update: %s", failed)
	}
	if written, err := os.ReadFile(path); err != nil || string(written) != "one\n" {
		t.Fatalf("update wrote %q, %v", written, err)
	}
	if failed := compare("one\n", false); failed != "" {
		t.Errorf("equal bytes fail: %s", failed)
	}
	if compare("two\n", false) == "" {
		t.Error("different bytes pass")
	}
}
