// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vfs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"
)

// Plain returns a folder in which only regular files are opened: a link, a pipe, a socket, a device or a folder
// in place of a file is refused with an error that wraps ErrNotRegular and names the kind. Opening never
// blocks. It is for folders that only the program writes. Close closes in.
func Plain(in FS) FS { return plain{in} }

type plain struct{ FS }

// MayWrite asks the folder, if it can tell.
func (p plain) MayWrite() error { return MayWrite(p.FS) }

func (p plain) Glance(name string) (fs.FileInfo, error) { return Glance(p.FS, name) }

func (p plain) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	if err := p.check(name); err != nil {
		return nil, err
	}
	return p.FS.OpenFile(name, flag, perm)
}

func (p plain) ReadFile(name string) ([]byte, error) {
	if err := p.check(name); err != nil {
		return nil, err
	}
	return p.FS.ReadFile(name)
}

func (p plain) Lock(name string) (io.Closer, error) {
	if err := p.check(name); err != nil {
		return nil, err
	}
	return p.FS.Lock(name)
}

func (p plain) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := p.folder(name); err != nil {
		return nil, err
	}
	return p.FS.ReadDir(name)
}

func (p plain) MkdirAll(name string, perm fs.FileMode) error {
	if err := p.folder(name); err != nil {
		return err
	}
	return p.FS.MkdirAll(name, perm)
}

// check refuses a name of something other than a regular file, or in something other than a folder.
func (p plain) check(name string) error {
	info, err := p.FS.Lstat(name)
	if err == nil && info.Mode().IsRegular() {
		return nil
	}
	if above := path.Dir(name); above != name {
		if err := p.folder(above); err != nil {
			return err
		}
	}
	if err != nil {
		return nil // opening it fails, or makes the file
	}
	return regular(name, info)
}

// folder refuses a name of something other than a folder.
func (p plain) folder(name string) error {
	info, err := p.FS.Lstat(name)
	if err != nil || info.IsDir() {
		return nil // the caller reports or makes what is missing
	}
	return &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("it is %s, %w", kindOf(info.Mode()), ErrNotFolder)}
}

// MayWrite returns nil if this process may create and replace files in the folder of in, as far as in can tell
// in advance.
func MayWrite(in FS) error {
	if can, ok := in.(interface{ MayWrite() error }); ok {
		return can.MayWrite()
	}
	return nil
}

// Unwritable reports whether an error means that this user, or no user, may write.
func Unwritable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// OpenPlain opens a file of the operating system as os.OpenFile does, and never blocks: a file that is not
// regular is ErrNotRegular. Links are followed.
func OpenPlain(name string, flag int, perm fs.FileMode) (*os.File, error) {
	f, err := os.OpenFile(name, flag|syscall.O_NONBLOCK, perm)
	if errors.Is(err, syscall.ENXIO) { // a socket, or a pipe that nobody reads
		return nil, &fs.PathError{Op: "open", Path: name, Err: ErrNotRegular}
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = regular(name, info)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// ReadPlain reads a file of the operating system that OpenPlain opens.
func ReadPlain(name string) ([]byte, error) {
	f, err := OpenPlain(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f)
}

// WritePlain makes data the content of a file that OpenPlain opens, as os.WriteFile
// does.
func WritePlain(name string, data []byte, perm fs.FileMode) error {
	f, err := OpenPlain(name, os.O_WRONLY|os.O_CREATE, perm)
	if err != nil {
		return err
	}
	err = f.Truncate(0)
	if err == nil {
		_, err = f.Write(data)
	}
	return errors.Join(err, f.Close())
}

// WriteFile makes data the content of a file at a path of the operating system, as
// WriteAtomic does. It makes missing folders, with permissions 0700.
func WriteFile(name string, data []byte, perm fs.FileMode) error {
	in, err := CreateDir(filepath.Dir(name), 0o700)
	if err != nil {
		return err
	}
	defer in.Close()
	return WriteAtomic(in, filepath.Base(name), data, perm)
}

// regular returns an error that names the kind of a file that is not regular.
func regular(name string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("it is %s, %w", kindOf(info.Mode()), ErrNotRegular)}
}

// kindOf names the kind of a file, in words.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "a file"
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeSymlink != 0:
		return "a link"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "something special"
}

// readAll reads a file to its end.
func readAll(f interface {
	io.Reader
	Stat() (fs.FileInfo, error)
}) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.Grow(int(max(info.Size(), 0)) + bytes.MinRead)
	_, err = b.ReadFrom(f)
	return b.Bytes(), err
}

// maxDepth is the number of levels below its root that CheckKinds visits.
const maxDepth = 16

// CheckKinds lists a folder and those below it, at most 16 deep, and refuses the first entry, in the order of
// names, that is neither a regular file nor a folder. The error wraps ErrNotRegular and names the entry, its
// kind and the next step. A socket named socket is allowed; "" allows none. A folder that cannot be listed is
// skipped: reading it will fail. No file is opened, so nothing blocks. O(entries).
func CheckKinds(in FS, socket string) error { return checkKinds(in, ".", socket, maxDepth) }

func checkKinds(in FS, folder, socket string, depth int) error {
	entries, _ := in.ReadDir(folder)
	for _, e := range entries {
		name := path.Join(folder, e.Name())
		switch kind := e.Type(); {
		case kind.IsRegular(), kind == fs.ModeSocket && name == socket:
		case !kind.IsDir():
			return fmt.Errorf("%s: it is %s, %w; move it out of the folder, then run the command again", name, kindOf(kind), ErrNotRegular)
		case depth > 0:
			if err := checkKinds(in, name, socket, depth-1); err != nil {
				return err
			}
		}
	}
	return nil
}

var (
	// ErrNotFolder is returned when a path that must be a folder is something else, which is left alone.
	ErrNotFolder = errors.New("not a folder")
	// ErrNotRegular is returned by WriteAtomic, and where only regular files are opened, when the name is that
	// of a link, a folder, a pipe or a device.
	ErrNotRegular = errors.New("not a regular file")
	// ErrOwner is returned if a new file would not have the owner and group of the file that it replaces.
	ErrOwner = errors.New("this process may not give files to their owner")
	// ErrLocked is returned when another owner holds the lock. A HeldError
	// that names the owner wraps it.
	ErrLocked = errors.New("locked by another process")
)
