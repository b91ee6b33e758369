// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestSetup(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "outside.setup")
	for name, text := range map[string]string{
		outside:                                "x",
		filepath.Join(dir, "a.org"):            "x",
		filepath.Join(dir, "theme.setup"):      "# -*- mode: org -*-\n\n#+TODO: A\nx",
		filepath.Join(dir, "sub/theme.setup"):  "",
		filepath.Join(dir, "taxes.csv"):        "2026,17000\n",
		filepath.Join(dir, "keys.yaml"):        "# Keys.\nkey: x\n",
		filepath.Join(dir, "run.sh"):           "#!/bin/sh\n",
		filepath.Join(dir, ".hidden"):          "x",
		filepath.Join(dir, "copy~"):            "x",
		filepath.Join(dir, "private/keys"):     "x",
		filepath.Join(dir, "sub/secret"):       "x",
		filepath.Join(dir, "large"):            strings.Repeat("x", maxSetupBytes+1),
		filepath.Join(dir, ".foveaignore"):     "private/\n",
		filepath.Join(dir, "sub/.foveaignore"): "secret\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"out.setup": outside, "in.setup": "sub/theme.setup", "to.private": "private/keys", "loop": "loop"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, tc := range []struct {
		name  string
		found bool
		err   error
	}{
		{"theme.setup", true, nil},
		{"sub/theme.setup", true, nil},
		{"in.setup", true, nil},
		{"taxes.csv", false, nil},
		{"keys.yaml", false, nil},
		{"run.sh", false, nil},
		{"none.setup", false, nil},
		{"sub/none/x", false, nil},
		{"a.org", false, nil},
		{".hidden", false, nil},
		{"copy~", false, nil},
		{"private/keys", false, nil},
		{"to.private", false, nil},
		{"sub/secret", false, nil},
		{"out.setup", false, nil},
		{"sub", false, ErrSpecial},
		{"large", false, ErrTooLarge},
		{"loop", false, ErrLoop},
		{"line\nbreak", false, nil},
	} {
		found, changed, err := r.Setup(tc.name, nil)
		if found != tc.found || changed != tc.found || !errors.Is(err, tc.err) {
			t.Errorf("%q: found %v, changed %v, %v, want %v, %v", tc.name, found, changed, err, tc.found, tc.err)
		}
	}
	_, f, err := r.Read("theme.setup", 0)
	if err != nil || !f.Opaque {
		t.Fatalf("a setup file is read as %+v, %v, want an opaque one", f, err)
	}
	table := NewTable([]Entry{{File: f, Scanned: time.Now().Add(time.Hour).UnixNano()}})
	if found, changed, err := r.Setup("theme.setup", table); !found || changed || err != nil {
		t.Errorf("an unchanged one: found %v, changed %v, %v", found, changed, err)
	}
}
