// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vfs

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// largePage is the size of a large page where there are any.
const largePage = 2 << 20

// Buffer returns n zeros, to read a large file into at once. Where the system
// can, they stand on large pages: a fault for each small one costs more than
// reading what goes there. The caller owns it.
func Buffer(n int) []byte {
	b := make([]byte, n) // fresh from the system when it is large, so not touched yet
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) & (largePage - 1))
	if whole := (n - skip) &^ (largePage - 1); whole > 0 {
		_ = unix.Madvise(b[skip:skip+whole], unix.MADV_HUGEPAGE) // advice: without it, it is slower
	}
	return b
}
