// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

import "testing"

// Thin reports whether a test skips case i of many similar ones: with -short, it keeps one of every n.
// make test and the race detector run with -short, make test-parts runs all cases.
func Thin(i, n int) bool { return testing.Short() && i%n != 0 }

// Size returns the size of the input of a benchmark or a test: full, or small with -short, with which
// a benchmark shows only that it works.
func Size(full, small int) int {
	if testing.Short() {
		return small
	}
	return full
}
