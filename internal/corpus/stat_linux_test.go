// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import "golang.org/x/sys/unix"

// setUser makes this thread access files as the user.
func setUser(uid int) error { return unix.Setfsuid(uid) }
