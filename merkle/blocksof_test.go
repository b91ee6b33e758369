// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle

import (
	"bytes"
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// TestBlocksOfChanges: the blocks of a map and those on the ways of the keys that were changed
// since are all blocks of the map after the changes.
func TestBlocksOfChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := Map[*testLeaf]{}.Edit()
		for _, l := range rapid.SliceOfN(leaves(), 0, 60).Draw(t, "leaves") {
			before.Set(l)
		}
		m := before.Map()
		have := map[Digest][]byte{}
		keep := func(d Digest, block []byte) error {
			have[d] = bytes.Clone(block)
			return nil
		}
		if err := m.Blocks(keep); err != nil {
			t.Fatal(err)
		}
		e := m.Edit()
		var changed []Digest
		for i, l := range rapid.SliceOfN(leaves(), 1, 5).Draw(t, "changes") {
			if changed = append(changed, l.key); rapid.Bool().Draw(t, fmt.Sprint("delete ", i)) {
				e.Delete(l.key)
			} else {
				e.Set(l)
			}
		}
		after := e.Map()
		for _, key := range changed {
			if err := after.BlocksOf(key, keep); err != nil {
				t.Fatal(err)
			}
		}
		get := func(d Digest) ([]byte, error) {
			if block, ok := have[d]; ok {
				return block, nil
			}
			return nil, fmt.Errorf("no block %s", d)
		}
		if _, err := ReadMap(after.Root(), get, decodeLeaf); err != nil {
			t.Fatal(err)
		}
	})
}
