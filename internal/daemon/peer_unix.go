// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build linux || darwin || freebsd

package daemon

import (
	"io/fs"
	"net"
	"os"
	"syscall"
)

// peer returns the user at the other end of c.
func peer(c *net.UnixConn) (uid int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	if cerr := raw.Control(func(fd uintptr) { uid, err = peerOf(int(fd)) }); cerr != nil {
		return 0, cerr
	}
	return uid, err
}

// owned reports whether this user owns a file.
func owned(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}
