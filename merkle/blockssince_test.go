// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle

import (
	"bytes"
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// TestBlocksSince: the blocks of a map and the ones that later maps add are all blocks of
// each of these, and no block is passed that was there.
func TestBlocksSince(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Map[*testLeaf]{}.Edit().Map()
		have := map[Digest][]byte{}
		for step := range rapid.IntRange(1, 4).Draw(t, "steps") {
			e := m.Edit()
			for i, l := range rapid.SliceOfN(leaves(), 0, 60/(1+step*step)).Draw(t, "changes") {
				if rapid.Bool().Draw(t, fmt.Sprint("delete ", i)) {
					e.Delete(l.key)
				} else {
					e.Set(l)
				}
			}
			after := e.Map()
			old := map[Digest]bool{}
			if err := m.Blocks(func(d Digest, _ []byte) error { old[d] = true; return nil }); err != nil {
				t.Fatal(err)
			}
			if step == 0 {
				old = map[Digest]bool{} // of an empty map nothing is there but its root
			}
			sent := map[Digest]bool{}
			err := after.BlocksSince(m, func(d Digest, block []byte) error {
				if sent[d] || old[d] || Sum(block) != d {
					t.Fatalf("block %s: sent before %v, there before %v", d, sent[d], old[d])
				}
				sent[d], have[d] = true, bytes.Clone(block)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			get := func(d Digest) ([]byte, error) {
				if block, ok := have[d]; ok {
					return block, nil
				}
				return nil, fmt.Errorf("no block %s", d)
			}
			if after.Root() != m.Root() {
				if _, err := ReadMap(after.Root(), get, decodeLeaf); err != nil {
					t.Fatal(err)
				}
				all := 0
				if err := after.Blocks(func(d Digest, _ []byte) error {
					if !old[d] {
						all++
					}
					return nil
				}); err != nil || all != len(sent) {
					t.Fatalf("%d blocks were sent of %d that are new, %v", len(sent), all, err)
				}
			}
			m = after
		}
	})
}
