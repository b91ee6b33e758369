// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build !unix

package daemon

import (
	"io/fs"
	"syscall"
)

func detached() *syscall.SysProcAttr { return nil }

// closeInherited does nothing: handles are inherited only on request.
func closeInherited() {}

// owned returns true: the owner is unknown here.
func owned(fs.FileInfo) bool { return true }

// descriptors returns 0: the limit of open files is unknown.
func descriptors() int { return 0 }
