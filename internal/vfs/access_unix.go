// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build unix

package vfs

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// MayWrite returns nil if this process may create and replace files in the folder itself, as far as the system
// can tell in advance.
func (d *Folder) MayWrite() error {
	if err := unix.Access(d.path, unix.W_OK|unix.X_OK); err != nil {
		return &fs.PathError{Op: "write in", Path: d.path, Err: err}
	}
	return nil
}
