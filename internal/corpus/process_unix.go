// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build unix

package corpus

import (
	"errors"
	"syscall"
)

// isRunning reports whether a process of this machine is running. A process of another
// user refuses the signal with EPERM, but it is running.
func isRunning(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
