// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// put stages and applies a write.
func put(r *Root, name string, base merkle.Digest, next Next) error {
	w, err := r.Stage(name, base, next, nil)
	if err != nil {
		return err
	}
	return w.Apply()
}

func sum(text string) merkle.Digest { return merkle.Sum([]byte(text)) }

// onDisk returns every path below a folder with its content, and the targets of links.
func onDisk(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == dir {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		switch {
		case d.IsDir():
			out[rel] = "folder"
		case d.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(p)
			out[rel] = "-> " + to
			return err
		default:
			b, err := os.ReadFile(p)
			out[rel] = string(b)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestWrite(t *testing.T) {
	none := merkle.Digest{}
	for _, tc := range []struct {
		name  string
		make  func(dir string) error
		path  string
		base  merkle.Digest
		next  Next
		want  error
		after map[string]string // what differs from before; "" for gone
	}{
		{name: "replace", path: "a.org", base: sum("old"), next: Next{Text: "new"}, after: map[string]string{"a.org": "new"}},
		{name: "make", path: "n.org", base: none, next: Next{Text: "new"}, after: map[string]string{"n.org": "new"}},
		{name: "make in a new folder", path: "x/y/n.org", base: none, next: Next{Text: "new"},
			after: map[string]string{"x": "folder", "x/y": "folder", "x/y/n.org": "new"}},
		{name: "remove", path: "a.org", base: sum("old"), next: Next{Gone: true}, after: map[string]string{"a.org": ""}},
		{name: "remove what is not there", path: "n.org", base: none, next: Next{Gone: true}},
		{name: "changed", path: "a.org", base: sum("older"), next: Next{Text: "new"}, want: ErrChanged},
		{name: "changed, to be removed", path: "a.org", base: sum("older"), next: Next{Gone: true}, want: ErrChanged},
		{name: "came", path: "a.org", base: none, next: Next{Text: "new"}, want: ErrChanged},
		{name: "gone", path: "n.org", base: sum("old"), next: Next{Text: "new"}, want: ErrVanished},
		{name: "folder gone", path: "x/n.org", base: sum("old"), next: Next{Text: "new"}, want: ErrVanished},
		{name: "outside", path: "../n.org", base: none, next: Next{Text: "new"}, want: ErrOutside},
		{name: "name", path: "n\n.org", base: none, next: Next{Text: "new"}, want: ErrName},
		{name: "the longest name", path: strings.Repeat("n", 251) + ".org", base: none, next: Next{Text: "new"},
			after: map[string]string{strings.Repeat("n", 251) + ".org": "new"}},
		{name: "a name that is too long", path: "sub/" + strings.Repeat("n", 252) + ".org", base: none, next: Next{Text: "new"}, want: ErrName},
		{name: "folder", path: "sub", base: sum("old"), next: Next{Text: "new"}, want: ErrSpecial},
		{name: "below a file", path: "a.org/n.org", base: none, next: Next{Text: "new"}, want: ErrNotFolder},
		{name: "read-only file", path: "a.org", base: sum("old"), next: Next{Text: "new"}, want: ErrReadOnlyFile,
			make: func(dir string) error { return os.Chmod(filepath.Join(dir, "a.org"), 0o444) }},
		{name: "read-only folder", path: "sub/b.org", base: sum("b"), next: Next{Text: "new"}, want: ErrReadOnlyFile,
			make: func(dir string) error { return os.Chmod(filepath.Join(dir, "sub"), 0o555) }},
		{name: "new in a read-only folder", path: "sub/n.org", base: none, next: Next{Text: "new"}, want: ErrReadOnlyFile,
			make: func(dir string) error { return os.Chmod(filepath.Join(dir, "sub"), 0o555) }},
		{name: "held", path: "a.org", base: sum("old"), next: Next{Text: "new"}, want: ErrBusy,
			make: func(dir string) error { return os.Symlink("ann@elsewhere.1", filepath.Join(dir, ".#a.org")) }},
		{name: "new and held", path: "n.org", base: none, next: Next{Text: "new"}, want: ErrBusy,
			make: func(dir string) error { return os.Symlink("ann@elsewhere.1", filepath.Join(dir, ".#n.org")) }},
		{name: "link", path: "l.org", base: sum("b"), next: Next{Text: "new"}, after: map[string]string{"sub/b.org": "new"},
			make: func(dir string) error { return os.Symlink("sub/b.org", filepath.Join(dir, "l.org")) }},
		{name: "link whose file is held", path: "l.org", base: sum("b"), next: Next{Text: "new"}, want: ErrBusy,
			make: func(dir string) error {
				return errors.Join(os.Symlink("sub/b.org", filepath.Join(dir, "l.org")), os.Symlink("ann@elsewhere.1", filepath.Join(dir, "sub", ".#b.org")))
			}},
		{name: "link to a folder", path: "l/b.org", base: sum("b"), next: Next{Gone: true}, after: map[string]string{"sub/b.org": ""},
			make: func(dir string) error { return os.Symlink("sub", filepath.Join(dir, "l")) }},
		{name: "link to be removed", path: "l.org", base: sum("b"), next: Next{Gone: true}, want: ErrLink,
			make: func(dir string) error { return os.Symlink("sub/b.org", filepath.Join(dir, "l.org")) }},
		{name: "link to nothing", path: "l.org", base: none, next: Next{Text: "new"}, want: ErrDangling,
			make: func(dir string) error { return os.Symlink("n.org", filepath.Join(dir, "l.org")) }},
		{name: "link to the outside", path: "l.org", base: sum("o"), next: Next{Text: "new"}, want: ErrOutside,
			make: func(dir string) error {
				out := filepath.Join(filepath.Dir(dir), "o.org")
				return errors.Join(os.WriteFile(out, []byte("o"), 0o644), os.Symlink(out, filepath.Join(dir, "l.org")))
			}},
		{name: "hard link", path: "h.org", base: sum("old"), next: Next{Text: "newer"}, after: map[string]string{"a.org": "newer", "h.org": "newer"},
			make: func(dir string) error { return os.Link(filepath.Join(dir, "a.org"), filepath.Join(dir, "h.org")) }},
		{name: "hard link, shorter", path: "h.org", base: sum("old"), next: Next{Text: "n"}, after: map[string]string{"a.org": "n", "h.org": "n"},
			make: func(dir string) error { return os.Link(filepath.Join(dir, "a.org"), filepath.Join(dir, "h.org")) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "memex")
			err := errors.Join(os.MkdirAll(filepath.Join(dir, "sub"), 0o755), os.WriteFile(filepath.Join(dir, "a.org"), []byte("old"), 0o600),
				os.WriteFile(filepath.Join(dir, "sub", "b.org"), []byte("b"), 0o666))
			if err == nil && tc.make != nil {
				err = tc.make(dir)
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "sub"), 0o755) })
			want := onDisk(t, dir)
			for name, text := range tc.after {
				if want[name] = text; text == "" {
					delete(want, name)
				}
			}
			r := open(t, dir, &Options{Host: someHost()})
			if err := put(r, tc.path, tc.base, tc.next); !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
			if diff := cmp.Diff(want, onDisk(t, dir)); diff != "" {
				t.Errorf("folder (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWriteKeepsTheMode: a replaced file keeps its mode, and a new one gets the
// requested mode.
func TestWriteKeepsTheMode(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.org")
	if err := errors.Join(os.WriteFile(name, []byte("old"), 0o600), os.Chmod(name, 0o662)); err != nil {
		t.Fatal(err)
	}
	r := open(t, dir, nil)
	err := errors.Join(put(r, "a.org", sum("old"), Next{Text: "new", Mode: 0o400}), put(r, "n.org", merkle.Digest{}, Next{Text: "new", Mode: 0o600}))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{"a.org": 0o662, "n.org": 0o600} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v; want %v", name, info.Mode(), err, want)
		}
	}
}

// TestWriteBetween changes the file between Stage and Apply: the change must survive.
func TestWriteBetween(t *testing.T) {
	for _, tc := range []struct {
		name string
		base merkle.Digest
		next Next
		want error
		come string
	}{
		{"saved", sum("old"), Next{Text: "new"}, ErrChanged, "saved"},
		{"saved before a removal", sum("old"), Next{Gone: true}, ErrChanged, "saved"},
		{"came", merkle.Digest{}, Next{Text: "new"}, ErrChanged, "came"},
		{"went", sum("old"), Next{Text: "new"}, ErrVanished, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			name := filepath.Join(dir, "a.org")
			if !tc.base.IsZero() {
				if err := os.WriteFile(name, []byte("old"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			w, err := open(t, dir, nil).Stage("a.org", tc.base, tc.next, nil)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]string{}
			if err = os.Remove(name); tc.come != "" {
				err = os.WriteFile(name, []byte(tc.come), 0o644)
				want["a.org"] = tc.come
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Apply(); !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
			if diff := cmp.Diff(want, onDisk(t, dir)); diff != "" {
				t.Errorf("folder (-want +got):\n%s", diff)
			}
		})
	}
}

// memexOf creates a file system in memory with the files, and h.org as a hard link to
// a.org if linked.
func memexOf(t *testing.T, linked bool, files map[string]string) (*faultfs.FS, *Root) {
	t.Helper()
	in := faultfs.New()
	for name, text := range files {
		if err := errors.Join(in.MkdirAll(path.Dir(name), 0o755), vfs.WriteAtomic(in, name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if linked {
		if err := errors.Join(in.Link("a.org", "h.org"), in.SyncDir(".")); err != nil {
			t.Fatal(err)
		}
	}
	return in, open(t, "/memex", &Options{FS: in})
}

// TestWriteFails makes each operation fail once: the file has the old bytes, or all of
// the new ones if only the last sync failed, and no other file remains.
func TestWriteFails(t *testing.T) {
	long := strings.Repeat("old sectors. ", 200)
	for _, linked := range []bool{false, true} {
		for n := range 60 {
			in, r := memexOf(t, linked, map[string]string{"a.org": long})
			end := in.FailOp(n, fmt.Errorf("half: %w", faultfs.ErrShortWrite))
			err := put(r, "a.org", sum(long), Next{Text: "new"})
			end()
			got, readErr := in.ReadFile("a.org")
			if text := string(got); readErr != nil || text != "new" && (err == nil || text != long) {
				t.Errorf("linked %v, operation %d: told %v, and the file holds %.20q (%d bytes), %v", linked, n, err, text, len(text), readErr)
			}
			entries, _ := in.ReadDir(".")
			if len(entries) > 2 {
				t.Errorf("linked %v, operation %d: %v is left", linked, n, entries)
			}
		}
	}
}

// TestWriteToAFullDisk: the error is ErrNoSpace and the file is unchanged.
func TestWriteToAFullDisk(t *testing.T) {
	for _, linked := range []bool{false, true} {
		in, r := memexOf(t, linked, map[string]string{"a.org": "old"})
		in.SetFree(10)
		if err := put(r, "a.org", sum("old"), Next{Text: strings.Repeat("new", 100)}); !errors.Is(err, ErrNoSpace) {
			t.Errorf("linked %v: got %v, want ErrNoSpace", linked, err)
		}
		if got, err := in.ReadFile("a.org"); err != nil || string(got) != "old" {
			t.Errorf("linked %v: the file holds %.20q, %v", linked, got, err)
		}
	}
}

// TestWriteCrashes cuts the power before each operation: the file has the old bytes or
// the new, or, if written in place, a mixture that Torn recognizes; an acknowledged
// write is durable.
func TestWriteCrashes(t *testing.T) {
	before, after := strings.Repeat("0123456789abcde\n", 100), strings.Repeat("ABCDEFGHIJKLMNO\n", 70)
	for _, linked := range []bool{false, true} {
		for _, texts := range [][2]string{{before, after}, {after, before}} {
			in, r := memexOf(t, linked, map[string]string{"a.org": texts[0]})
			torn := 0
			in.OnOp(func(op faultfs.Op) error {
				if !op.Kind.Changes() {
					return nil
				}
				for seed := range uint64(8) {
					got, err := in.Crash(seed).ReadFile("a.org")
					if text := string(got); err != nil || text != texts[0] && text != texts[1] {
						torn++
						if !linked || !Torn(text, texts[0], texts[1]) {
							t.Errorf("linked %v: before %s: %d bytes, %v", linked, op.Kind, len(text), err)
						}
					}
				}
				return nil
			})
			if err := put(r, "a.org", sum(texts[0]), Next{Text: texts[1]}); err != nil {
				t.Fatal(err)
			}
			in.OnOp(nil)
			if got, err := in.Crash(3).ReadFile("a.org"); err != nil || string(got) != texts[1] {
				t.Errorf("linked %v: acknowledged, but a crash leaves %d bytes, %v", linked, len(got), err)
			}
			if linked && torn == 0 {
				t.Error("no cut tore the file, so Torn was not tried")
			}
		}
	}
}

func TestTorn(t *testing.T) {
	a, b := strings.Repeat("a", 1000), strings.Repeat("b", 1300)
	for _, tc := range []struct {
		name string
		have string
		want bool
	}{
		{"before", a, true},
		{"after", b, true},
		{"first sector", b[:512] + a[512:], true},
		{"second sector", a[:512] + b[512:1000], true},
		{"longer, zeros", a + strings.Repeat("\x00", 24), true},
		{"too short", a[:999], false},
		{"too long", b + "b", false},
		{"within a sector", b[:511] + a[511:], true},
		{"put back, within a sector", a[:200] + b[200:511] + a[511:], true},
		{"twice within a sector", b[:100] + a[100:200] + b[200:300] + a[300:400] + b[400:500] + a[500:], false},
		{"a letter by hand", a[:700] + "x" + a[701:], false},
		{"other text", strings.Repeat("c", 1100), false},
	} {
		if got := Torn(tc.have, a, b); got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
		if got := Torn(tc.have, b, a); got != tc.want {
			t.Errorf("%s, the other way: %v", tc.name, got)
		}
	}
}

func TestSweep(t *testing.T) {
	in, r := memexOf(t, false, map[string]string{"a.org": "a", "sub/.fovea-tmp-0": "left", "sub/b.org": "b"})
	if err := errors.Join(r.Sweep("sub/b.org"), r.Sweep("gone/c.org")); err != nil {
		t.Fatal(err)
	}
	if entries, err := in.ReadDir("sub"); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
	in.OnOp(func(op faultfs.Op) error {
		if op.Kind == faultfs.OpReadDir {
			t.Errorf("%s is listed again", op.Name)
		}
		return nil
	})
	if err := r.Sweep("sub/b.org"); err != nil {
		t.Error(err)
	}
}

// TestApplyAll: many writes sync each folder once, and are durable then; one that fails ends them, and
// says how many came before it.
func TestApplyAll(t *testing.T) {
	disk, r := memexOf(t, false, map[string]string{"there.org": "* There\n", "sub/there.org": "* There\n"})
	stage := func(names ...string) (writes []*Write) {
		t.Helper()
		for _, name := range names {
			w, err := r.Stage(name, merkle.Digest{}, Next{Text: "* " + name + "\n"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			writes = append(writes, w)
		}
		return writes
	}
	writes := stage("a.org", "b.org", "sub/c.org", "sub/d.org", "e.org")
	synced := map[string]int{}
	disk.OnOp(func(op faultfs.Op) error {
		if op.Kind == faultfs.OpSyncDir {
			synced[op.Name]++
		}
		return nil
	})
	n, err := ApplyAll(writes)
	disk.OnOp(nil)
	if diff := cmp.Diff(map[string]int{".": 1, "sub": 1}, synced); n != 5 || err != nil || diff != "" {
		t.Errorf("%d applied, %v, folders synced (-want +got):\n%s", n, err, diff)
	}
	left := disk.Crash(1)
	for _, name := range []string{"a.org", "b.org", "sub/c.org", "sub/d.org", "e.org"} {
		if text, err := left.ReadFile(name); string(text) != "* "+name+"\n" {
			t.Errorf("after a crash %s has %q, %v", name, text, err)
		}
	}
	none, err := r.Stage("none/at all.org", merkle.Digest{}, Next{Gone: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := ApplyAll([]*Write{none}); n != 1 || err != nil {
		t.Errorf("what is not there is removed: %d, %v", n, err)
	}
	writes = stage("f.org", "g.org", "h.org")
	if err := vfs.WriteAtomic(disk, "g.org", []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if n, err := ApplyAll(writes); n != 1 || !errors.Is(err, ErrChanged) {
		t.Errorf("%d applied before the one that changed: %v", n, err)
	}
}
