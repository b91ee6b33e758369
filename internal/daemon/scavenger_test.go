// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestScavenger asserts that memory is returned once after each busy time, and not
// during one.
func TestScavenger(t *testing.T) {
	const mib = 1 << 20
	for _, tc := range []struct {
		name      string
		allocated []uint64 // between ticks, in MiB
		want      []bool
	}{
		{"it starts and nobody comes", []uint64{200, 0, 0, 0}, []bool{false, true, false, false}},
		{"a small memex", []uint64{20, 0, 0}, []bool{false, false, false}},
		{"a load that lasts", []uint64{500, 500, 500}, []bool{false, false, false}},
		{"a load that ends", []uint64{500, 500, 3, 0}, []bool{false, false, true, false}},
		{"two loads", []uint64{90, 0, 0, 90, 0, 0}, []bool{false, true, false, false, true, false}},
		{"somebody asks now and then", []uint64{200, 8, 8, 8, 8, 8, 8}, []bool{false, true, false, false, false, true, false}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var s scavenger
			var so uint64
			var got []bool
			for _, more := range tc.allocated {
				so += more * mib
				got = append(got, s.due(so))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("given back (-want +got):\n%s", diff)
			}
		})
	}
}
