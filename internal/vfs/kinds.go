// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vfs

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
)

// maxDepth is how many folders below its root CheckKinds goes down.
const maxDepth = 16

// CheckKinds lists a folder and those below it, at most 16 deep, and refuses the first
// entry, in the order of names, that is neither a regular file nor a folder. The error
// wraps ErrNotRegular and names the entry, its kind and the next step. A socket at the
// name socket is no error; "" allows none. A folder that cannot be listed is passed over:
// whoever reads it says so. No file is opened, so nothing waits. O(entries).
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
