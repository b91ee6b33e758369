// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build !unix

package vfs

// MayWrite returns nil where this process may make and replace files in the folder
// itself, as far as the system can tell before it is tried: here it cannot.
func (d *Folder) MayWrite() error { return nil }
