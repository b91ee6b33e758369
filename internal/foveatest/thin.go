// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

import "testing"

// Thin reports whether a test leaves out case i of many alike: with -short, it keeps one of every n.
// make test runs with -short, and so does the race detector, to which the other cases would show
// nothing more; make test-parts takes all cases.
func Thin(i, n int) bool { return testing.Short() && i%n != 0 }

// Size returns how large the input of a benchmark or a test is: full, or small with -short. A
// benchmark that runs once with -short shows that it works, not what anything costs.
func Size(full, small int) int {
	if testing.Short() {
		return small
	}
	return full
}
