// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain

import "testing"

func TestImageDue(t *testing.T) {
	for _, tc := range []struct {
		bytes   int64
		commits uint64
		want    bool
	}{
		{0, 0, false}, {0, 50_000, false}, {1, 49_999, false}, {1, 50_000, true}, {64<<20 - 1, 1, false}, {64 << 20, 1, true},
	} {
		if got := ImageDue(tc.bytes, tc.commits); got != tc.want {
			t.Errorf("%d bytes, %d commits: %v", tc.bytes, tc.commits, got)
		}
	}
}
