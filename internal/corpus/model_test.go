// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"crypto/sha256"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/document"
)

// model is a folder with known content, and the table of its last scan.
type model struct {
	dir     string
	root    *Root
	now     time.Time
	texts   map[string]string // of all files there are
	scanned map[string]string // as they were at the last scan
	touched map[string]bool   // since the last scan
	table   *Table
	writes  int
}

var modelPaths = rapid.SampledFrom([]string{"a.org", "b.org", "d/a.org", "d/b.org_archive", "d/e/c.org", "skills/s.md", "ignored/a.org", "x.txt"})

func isListed(path string) bool { return path != "ignored/a.org" && path != "x.txt" }

func (m *model) write(t *rapid.T) {
	path := modelPaths.Draw(t, "path")
	text := rapid.SampledFrom([]string{"one", "two", "three"}).Draw(t, "text")
	name := filepath.Join(m.dir, path)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, name, text)
	// Times that differ stand for seconds that pass.
	m.writes++
	when := m.now.Add(time.Duration(m.writes) * time.Second)
	if err := os.Chtimes(name, when, when); err != nil {
		t.Fatal(err)
	}
	m.texts[path], m.touched[path] = text, true
}

func (m *model) existing(t *rapid.T) string {
	paths := slices.DeleteFunc(slices.Sorted(maps.Keys(m.texts)), document.IsIgnore)
	if len(paths) == 0 {
		t.Skip("no file yet")
	}
	return rapid.SampledFrom(paths).Draw(t, "existing")
}

func (m *model) remove(t *rapid.T) {
	path := m.existing(t)
	if err := os.Remove(filepath.Join(m.dir, path)); err != nil {
		t.Fatal(err)
	}
	delete(m.texts, path)
	m.touched[path] = true
}

func (m *model) rename(t *rapid.T) {
	from, to := m.existing(t), modelPaths.Draw(t, "to")
	if from == to {
		return
	}
	if err := os.MkdirAll(filepath.Join(m.dir, filepath.Dir(to)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(m.dir, from), filepath.Join(m.dir, to)); err != nil {
		t.Fatal(err)
	}
	m.texts[to], m.touched[from], m.touched[to] = m.texts[from], true, true
	delete(m.texts, from)
}

// scan checks that a scan reports every file that is new, gone or changed, and no
// untouched file, and that the table survives a restart.
func (m *model) scan(t *rapid.T) {
	s, err := m.root.Scan(t.Context(), m.table, m.now.Add(24*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for path, text := range m.texts {
		if isListed(path) {
			want[path] = text
		}
	}
	var gone, files []string
	for path := range m.scanned {
		if _, still := want[path]; !still {
			gone = append(gone, path)
		}
	}
	for _, f := range s.Files {
		files = append(files, f.Path)
	}
	slices.Sort(gone)
	if diff := cmp.Diff(gone, s.Gone); diff != "" {
		t.Errorf("gone (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	var read []Entry
	changed := map[string]bool{}
	for _, f := range s.Changed {
		changed[f.Path] = true
		if !m.touched[f.Path] {
			t.Errorf("%s is to be read, but was not touched", f.Path)
		}
		text, as, err := m.root.Read(f.Path, 0)
		if err != nil || text != want[f.Path] || as != f {
			t.Fatalf("read %+v: %q, %+v, %v", f, text, as, err)
		}
		read = append(read, Entry{File: as, Digest: sha256.Sum256([]byte(text))})
	}
	for path, text := range want {
		if before, known := m.scanned[path]; (!known || before != text) && !changed[path] {
			t.Errorf("%s is not to be read, but was %q and is %q", path, before, text)
		}
	}
	m.restart(t, s.Table(m.table, read), want)
}

// restart encodes and decodes the table.
func (m *model) restart(t *rapid.T, table *Table, want map[string]string) {
	for path, text := range want {
		if e, ok := table.Get(path); !ok || e.Digest != sha256.Sum256([]byte(text)) {
			t.Errorf("%s: the table has not the digest of %q", path, text)
		}
	}
	data, err := table.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	m.table = &Table{}
	if err := m.table.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	m.scanned, m.touched = want, map[string]bool{}
}

func TestScanModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "corpus-"+strconv.Itoa(os.Getpid()))
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		write(t, filepath.Join(dir, document.IgnoreFile), "/ignored/\n")
		root, err := Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		m := &model{dir: dir, root: root, now: time.Now(), texts: map[string]string{document.IgnoreFile: "/ignored/\n"},
			touched: map[string]bool{document.IgnoreFile: true}}
		t.Repeat(map[string]func(*rapid.T){"write": m.write, "write again": m.write, "remove": m.remove, "rename": m.rename, "scan": m.scan})
		m.scan(t)
	})
}
