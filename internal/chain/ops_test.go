// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain

import (
	"fmt"
	"testing"

	"github.com/fovea-memory/fovea/internal/bound"
)

// The newest operations stay known, however many there are, and not all of them.
func TestOperationsKeep(t *testing.T) {
	o := ops{bound.Map[string, uint64]{Size: minTrackedOps}}
	const n = 5 * minTrackedOps
	for i := range n {
		o.add(fmt.Sprint(i), uint64(i+1))
		o.add(fmt.Sprint(i), uint64(i+2)) // a further commit of it
	}
	for i := range n {
		seq, known := o.first.Peek(fmt.Sprint(i))
		if i >= n-minTrackedOps && seq != uint64(i+1) {
			t.Fatalf("operation %d of %d is commit %d, %v", i, n, seq, known)
		}
	}
	if o.first.Len() > 2*minTrackedOps {
		t.Errorf("%d operations are kept", o.first.Len())
	}
}
