// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build unix

package daemon

import (
	"io/fs"
	"math"
	"os"
	"strconv"
	"syscall"
)

// detached starts a process in its own session, so that it outlives the terminal.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// closeInherited keeps child processes from inheriting open descriptors, such as the pipes of an
// editor, which would wait forever for their end.
func closeInherited() {
	const firstOwn, many = 3, 1024
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		for fd := firstOwn; fd < many; fd++ {
			syscall.CloseOnExec(fd)
		}
		return
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd >= firstOwn {
			syscall.CloseOnExec(fd)
		}
	}
}

// owned reports whether this user owns a file.
func owned(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}

// descriptors returns the limit of open files and connections, 0 if unknown.
func descriptors() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(uint64(limit.Cur), math.MaxInt32))
}
