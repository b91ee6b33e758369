// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"fmt"
	"testing"
)

// The newest operations stay known, however many there are, and not all of them.
func TestOperationsKeep(t *testing.T) {
	o := operations{seq: map[string]uint64{}}
	const n = 5 * keptOperations
	for i := range n {
		o.add(fmt.Sprint(i), uint64(i+1))
		o.add(fmt.Sprint(i), uint64(i+2)) // a further commit of it
	}
	for i := range n {
		seq, known := o.seq[fmt.Sprint(i)]
		if i >= n-keptOperations && seq != uint64(i+1) {
			t.Fatalf("operation %d of %d is commit %d, %v", i, n, seq, known)
		}
	}
	if len(o.seq) != len(o.order) || len(o.seq) >= 2*keptOperations {
		t.Errorf("%d operations are kept, %d in order", len(o.seq), len(o.order))
	}
}
