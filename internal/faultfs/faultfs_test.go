// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package faultfs_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/vfs"
)

func create(t *testing.T, in *faultfs.FS, name string) vfs.File {
	t.Helper()
	f, err := in.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func put(t *testing.T, f vfs.File, at int64, data []byte) {
	t.Helper()
	if _, err := f.WriteAt(data, at); err != nil {
		t.Fatal(err)
	}
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// outcomes counts what reading a file gives after crashes with many seeds.
func outcomes(in *faultfs.FS, name string) map[string]int {
	seen := map[string]int{}
	for seed := range uint64(200) {
		text, err := in.Crash(seed).ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			seen["missing"]++
		} else {
			seen[string(text)]++
		}
	}
	return seen
}

// TestCrashKeeps: what can be found after a crash is what the contract of
// vfs.File and vfs.FS leaves open, all of it and no more.
func TestCrashKeeps(t *testing.T) {
	for _, tc := range []struct {
		name string
		do   func(t *testing.T, in *faultfs.FS)
		want []string
	}{
		{"nothing synced", func(t *testing.T, in *faultfs.FS) {
			put(t, create(t, in, "f"), 0, []byte("new"))
		}, []string{"missing", "", "new"}},
		{"content synced, name not", func(t *testing.T, in *faultfs.FS) {
			f := create(t, in, "f")
			put(t, f, 0, []byte("new"))
			must(t, f.Sync())
		}, []string{"missing", "new"}},
		{"name synced, content not", func(t *testing.T, in *faultfs.FS) {
			put(t, create(t, in, "f"), 0, []byte("new"))
			must(t, in.SyncDir("."))
		}, []string{"", "new"}},
		{"both synced", func(t *testing.T, in *faultfs.FS) {
			f := create(t, in, "f")
			put(t, f, 0, []byte("new"))
			must(t, f.SyncData(), in.SyncDir("."))
		}, []string{"new"}},
		{"two writes in any order", func(t *testing.T, in *faultfs.FS) {
			f := create(t, in, "f")
			put(t, f, 0, []byte("--"))
			must(t, f.Sync(), in.SyncDir("."))
			put(t, f, 0, []byte("a"))
			put(t, f, 1, []byte("b"))
		}, []string{"--", "a-", "-b", "ab"}},
		{"truncate", func(t *testing.T, in *faultfs.FS) {
			f := create(t, in, "f")
			put(t, f, 0, []byte("long"))
			must(t, f.Sync(), in.SyncDir("."), f.Truncate(1))
		}, []string{"long", "l"}},
		{"rename is whole", func(t *testing.T, in *faultfs.FS) {
			f, g := create(t, in, "f"), create(t, in, "g")
			put(t, f, 0, []byte("old"))
			put(t, g, 0, []byte("new"))
			must(t, f.Sync(), g.Sync(), in.SyncDir("."), in.Rename("g", "f"))
		}, []string{"old", "new"}},
		{"remove", func(t *testing.T, in *faultfs.FS) {
			put(t, create(t, in, "f"), 0, nil)
			must(t, in.SyncDir("."), in.Remove("f"))
		}, []string{"", "missing"}},
		{"sync that failed, then one that did not", func(t *testing.T, in *faultfs.FS) {
			f := create(t, in, "f")
			put(t, f, 0, []byte("--"))
			must(t, f.Sync(), in.SyncDir("."))
			put(t, f, 0, []byte("a"))
			in.OnOp(func(op faultfs.Op) error { return faultfs.ErrFault })
			if err := f.Sync(); !errors.Is(err, faultfs.ErrFault) {
				t.Errorf("sync: %v", err)
			}
			in.OnOp(nil)
			put(t, f, 1, []byte("b"))
			must(t, f.Sync())
			if text, err := in.ReadFile("f"); string(text) != "ab" || err != nil {
				t.Errorf("before the crash: %q, %v", text, err)
			}
		}, []string{"-b"}},
		{"folder that is not synced", func(t *testing.T, in *faultfs.FS) {
			must(t, in.MkdirAll("d", 0o700))
			f := create(t, in, "d/f")
			must(t, f.Sync(), in.SyncDir("d"), in.Rename("d/f", "f"), in.SyncDir("d"))
		}, []string{""}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := faultfs.New()
			tc.do(t, in)
			seen := outcomes(in, "f")
			for _, want := range tc.want {
				if seen[want] == 0 {
					t.Errorf("no seed gives %q: %v", want, seen)
				}
				delete(seen, want)
			}
			if len(seen) > 0 {
				t.Errorf("seeds also give %v", seen)
			}
		})
	}
}

