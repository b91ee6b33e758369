// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package slab

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// largePage is the size of a large page where there are any.
const largePage = 2 << 20

// Of returns n zero values. The caller owns them.
func Of[T any](n int) []T {
	s := make([]T, n) // fresh from the system when it is large, so not touched yet
	start := unsafe.Pointer(unsafe.SliceData(s))
	size := n * int(unsafe.Sizeof(*new(T)))
	skip := int(-uintptr(start) & (largePage - 1))
	if whole := (size - skip) &^ (largePage - 1); whole > 0 {
		// Advice, which keeps the values: without it, it is slower.
		_ = unix.Madvise(unsafe.Slice((*byte)(unsafe.Add(start, skip)), whole), unix.MADV_HUGEPAGE)
	}
	return s
}
