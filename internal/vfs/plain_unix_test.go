// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build unix

package vfs

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// standIns put something else where a file or folder was.
var standIns = []struct {
	kind string
	put  func(path string) error
}{
	{"a pipe", func(path string) error { return syscall.Mkfifo(path, 0o600) }},
	{"a socket", func(path string) error {
		l, err := net.Listen("unix", path)
		if err == nil {
			l.(*net.UnixListener).SetUnlinkOnClose(false)
			err = l.Close()
		}
		return err
	}},
	{"a device", func(path string) error { return syscall.Mknod(path, syscall.S_IFCHR|0o600, 1<<8|3) }},
	{"a link", func(path string) error {
		return errors.Join(os.WriteFile(path+".real", []byte("text"), 0o600), os.Symlink(filepath.Base(path)+".real", path))
	}},
	{"a folder", func(path string) error { return os.Mkdir(path, 0o700) }},
	{"a file", func(path string) error { return os.WriteFile(path, []byte("text"), 0o600) }},
}

// TestPlainOpensRegularFilesAlone: no way to open a file waits for anything, or takes
// something else for one; the error names the file and what it is.
func TestPlainOpensRegularFilesAlone(t *testing.T) {
	for _, in := range standIns {
		t.Run(in.kind, func(t *testing.T) {
			dir, err := os.MkdirTemp("", "plain") // the path of a socket is short
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(dir) })
			if err := in.put(filepath.Join(dir, "x")); errors.Is(err, os.ErrPermission) {
				t.Skip("a device is made by root alone, and this user is not")
			} else if err != nil {
				t.Fatal(err)
			}
			d, err := Dir(dir)
			if err != nil {
				t.Fatal(err)
			}
			p := Plain(d)
			defer p.Close()
			open := func(flag int) func() error {
				return func() error {
					f, err := p.OpenFile("x", flag, 0o600)
					if err == nil {
						err = f.Close()
					}
					return err
				}
			}
			files := map[string]func() error{
				"read": open(os.O_RDONLY), "write": open(os.O_WRONLY), "both": open(os.O_RDWR), "make": open(os.O_CREATE | os.O_RDWR),
				"ReadFile": func() error { _, err := p.ReadFile("x"); return err },
				"Lock":     func() error { _, err := TryLock(p, "x", Holder{}); return err },
			}
			for name, do := range files {
				err := do()
				if in.kind == "a file" {
					if err != nil {
						t.Errorf("%s: %v", name, err)
					}
				} else if !errors.Is(err, ErrNotRegular) || !strings.Contains(err.Error(), "x: it is "+in.kind) {
					t.Errorf("%s: %v", name, err)
				}
			}
			folders := map[string]func() error{
				"ReadDir":  func() error { _, err := p.ReadDir("x"); return err },
				"MkdirAll": func() error { return p.MkdirAll("x", 0o700) },
				"OpenFile": func() error { _, err := p.OpenFile("x/y", os.O_CREATE|os.O_RDWR, 0o600); return err },
			}
			for name, do := range folders {
				err := do()
				if in.kind == "a folder" {
					if err != nil {
						t.Errorf("%s: %v", name, err)
					}
				} else if !errors.Is(err, ErrNotFolder) || !strings.Contains(err.Error(), "x: it is "+in.kind) {
					t.Errorf("%s: %v", name, err)
				}
			}
			if in.kind == "a link" || in.kind == "a file" {
				return // a person may link a file of the configuration
			}
			if _, err := ReadPlain(filepath.Join(dir, "x")); !errors.Is(err, ErrNotRegular) {
				t.Errorf("ReadPlain: %v", err)
			}
			if err := WritePlain(filepath.Join(dir, "x"), nil, 0o600); !errors.Is(err, ErrNotRegular) && in.kind != "a folder" {
				t.Errorf("WritePlain: %v", err)
			}
		})
	}
}

// closedFolder has one folder that this process may not list.
type closedFolder struct {
	FS
	name string
}

func (c closedFolder) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == c.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return c.FS.ReadDir(name)
}

// TestCheckKinds: anything but a file or folder is reported by path and kind, at any
// depth, unless it is the socket that is allowed or in a folder that cannot be listed.
func TestCheckKinds(t *testing.T) {
	for _, in := range standIns {
		for _, name := range []string{"x", ".x", "a/x", "a/b/c/d/x"} {
			t.Run(in.kind+" "+name, func(t *testing.T) {
				dir, err := os.MkdirTemp("", "kinds") // the path of a socket is short
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { os.RemoveAll(dir) })
				if err := os.MkdirAll(filepath.Join(dir, "a/b/c/d"), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := in.put(filepath.Join(dir, name)); errors.Is(err, os.ErrPermission) {
					t.Skip("a device is made by root alone, and this user is not")
				} else if err != nil {
					t.Fatal(err)
				}
				d, err := Dir(dir)
				if err != nil {
					t.Fatal(err)
				}
				defer d.Close()
				err = CheckKinds(Plain(d), "")
				if in.kind == "a file" || in.kind == "a folder" {
					if err != nil {
						t.Error(err)
					}
					return
				}
				if !errors.Is(err, ErrNotRegular) || !strings.HasPrefix(err.Error(), name+": it is "+in.kind) {
					t.Errorf("got %v", err)
				}
				if err := CheckKinds(Plain(d), name); (err == nil) != (in.kind == "a socket") {
					t.Errorf("where a socket may be there: %v", err)
				}
				if err := CheckKinds(closedFolder{d, path.Dir(name)}, ""); err != nil {
					t.Errorf("in a folder that cannot be listed: %v", err)
				}
			})
		}
	}
}
