// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"encoding/binary"
	"testing"

	"github.com/fovea-memory/fovea/merkle"
)

// TestDigestFilter: none that was given is missed, few others are held to be there.
func TestDigestFilter(t *testing.T) {
	for _, n := range []int{0, 1, 3, 100, 5000} {
		f := newDigestFilter(int64(n))
		digest := func(i int) merkle.Digest { return merkle.Sum(binary.BigEndian.AppendUint64(nil, uint64(i))) }
		for i := range n {
			f.add(digest(i))
		}
		wrong := 0
		for i := range n + 10_000 {
			if may := f.mayHave(digest(i)); i < n && !may {
				t.Fatalf("%d of %d was forgotten", i, n)
			} else if i >= n && may {
				wrong++
			}
		}
		if wrong > 100 {
			t.Errorf("%d digests: %d of 10000 others are held to be among them", n, wrong)
		}
	}
}
