// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

// ranked is a node with its fused score.
type ranked struct {
	ref
	score float64
}

// worse reports whether a ranks below b; equal scores keep document order.
func worse(a, b ranked) bool {
	return a.score < b.score || a.score == b.score && b.before(a.ref)
}
