// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package travel

import (
	"fmt"
	"testing"
)

// BenchmarkSnapshot takes the automatic snapshot that goes before a change,
// from memories of 110 to 11,000 nodes.
func BenchmarkSnapshot(b *testing.B) {
	for _, files := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(files*11), func(b *testing.B) {
			moments := momentsOf(files * 11) // equal states in a row make one snapshot, so two take turns
			var t snapshots
			i := 0
			b.ReportAllocs()
			for b.Loop() {
				t.push(moments[i&1])
				i++
			}
			if list := t.list(); len(list) != min(i, maxAutomatic) {
				b.Fatalf("%d snapshots after %d", len(list), i)
			}
		})
	}
}
