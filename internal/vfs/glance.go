// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vfs

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Same reports whether two descriptions by an FS are of one file or folder. After a file is
// removed, and nobody has it open, a new one may get its inode.
func Same(a, b fs.FileInfo) bool {
	one, known := IdentityOf(a)
	other, alsoKnown := IdentityOf(b)
	if !known || !alsoKnown {
		return os.SameFile(a, b)
	}
	return one.Device == other.Device && one.Inode == other.Inode
}

// glancer is an FS that has a path of the operating system.
type glancer interface {
	Glance(name string) (fs.FileInfo, error)
}

// Glance looks a name up through the folder's path in the operating system. If the folder was
// moved, removed or replaced since it was opened, that is not what the FS holds. Links on the
// way are followed, and that of the name itself only where it is ".". One system call. An FS
// without a path looks in itself.
func Glance(in FS, name string) (fs.FileInfo, error) {
	if g, ok := in.(glancer); ok {
		return g.Glance(name)
	}
	return in.Lstat(name)
}

// Glance implements what the function Glance asks for.
func (d *Folder) Glance(name string) (fs.FileInfo, error) {
	if name == "." {
		return os.Stat(d.path)
	}
	return os.Lstat(filepath.Join(d.path, filepath.FromSlash(name)))
}
