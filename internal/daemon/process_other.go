// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build !unix

package daemon

import "syscall"

func detached() *syscall.SysProcAttr { return nil }

// closeInherited does nothing: handles are inherited only on request.
func closeInherited() {}

// descriptors returns 0: the limit of open files is unknown.
func descriptors() int { return 0 }
