// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vfs

import (
	"io/fs"
	"os"
)

// Identity is which file it is, whose, and how many names it has.
type Identity struct {
	UID, GID      int
	Links         uint64 // names of the file; 1 but for hard links
	Device, Inode uint64 // the same for all names of one file; zeros where the system does not tell
}

// Same reports whether two descriptions are of one file or folder. After a file is
// removed, and nobody has it open, a new one may get its inode.
func Same(a, b fs.FileInfo) bool {
	x, ok := IdentityOf(a)
	y, ok2 := IdentityOf(b)
	if ok && ok2 && x.Inode != 0 {
		return x.Device == y.Device && x.Inode == y.Inode
	}
	return os.SameFile(a, b)
}

// looker is an FS that has a path of the operating system.
type looker interface {
	Look(name string) (fs.FileInfo, error)
}

// Look describes what a name is for somebody who comes by the folder's path of the
// operating system: when the folder was moved, removed or replaced since it was
// opened, that is not what the FS holds. Links on the way are followed, and those of
// the name itself are not. One system call. An FS without a path looks in itself.
func Look(in FS, name string) (fs.FileInfo, error) {
	if l, ok := in.(looker); ok {
		return l.Look(name)
	}
	return in.Lstat(name)
}
