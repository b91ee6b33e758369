// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

import "testing"

// Thin reports whether to leave out case i of many that are alike: with -short, all but one of n.
// The race detector runs with -short, since the others would show it nothing more.
func Thin(i, n int) bool { return testing.Short() && i%n != 0 }
