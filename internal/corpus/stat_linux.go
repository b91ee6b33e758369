// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"io/fs"
	"syscall"
)

// identity returns the inode and the time of the last change to it, in Unix
// nanoseconds; zeros if the system does not report them.
func identity(info fs.FileInfo) (inode uint64, ctime int64) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0
	}
	return st.Ino, st.Ctim.Nano()
}
