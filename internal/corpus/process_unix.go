// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build unix

package corpus

import (
	"errors"
	"syscall"
)

// runs reports whether a process of this machine runs. One of another user
// refuses the signal and is there all the same.
func isRunning(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
