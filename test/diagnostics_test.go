// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
)

// TestDiagnostics: what is odd is told with file and line, in order.
func TestDiagnostics(t *testing.T) {
	dir := t.TempDir()
	w := &world{t: t, dir: dir, state: filepath.Join(t.TempDir(), "s")}
	w.write(map[string]string{
		"a.org":     "* A\ntext\n:PROPERTIES:\n:ID: x\n:END:\n* B\n:PROPERTIES:\n:ID: one\n:END:\n[[id:none]]\n",
		"b.org":     "[[file:a.org]] [[file:sub/p.png]] [[file:sub/q.png]] [[id:away]]\n* C\n:PROPERTIES:\n:ID: one\n:END:\n[[*D]]\n",
		"sub/p.png": "picture",
	})
	elsewhere := func(id string) bool { return id == "away" }
	m, err := fovea.Open(t.Context(), dir, &fovea.Options{StateDir: w.state, ElsewhereID: elsewhere})
	if err != nil {
		t.Fatal(err)
	}
	w.m = m
	defer m.Close()
	w.ingest()
	problems, err := m.Folder().Diagnostics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range problems {
		got = append(got, fmt.Sprintf("%s:%d: %s: %s", p.Path, p.Line, p.Kind, p.Message))
	}
	want := []string{
		"a.org:3: syntax: property drawer is neither directly below its headline nor first in the file, so it is not read",
		`a.org:10: link: no node has the id "none"`,
		`b.org:1: link: no file "sub/q.png"`,
		`b.org:2: id: ID "one" belongs to another node; a derived id is used`,
		`b.org:6: link: b.org has no headline "D"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
