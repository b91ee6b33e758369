// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bound_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/fovea-memory/fovea/internal/bound"
)

// TestOf writes every byte of slabs whose sizes are close to that of a huge
// page.
func TestSlab(t *testing.T) {
	const large = 2 << 20
	for _, n := range []int{0, 1, 4096, large - 1, large, large + 1, 2*large - 1, 2 * large, 5*large + 17} {
		b := bound.Slab[byte](n)
		if len(b) != n {
			t.Fatalf("%d bytes, want %d", len(b), n)
		}
		for i := range b {
			if b[i] != 0 {
				t.Fatalf("of %d bytes, byte %d is %d", n, i, b[i])
			}
			b[i] = byte(i)
		}
	}
}

// TestPointers keeps values that only a slab references.
func TestPointers(t *testing.T) {
	s := bound.Slab[*string](600_000)
	for i := range s {
		v := fmt.Sprint(i)
		s[i] = &v
	}
	runtime.GC()
	for i, v := range s {
		if *v != fmt.Sprint(i) {
			t.Fatalf("value %d is %q", i, *v)
		}
	}
}
