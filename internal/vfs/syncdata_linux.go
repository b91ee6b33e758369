// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vfs

import (
	"os"

	"golang.org/x/sys/unix"
)

// SyncData implements File with fdatasync.
func (f osFile) SyncData() error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		for failed = unix.EINTR; failed == unix.EINTR; {
			failed = unix.Fdatasync(int(fd))
		}
	})
	if err == nil {
		err = failed
	}
	return os.NewSyscallError("fdatasync", err)
}
