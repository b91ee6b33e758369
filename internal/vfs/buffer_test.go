// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vfs_test

import (
	"testing"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// TestBuffer writes every byte, on sizes around that of a large page.
func TestBuffer(t *testing.T) {
	const large = 2 << 20
	for _, n := range []int{0, 1, 4096, large - 1, large, large + 1, 2*large - 1, 2 * large, 5*large + 17} {
		b := vfs.Buffer(n)
		if len(b) != n {
			t.Fatalf("%d bytes, want %d", len(b), n)
		}
		for i := range b {
			if b[i] != 0 {
				t.Fatalf("of %d bytes, byte %d is %d", n, i, b[i])
			}
			b[i] = 0xff
		}
	}
}
