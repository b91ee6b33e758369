// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vfs

import "errors"

var (
	// ErrNotFolder is returned when a path that must be a folder is something
	// else. What is there is left alone.
	ErrNotFolder = errors.New("not a folder")
	// ErrNotRegular is returned by WriteAtomic, and where regular files alone are
	// opened, when the name is taken by a link, a folder, a pipe or a device.
	ErrNotRegular = errors.New("not a regular file")
	// ErrOwner is returned where a new file would not have the owner and group
	// of the one it is to replace.
	ErrOwner = errors.New("this process may not give files to their owner")
	// ErrLocked is returned when another owner holds the lock. A HeldError
	// that names the owner wraps it.
	ErrLocked = errors.New("locked by another process")
)
