// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestOpen(t *testing.T) {
	root := tree(t, map[string]string{"notes/a.org": "", "file": "", "link": "-> notes", "lost": "-> nowhere"})
	for _, tc := range []struct {
		name string
		want error
	}{
		{"notes", nil},
		{"link", nil},
		{"missing", ErrNoFolder},
		{"missing/deeper", ErrNoFolder},
		{"lost", ErrNoFolder},
		{"file", ErrNotFolder},
		{"file/deeper", ErrNotFolder},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := filepath.Join(root, tc.name)
			r, err := Open(dir, nil)
			if !errors.Is(err, tc.want) {
				t.Fatalf("got %v, want %v", err, tc.want)
			}
			if err != nil {
				if !strings.Contains(err.Error(), dir) || strings.Contains(err.Error(), "\n") {
					t.Errorf("%q: one line that names %s is wanted", err, dir)
				}
				return
			}
			defer r.Close()
			if files, _ := listing(scan(t, r, nil, time.Now())); !cmp.Equal(files, []string{"a.org"}) {
				t.Errorf("got %q", files)
			}
		})
	}
}

func TestOpenTakesAbsolutePaths(t *testing.T) {
	root := tree(t, map[string]string{"notes/my/s.md": "", "notes/x.go": "", "link": "-> notes", "skills/s.md": ""})
	dir := filepath.Join(root, "link")
	for _, tc := range []struct {
		name, skills string
		opaque       []string
		want         []string
	}{
		{"real path", filepath.Join(root, "notes/my"), []string{filepath.Join(root, "notes/x.go")}, []string{"my/s.md (opaque)", "x.go (opaque)"}},
		{"path of the link", filepath.Join(dir, "my"), []string{filepath.Join(dir, "x.go")}, []string{"my/s.md (opaque)", "x.go (opaque)"}},
		{"outside", filepath.Join(root, "skills"), []string{filepath.Join(root, "skills/s.md")}, nil},
		{"the root itself", dir, []string{dir}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			files, problems := listing(scan(t, open(t, dir, &Options{SkillsDir: tc.skills, Opaque: tc.opaque}), nil, time.Now()))
			if diff := cmp.Diff(tc.want, files); diff != "" || problems != nil {
				t.Errorf("%s problems: %q", diff, problems)
			}
		})
	}
}

func TestRead(t *testing.T) {
	root := tree(t, map[string]string{
		"a.org": "text\r\n\x00\xff", "empty.org": "", "d/x.org": "x", "in.org": "-> d/x.org", "abs.org": "-> ROOT/d/x.org", "out.org": "-> /etc/hostname",
		"loop.org": "-> loop.org",
		"lost.org": "-> nothing", "skills/s.md": "s",
	})
	r := open(t, root, nil)
	for _, tc := range []struct {
		path  string
		limit int64
		text  string
		want  error
	}{
		{path: "a.org", text: "text\r\n\x00\xff"},
		{path: "a.org", limit: 8, text: "text\r\n\x00\xff"},
		{path: "a.org", limit: 7, want: ErrTooLarge},
		{path: "empty.org"},
		{path: "in.org", text: "x"},
		{path: "abs.org", text: "x"},
		{path: "skills/s.md", text: "s"},
		{path: "gone.org", want: ErrVanished},
		{path: "gone/gone.org", want: ErrVanished},
		{path: "a.org/x.org", want: ErrVanished},
		{path: "lost.org", want: ErrVanished},
		{path: "out.org", want: ErrOutside},
		{path: "../x.org", want: ErrOutside},
		{path: "/etc/hostname", want: ErrOutside},
		{path: "", want: ErrOutside},
		{path: "loop.org", want: ErrLoop},
		{path: "d", want: ErrSpecial},
	} {
		t.Run(tc.path, func(t *testing.T) {
			text, f, err := r.Read(tc.path, tc.limit)
			if !errors.Is(err, tc.want) || text != tc.text {
				t.Fatalf("got %q, %v, want %q, %v", text, err, tc.text, tc.want)
			}
			if err != nil {
				if p := ProblemOf(tc.path, err); p.Kind == Unreadable || !errors.Is(p.Err, tc.want) {
					t.Errorf("problem %v", p)
				}
				return
			}
			listed := scan(t, r, nil, time.Now()).Files
			for _, want := range listed {
				if want.Path == tc.path && f != want {
					t.Errorf("stat as read %+v, as scanned %+v", f, want)
				}
			}
		})
	}
}

// TestReadLarge reads a file of 100 MB, nearly all of it a hole.
func TestReadLarge(t *testing.T) {
	root := tree(t, map[string]string{"a.org": "* big\n"})
	const size = 100 << 20
	if err := os.Truncate(filepath.Join(root, "a.org"), size); err != nil {
		t.Fatal(err)
	}
	text, f, err := open(t, root, nil).Read("a.org", 0)
	if err != nil || len(text) != size || f.Size != size || !strings.HasPrefix(text, "* big\n") {
		t.Errorf("got %d bytes, %+v, %v", len(text), f, err)
	}
}

// TestReadWhileWritten reads while a writer keeps replacing the text in place. The text
// returned by Read is never truncated or a mixture of two lengths.
func TestReadWhileWritten(t *testing.T) {
	root := tree(t, map[string]string{"a.org": ""})
	r := open(t, root, nil)
	f, err := os.OpenFile(filepath.Join(root, "a.org"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			size := 1000 + i%5000
			if _, err := f.WriteAt([]byte(strings.Repeat(string(rune('a'+i%26)), size)), 0); err != nil {
				t.Error(err)
			}
			if err := f.Truncate(int64(size)); err != nil {
				t.Error(err)
			}
		}
	}()
	for range 2000 {
		text, stat, err := r.Read("a.org", 0)
		if errors.Is(err, ErrUnstable) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if int64(len(text)) != stat.Size {
			t.Fatalf("%d bytes with a stat of %d", len(text), stat.Size)
		}
	}
	close(done)
	<-stopped
}

// TestReadUnstable reads a file that grows with each read.
func TestReadUnstable(t *testing.T) {
	root := tree(t, map[string]string{"a.org": "x"})
	r := open(t, root, nil)
	grow := &growing{FS: r.dir.fs, name: filepath.Join(root, "a.org")}
	r.dir.fs = grow
	if _, _, err := r.Read("a.org", 0); !errors.Is(err, ErrUnstable) {
		t.Errorf("got %v, want ErrUnstable", err)
	}
	grow.until = grow.opened + 2
	text, f, err := r.Read("a.org", 0)
	if err != nil || int64(len(text)) != f.Size {
		t.Errorf("a file at rest after two tries: got %d bytes, %+v, %v", len(text), f, err)
	}
}

func write(t interface{ Fatal(...any) }, name, text string) {
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
