// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package slab

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// largePage is the size of a huge page in bytes.
const largePage = 2 << 20

// Of returns a slice of n zero values, owned by the caller.
func Of[T any](n int) []T {
	s := make([]T, n) // a large slice is fresh from the system, so its pages are not touched yet
	start := unsafe.Pointer(unsafe.SliceData(s))
	size := n * int(unsafe.Sizeof(*new(T)))
	skip := int(-uintptr(start) & (largePage - 1))
	if whole := (size - skip) &^ (largePage - 1); whole > 0 {
		// This is only advice: if it fails, access is slower.
		_ = unix.Madvise(unsafe.Slice((*byte)(unsafe.Add(start, skip)), whole), unix.MADV_HUGEPAGE)
	}
	return s
}
