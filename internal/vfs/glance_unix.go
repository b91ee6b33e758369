// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build unix

package vfs

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"
)

// Glance implements what the function Glance asks for, in about a third of the time that
// os.Lstat takes: every write pays for some of them.
func (d *Folder) Glance(name string) (Glimpse, error) {
	look, path := unix.Stat, d.path
	if name != "." {
		look, path = unix.Lstat, d.path+"/"+name
	}
	var st unix.Stat_t
	err := look(path, &st)
	for errors.Is(err, unix.EINTR) {
		err = look(path, &st)
	}
	if err != nil {
		return Glimpse{}, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	kind := st.Mode & unix.S_IFMT
	return Glimpse{
		Device: uint64(st.Dev), Inode: uint64(st.Ino), Size: st.Size, Changed: st.Mtim.Nano(),
		Folder: kind == unix.S_IFDIR, Plain: kind == unix.S_IFREG,
	}, nil
}
