// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vfs

// Identity is whose a file is and how many names it has.
type Identity struct {
	UID, GID int
	Links    uint64 // names of the file; 1 but for hard links
}
