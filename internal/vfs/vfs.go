// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vfs

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// FS is a folder. Names are slash-separated paths relative to it, "." is the
// folder itself; a name that leaves the folder is refused. The errors are
// [fs.PathError] values, so errors.Is with [fs.ErrNotExist] and its like holds.
// An FS is safe for concurrent use.
type FS interface {
	// OpenFile opens the file with the flags of package os (O_RDWR, O_CREATE, O_EXCL, ...); perm is for a new
	// file, before the umask. The caller closes the file.
	OpenFile(name string, flag int, perm fs.FileMode) (File, error)
	// ReadFile returns the whole content; the caller owns it.
	ReadFile(name string) ([]byte, error)
	// Stat describes the target of the name, links followed.
	Stat(name string) (fs.FileInfo, error)
	// Lstat describes the name itself, a link not followed.
	Lstat(name string) (fs.FileInfo, error)
	// ReadDir lists a folder, sorted by name.
	ReadDir(name string) ([]fs.DirEntry, error)
	// ReadLink returns the text of a link, which may lead outside.
	ReadLink(name string) (string, error)
	// MkdirAll creates the folder and missing ones above it; perm is before the umask. A folder that exists is
	// no error. SyncDir of the folder above makes it durable.
	MkdirAll(name string, perm fs.FileMode) error
	// Remove removes a file, a link or an empty folder.
	Remove(name string) error
	// Rename gives a file another name, atomically replacing a file of that
	// name. SyncDir makes it durable.
	Rename(oldName, newName string) error
	// Link gives a file a second name, which must be free: fs.ErrExist. Not every file system supports it.
	// SyncDir makes it durable.
	Link(oldName, newName string) error
	// SyncDir makes the entries of a folder durable: everything created, removed
	// and renamed in it.
	SyncDir(name string) error
	// Lock takes the exclusive lock of the file, which it creates if missing, without waiting. It returns
	// ErrLocked if another owner has it, even in this process. Closing the result, or the end of the process,
	// releases the lock; the file stays. Callers use TryLock and LockFile.
	Lock(name string) (io.Closer, error)
	// Close releases the folder. Files opened from it stay open.
	Close() error
}

// File is an open file. ReadAt and WriteAt may be called concurrently, the
// others not; a file opened with O_APPEND refuses WriteAt.
type File interface {
	io.Reader
	io.ReaderAt
	io.Writer
	io.WriterAt
	io.Closer
	// Truncate cuts the file to size bytes, or extends it with zeros.
	Truncate(size int64) error
	// Chmod sets the permission bits, whatever the umask is.
	Chmod(mode fs.FileMode) error
	// Chown gives the file an owner and a group. It clears permission bits that would pass on rights.
	Chown(uid, gid int) error
	// Sync makes the content and the metadata durable. After an error nothing
	// is known about writes since the last success, and a second
	// call that succeeds proves nothing.
	Sync() error
	// SyncData makes the content and the size durable and leaves out times,
	// which saves a write when the size has not changed. Errors as for Sync.
	SyncData() error
	// Stat describes the open file.
	Stat() (fs.FileInfo, error)
}

// Identity is the identity, the owner and the number of names of a file.
type Identity struct {
	UID, GID      int
	Links         uint64 // names of the file; 1 without hard links
	Device, Inode uint64 // the same for all names of one file; zeros if the system has none
}

// Same reports whether two descriptions by an FS are of one file or folder. A new file may get the inode of one
// that was removed and that no process has open.
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

// Glance looks a name up through the folder's path in the operating system. If the folder was moved, removed or
// replaced since it was opened, the FS is another folder. Links on the path are followed; the name itself only
// if it is ".". One system call. An FS without a path looks in itself.
func Glance(in FS, name string) (fs.FileInfo, error) {
	if g, ok := in.(glancer); ok {
		return g.Glance(name)
	}
	return in.Lstat(name)
}

// Glance implements the function Glance.
func (d *Folder) Glance(name string) (fs.FileInfo, error) {
	if name == "." {
		return os.Stat(d.path)
	}
	return os.Lstat(filepath.Join(d.path, filepath.FromSlash(name)))
}
