// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build unix

package daemon

import (
	"math"
	"syscall"
)

// descriptors returns the limit of open files and connections, 0 if unknown.
func descriptors() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(uint64(limit.Cur), math.MaxInt32))
}
