// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build !unix

package vfs

import "io/fs"

// IdentityOf returns the identity of a file that was described by an FS, and false if the system has none.
func IdentityOf(info fs.FileInfo) (Identity, bool) {
	id, ok := info.Sys().(Identity)
	return id, ok
}
