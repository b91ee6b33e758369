// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build unix

package vfs

import (
	"io/fs"
	"syscall"
)

// IdentityOf returns the identity of a file that was described by an FS, and false if the system has none.
func IdentityOf(info fs.FileInfo) (Identity, bool) {
	switch st := info.Sys().(type) {
	case Identity:
		return st, true
	case *syscall.Stat_t:
		return Identity{UID: int(st.Uid), GID: int(st.Gid), Links: uint64(st.Nlink), Device: uint64(st.Dev), Inode: uint64(st.Ino)}, true
	}
	return Identity{}, false
}
