// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build !unix

package vfs

// MayWrite returns nil if this process may create and replace files in the folder itself, as far as the system
// can tell in advance: this one cannot.
func (d *Folder) MayWrite() error { return nil }
