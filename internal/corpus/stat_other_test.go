// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build !linux

package corpus

import "errors"

// setUser exists only on Linux; on other systems run the tests as an ordinary user.
func setUser(int) error { return errors.New("run the tests as an ordinary user") }
