// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/merkle"
)

// TestReadExpected: only the files with the expected digest get entries.
func TestReadExpected(t *testing.T) {
	const was = "* One\n"
	dir := tree(t, map[string]string{
		"a.org": was, "changed.org": "* Two\n", "gone.org": was, "folder.org": was, "unknown.org": was, "z.org": was,
	})
	r := open(t, dir, nil)
	changed := scan(t, r, nil, time.Now()).Changed
	for _, name := range []string{"gone.org", "folder.org"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.org"), 0o755); err != nil {
		t.Fatal(err)
	}
	held := func(f File) (merkle.Digest, bool) { return merkle.Sum([]byte(was)), f.Path != "unknown.org" }
	later := time.Now().Add(time.Hour)
	same := r.ReadExpected(t.Context(), changed, later, held)
	var paths []string
	for _, e := range same {
		paths = append(paths, e.Path)
		if e.Scanned != later.UnixNano() || e.Digest != merkle.Sum([]byte(was)) {
			t.Errorf("entry %+v", e)
		}
	}
	if diff := cmp.Diff([]string{"a.org", "z.org"}, paths); diff != "" {
		t.Errorf("the same files (-want +got):\n%s", diff)
	}
	var left []string
	for _, f := range scan(t, r, NewTable(same), later).Changed {
		left = append(left, f.Path)
	}
	if diff := cmp.Diff([]string{"changed.org", "unknown.org"}, left); diff != "" {
		t.Errorf("what is to be read after that (-want +got):\n%s", diff)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	asked := func(f File) (merkle.Digest, bool) {
		t.Errorf("after the end %s is asked for", f.Path)
		return held(f)
	}
	if got := r.ReadExpected(ctx, changed, later, asked); len(got) != 0 {
		t.Errorf("after the end: %+v", got)
	}
}

// TestDigestHoldsNoFile: a digest is taken without the whole file in memory.
func TestDigestHoldsNoFile(t *testing.T) {
	const size = 8 << 20
	r := open(t, tree(t, map[string]string{"a.org": strings.Repeat("x", size)}), nil)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, _, err := r.dir.fileDigest("a.org"); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > size/8 {
		t.Errorf("%d bytes for a file of %d", got, size)
	}
}