func TestCrashTearsAtSectors(t *testing.T) {
	in := faultfs.New()
	f := create(t, in, "f")
	must(t, in.SyncDir("."))
	put(t, f, 100, bytes.Repeat([]byte("x"), 2000))
	torn := false
	for seed := range uint64(100) {
		text, err := in.Crash(seed).ReadFile("f")
		must(t, err)
		whole := make([]byte, len(text))
		for at := 100; at < len(text); at++ {
			whole[at] = 'x'
		}
		if bytes.Equal(text, whole) && (len(text) == 0 || len(text) == 2100) {
			continue
		}
		torn = true
		for at := 101; at < len(text); at++ {
			if text[at] != text[at-1] && at%512 != 0 {
				t.Fatalf("seed %d: torn at byte %d, inside a sector", seed, at)
			}
		}
	}
	if !torn {
		t.Error("no seed tears the write")
	}
}

func TestCrashIsDeterministic(t *testing.T) {
	build := func() *faultfs.FS {
		in := faultfs.New()
		for _, name := range []string{"c", "a", "b", "e", "d"} {
			put(t, create(t, in, name), 7, bytes.Repeat([]byte(name), 3000))
			if name == "b" {
				must(t, in.SyncDir("."))
			}
		}
		return in
	}
	list := func(in *faultfs.FS) map[string]string {
		files := map[string]string{}
		entries, err := in.ReadDir(".")
		must(t, err)
		for _, e := range entries {
			text, err := in.ReadFile(e.Name())
			must(t, err)
			files[e.Name()] = string(text)
		}
		return files
	}
	for seed := range uint64(20) {
		if diff := cmp.Diff(list(build().Crash(seed)), list(build().Crash(seed))); diff != "" {
			t.Fatalf("seed %d gives two results:\n%s", seed, diff)
		}
	}
}

func TestCopiesAreIndependent(t *testing.T) {
	in := faultfs.New()
	f := create(t, in, "f")
	put(t, f, 0, []byte("one"))
	clone := in.Clone()
	put(t, f, 0, []byte("two"))
	must(t, in.Rename("f", "g"))
	if text, err := clone.ReadFile("f"); string(text) != "one" || err != nil {
		t.Errorf("the clone has %q, %v", text, err)
	}
	if text, err := clone.Crash(0).ReadFile("f"); string(text) != "one" || err != nil {
		t.Errorf("the clone, crashed, has %q, %v; all of a clone is durable", text, err)
	}
}

func TestShortWriteAndFullDisk(t *testing.T) {
	in := faultfs.New()
	f := create(t, in, "f")
	in.OnOp(func(op faultfs.Op) error {
		if op.Kind == faultfs.OpWrite {
			return faultfs.ErrShortWrite
		}
		return nil
	})
	if n, err := f.WriteAt([]byte("abcdef"), 0); n != 3 || !errors.Is(err, faultfs.ErrShortWrite) {
		t.Errorf("short write: %d, %v", n, err)
	}
	in.OnOp(nil)
	in.SetFree(2)
	if n, err := f.WriteAt([]byte("ABCDEF"), 0); n != 5 || !errors.Is(err, faultfs.ErrNoSpace) {
		t.Errorf("with 2 bytes free: %d, %v", n, err)
	}
	if err := f.Truncate(6); !errors.Is(err, faultfs.ErrNoSpace) {
		t.Errorf("truncate without space: %v", err)
	}
	put(t, f, 0, []byte("12345"))
	if text, err := in.ReadFile("f"); string(text) != "12345" || err != nil {
		t.Errorf("got %q, %v", text, err)
	}
	must(t, f.Truncate(1))
	put(t, f, 0, []byte("54321"))
}

func TestOperationsAreCounted(t *testing.T) {
	in := faultfs.New()
	var kinds []faultfs.Kind
	in.OnOp(func(op faultfs.Op) error {
		if op.N != len(kinds) {
			t.Errorf("operation %d is called %d", len(kinds), op.N)
		}
		kinds = append(kinds, op.Kind)
		return nil
	})
	must(t, vfs.WriteAtomic(in, "f", []byte("x"), 0o600), in.Remove("f"))
	want := []faultfs.Kind{
		faultfs.OpStat, faultfs.OpOpen, faultfs.OpWrite, faultfs.OpSync, faultfs.OpStat, faultfs.OpClose,
		faultfs.OpRename, faultfs.OpSyncDir, faultfs.OpRemove,
	}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("operations (-want +got):\n%s", diff)
	}
	if in.Ops() != len(want) {
		t.Errorf("%d operations counted, want %d", in.Ops(), len(want))
	}
}
