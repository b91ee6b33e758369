// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build !linux

package corpus

import "errors"

// setUser is known for Linux alone; elsewhere the tests run as an ordinary user.
func setUser(int) error { return errors.New("run the tests as an ordinary user") }
