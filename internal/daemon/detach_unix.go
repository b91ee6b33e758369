// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build unix

package daemon

import (
	"os"
	"strconv"
	"syscall"
)

// detached puts a process into a session of its own: it outlives the terminal.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// closeInherited keeps what this process was given open, such as the pipes of an
// editor, from those it starts: an editor would wait for them for ever.
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
