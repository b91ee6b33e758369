// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build !linux

package vfs

// Buffer returns n zeros, to read a large file into at once. The caller owns it.
func Buffer(n int) []byte { return make([]byte, n) }
