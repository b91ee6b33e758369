// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vfs

// Identity is which file it is, whose, and how many names it has.
type Identity struct {
	UID, GID      int
	Links         uint64 // names of the file; 1 but for hard links
	Device, Inode uint64 // the same for all names of one file; zeros where the system does not tell
}
