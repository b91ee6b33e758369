// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build darwin || freebsd

package daemon

import "golang.org/x/sys/unix"

// peerOf returns the user at the other end of a socket.
func peerOf(fd int) (int, error) {
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}
