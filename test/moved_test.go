// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/stores"
)

// stay is a memex with a history in a folder of stores, for tests that move it.
type stay struct {
	t      *testing.T
	base   string // of the stores
	memex  string
	killed bool // the process that had it open never closed it
}

func newStay(t *testing.T, files map[string]string, killed bool, then ...func(*fovea.Memory) error) *stay {
	t.Helper()
	s := &stay{t: t, base: filepath.Join(t.TempDir(), "fovea"), memex: filepath.Join(t.TempDir(), "notes"), killed: killed}
	s.do(os.MkdirAll(s.memex, 0o755))
	s.put(s.memex, files)
	m, err := s.open(s.memex, &fovea.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Ingest(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for _, write := range then {
		s.do(write(m))
	}
	if !killed {
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		return s
	}
	// What a process that is killed leaves is what lies there before it closes.
	was := s.store(s.memex)
	if err := os.CopyFS(was+".killed", os.DirFS(was)); err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	s.do(os.RemoveAll(was))
	s.do(os.Rename(was+".killed", was))
	return s
}

func (s *stay) do(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *stay) put(dir string, files map[string]string) {
	s.t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, name)
		s.do(os.MkdirAll(filepath.Dir(file), 0o755))
		s.do(os.WriteFile(file, []byte(text), 0o644))
	}
}

// store is where the store of a memex is.
func (s *stay) store(memex string) string {
	return filepath.Join(s.base, strings.ReplaceAll(strings.Trim(memex, "/"), "/", "-"))
}

func (s *stay) open(memex string, opts *fovea.Options) (*fovea.Memory, error) {
	opts.StateDir, opts.Stores = s.store(memex), s.base
	return fovea.Open(s.t.Context(), memex, opts)
}

// TestMovedMemex moves, renames, copies and replaces memexes in every way: one that
// is known never begins a new history without a word, one that is not is never taken
// for another.
func TestMovedMemex(t *testing.T) {
	large, tiny := map[string]string{}, map[string]string{"a.org": "* A\n"}
	for i := range 30 {
		large[fmt.Sprintf("journal/%d.org", i)] = fmt.Sprintf("* Day %d\nwhat happened on this day\n", i)
	}
	const (
		moved  = "moved"
		copied = "copied"
		none   = "unknown"
	)
	rename := func(s *stay, to string) { s.do(os.Rename(s.memex, to)) }
	duplicate := func(s *stay, to string) { s.do(os.CopyFS(to, os.DirFS(s.memex))) }
	for _, tc := range []struct {
		name  string
		files map[string]string
		move  func(s *stay, to string)
		want  string
	}{
		{"renamed", large, rename, moved},
		{"renamed, small", tiny, rename, moved},
		{"renamed, and a third was edited", large, func(s *stay, to string) {
			rename(s, to)
			for i := range 10 {
				s.put(to, map[string]string{fmt.Sprintf("journal/%d.org", i): "* Other\n"})
			}
		}, moved},
		{"renamed, all but one edited", large, func(s *stay, to string) {
			rename(s, to)
			for i := range 29 {
				s.put(to, map[string]string{fmt.Sprintf("journal/%d.org", i): "* Other\n"})
			}
		}, moved},
		{"to another disk", large, func(s *stay, to string) {
			duplicate(s, to)
			s.do(os.RemoveAll(s.memex))
		}, moved},
		{"a link is left at the old path", large, func(s *stay, to string) {
			rename(s, to)
			s.do(os.Symlink(to, s.memex))
		}, moved},
		{"others took the old path", large, func(s *stay, to string) {
			rename(s, to)
			s.put(s.memex, map[string]string{"b.org": "* Quite another memex\n"})
		}, moved},
		{"copied", large, duplicate, copied},
		{"in git, and every file was rewritten", map[string]string{"a.org": "* A long enough note\n", ".git/logs/HEAD": "0 1 Ann <a> 17 +0\tcommit (initial)\n"},
			func(s *stay, to string) {
				duplicate(s, to)
				s.do(os.RemoveAll(s.memex))
				s.put(to, map[string]string{"a.org": "* Rewritten\n", ".git/logs/HEAD": "0 1 Ann <a> 17 +0\tcommit (initial)\n1 2 Ann <a> 18 +0\tcommit\n"})
			}, moved},
		{"another memex of the same shape", large, func(s *stay, to string) {
			s.do(os.RemoveAll(s.memex))
			for i := range 30 {
				s.put(to, map[string]string{fmt.Sprintf("journal/%d.org", i): fmt.Sprintf("* Day %d\nsomething else came to pass\n", i)})
			}
		}, none},
		{"another memex from the same template", large, func(s *stay, to string) {
			s.do(os.RemoveAll(s.memex))
			s.put(to, map[string]string{"journal/0.org": large["journal/0.org"], "b.org": "* Mine\n"})
		}, none},
		{"another small memex that happens to be the same", tiny, func(s *stay, to string) { s.put(to, tiny) }, none},
		{"an empty folder", large, func(s *stay, to string) { s.do(os.Mkdir(to, 0o755)) }, none},
	} {
		for _, killed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, killed %v", tc.name, killed), func(t *testing.T) {
				s := newStay(t, tc.files, killed)
				to := filepath.Join(filepath.Dir(s.memex), "notes2")
				tc.move(s, to)
				m, err := s.open(to, &fovea.Options{})
				got := none
				switch {
				case fovea.KindOf(err) == fovea.Held:
					got = moved
					if !strings.Contains(err.Error(), s.store(s.memex)) || stores.Begun(s.store(to)) {
						t.Errorf("a store was begun, or the way is not named: %v", err)
					}
				case err != nil:
					t.Fatal(err)
				default:
					if m.Status().Kin != "" {
						got = copied
					}
					s.do(m.Close())
				}
				if got != tc.want {
					t.Fatalf("%s, want %s: %v", got, tc.want, err)
				}
				if got == moved {
					s.adopts(to)
				}
			})
		}
	}
}

