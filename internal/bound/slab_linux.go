// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bound

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// largePage is the size of a huge page in bytes.
const largePage = 2 << 20

// Slab returns a slice of n zero values, owned by the caller.
func Slab[T any](n int) []T {
	s := make([]T, n) // a large slice is fresh from the system as a rule, so its pages are not touched yet
	start := unsafe.Pointer(unsafe.SliceData(s))
	size := len(s) * int(unsafe.Sizeof(*new(T)))
	skip := int(-uintptr(start) & (largePage - 1))
	if whole := (size - skip) &^ (largePage - 1); whole > 0 {
		_ = unix.Madvise(unsafe.Slice((*byte)(unsafe.Add(start, skip)), whole), unix.MADV_HUGEPAGE) // else access is slower
	}
	return s
}
