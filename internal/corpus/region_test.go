// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/corpus"
)

func TestRegion(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.org", "work/b.org", "work/deep/c.org", "work/deep/own/d.org", "workshop/e.org"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("* x\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root, err := corpus.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, tc := range []struct {
		name            string
		within, without []string
		want            []string
	}{
		{"all", nil, nil, []string{"a.org", "work/b.org", "work/deep/c.org", "work/deep/own/d.org", "workshop/e.org"}},
		{"a folder", []string{"work/"}, nil, []string{"work/b.org", "work/deep/c.org", "work/deep/own/d.org"}},
		{"an absolute folder", []string{filepath.Join(dir, "work", "deep")}, nil, []string{"work/deep/c.org", "work/deep/own/d.org"}},
		{"a file", []string{"a.org"}, nil, []string{"a.org"}},
		{"all but a folder", nil, []string{"work"}, []string{"a.org", "workshop/e.org"}},
		{"the longest counts", []string{"work", "work/deep/own"}, []string{"work/deep"}, []string{"work/b.org", "work/deep/own/d.org"}},
		{"the root, but for a folder", []string{"."}, []string{"work"}, []string{"a.org", "workshop/e.org"}},
		{"nothing", nil, []string{"."}, nil},
		{"elsewhere", []string{"/nowhere", "../work"}, nil, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			part := root.Region(tc.within, tc.without)
			scan, err := part.Scan(t.Context(), nil, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range scan.Files {
				got = append(got, f.Path)
				if !part.InRegion(f.Path) || !part.Lists(f.Path) {
					t.Errorf("%s is listed but not in the region", f.Path)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