// TestMovedWritten moves memexes with files that Fovea itself wrote after the last scan. One
// is known by its other files, or by its folder if no file was scanned; one of which Fovea
// has rewritten every file begins a new history, which adopt by name puts aside.
func TestMovedWritten(t *testing.T) {
	remember := func(m *fovea.Memory) error {
		_, _, _, err := m.Notes().Remember(t.Context(), "a.org", document.InsertHeadline{Title: "the harbour closes at nine"}, nil)
		return err
	}
	rename := func(s *stay, to string) { s.do(os.Rename(s.memex, to)) }
	transfer := func(s *stay, to string) { // to another disk
		s.do(os.CopyFS(to, os.DirFS(s.memex)))
		s.do(os.RemoveAll(s.memex))
	}
	one := map[string]string{"a.org": "* A note of some length\n"}
	two := map[string]string{"a.org": "* A note of some length\n", "b.org": "* Another note of some length\n"}
	for _, tc := range []struct {
		name  string
		files map[string]string
		move  func(s *stay, to string)
		moved bool
	}{
		{"one file of two was written, to another disk", two, transfer, true},
		{"the first file of an empty folder", nil, rename, true},
		{"written, and then edited by somebody", nil, func(s *stay, to string) {
			rename(s, to)
			s.rewrite(to, "* Edited by hand\n")
		}, true},
		{"every file was written", one, rename, false},
		{"another folder of the same files", one, func(s *stay, to string) {
			transfer(s, to)
			s.rewrite(to, "* Quite another note\n")
		}, false},
	} {
		for _, killed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, killed %v", tc.name, killed), func(t *testing.T) {
				s := newStay(t, tc.files, killed, remember)
				to := filepath.Join(filepath.Dir(s.memex), "notes2")
				tc.move(s, to)
				m, err := s.open(to, &fovea.Options{})
				if err == nil {
					s.do(m.Close())
				}
				if moved := fovea.KindOf(err) == fovea.Held; moved != tc.moved || !moved && err != nil {
					t.Fatalf("moved is %v, want %v: %v", moved, tc.moved, err)
				}
				if !tc.moved {
					_, err := stores.Aside(s.store(to), time.Now())
					s.do(err)
					s.do(stores.Take(s.store(s.memex), s.store(to), to, false))
				}
				s.adopts(to)
			})
		}
	}
}

// rewrite gives every file of a folder another text.
func (s *stay) rewrite(dir, text string) {
	s.t.Helper()
	s.do(filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		return os.WriteFile(name, []byte(text), 0o644)
	}))
}

// adopts goes on with the history at another path.
func (s *stay) adopts(to string) {
	s.t.Helper()
	m, err := s.open(to, &fovea.Options{Adopt: true})
	if err != nil {
		s.t.Fatal(err)
	}
	defer m.Close()
	if seq := m.View().Head().Seq; seq == 0 || stores.Begun(s.store(s.memex)) {
		s.t.Errorf("at commit %d; the old store is there: %v", seq, stores.Begun(s.store(s.memex)))
	}
	if err := m.Ingest(s.t.Context(), nil); err != nil && fovea.KindOf(err) != fovea.Held {
		s.t.Error(err)
	}
}

// TestCopiesShareNoStore: the history of a memex that is still there is copied, and both
// go on by themselves; what was begun anew on purpose is left alone.
func TestCopiesShareNoStore(t *testing.T) {
	s := newStay(t, map[string]string{"a.org": "* A note that tells\n"}, false)
	second, third := s.memex+"2", s.memex+"3"
	for _, to := range []string{second, third} {
		s.do(os.CopyFS(to, os.DirFS(s.memex)))
	}
	m, err := s.open(second, &fovea.Options{Adopt: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.History().Snapshot(t.Context(), "here"); err != nil || m.View().Head().Seq != 1 {
		t.Fatalf("at commit %d: %v", m.View().Head().Seq, err)
	}
	s.do(m.Close())
	first, err := s.open(s.memex, &fovea.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(first.History().Snapshots()); n != 0 {
		t.Errorf("%d snapshots in the first store", n)
	}
	s.do(first.Close())
	m, err = s.open(third, &fovea.Options{Anew: true})
	if err != nil {
		t.Fatal(err)
	}
	if m.View().Head().Seq != 0 || m.Status().Kin != "" {
		t.Errorf("begun anew at commit %d, %q", m.View().Head().Seq, m.Status().Kin)
	}
	s.do(m.Close())
}
