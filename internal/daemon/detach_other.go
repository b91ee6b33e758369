// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build !unix

package daemon

import "syscall"

func detached() *syscall.SysProcAttr { return nil }

// closeInherited has nothing to do: handles are not inherited unless asked for.
func closeInherited() {}
