// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vfs

import (
	"io/fs"
	"os"
)

// Glimpse is what tells one file or folder from another, and whether it changed.
type Glimpse struct {
	Device, Inode uint64 // zeros where the system does not tell
	Size          int64  // in bytes
	Changed       int64  // when the content, or the list of a folder, changed; Unix nanoseconds
	Folder, Plain bool   // a folder, a regular file

	info fs.FileInfo // where there is no inode
}

// GlimpseOf is that of a file that was described by an FS.
func GlimpseOf(info fs.FileInfo) Glimpse {
	g := Glimpse{Size: info.Size(), Folder: info.IsDir(), Plain: info.Mode().IsRegular()}
	if at := info.ModTime(); !at.IsZero() {
		g.Changed = at.UnixNano()
	}
	if id, ok := IdentityOf(info); ok {
		g.Device, g.Inode = id.Device, id.Inode
	}
	if g.Inode == 0 {
		g.info = info
	}
	return g
}

// Same reports whether two glimpses are of one file or folder. After a file is removed,
// and nobody has it open, a new one may get its inode.
func (g Glimpse) Same(other Glimpse) bool {
	if g.info != nil && other.info != nil {
		return os.SameFile(g.info, other.info)
	}
	return g.Device == other.Device && g.Inode == other.Inode
}

// glancer is an FS that has a path of the operating system.
type glancer interface {
	Glance(name string) (Glimpse, error)
}

// Glance looks a name up through the folder's path in the operating system. If the folder was
// moved, removed or replaced since it was opened, that is not what the FS holds. Links on the way are followed, and that of the name itself only where
// it is ".". One system call. An FS without a path looks in itself.
func Glance(in FS, name string) (Glimpse, error) {
	if g, ok := in.(glancer); ok {
		return g.Glance(name)
	}
	info, err := in.Lstat(name)
	if err != nil {
		return Glimpse{}, err
	}
	return GlimpseOf(info), nil
}

// Same reports whether two descriptions are of one file or folder, as Glimpse.Same does.
func Same(a, b fs.FileInfo) bool { return GlimpseOf(a).Same(GlimpseOf(b)) }
