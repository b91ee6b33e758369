// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"iter"
	"slices"
)

// linking yields the links that have one of some keys, with the place of their block:
// by the places where they were made, else by looking at all.
func (o *Outline) linking(keys []uint64) iter.Seq2[int32, *linking] {
	return func(yield func(int32, *linking) bool) {
		rest := o.blocks
		if o.places.all.made.Load() {
			for _, key := range keys {
				if !o.registered(key, yield) {
					return
				}
			}
			rest = o.places.later
		}
		for at, b := range rest {
			for i := range b.linked {
				if l := &b.linked[i]; slices.Contains(keys, l.key) && !yield(o.placeOf(at, b), l) {
					return
				}
			}
		}
	}
}

// registered yields the links of the register that have a key and still stand.
func (o *Outline) registered(key uint64, yield func(int32, *linking) bool) bool {
	links := o.places.all.links
	at, _ := slices.BinarySearchFunc(links, key, func(l lead, key uint64) int { return cmp.Compare(l.key, key) })
	for ; at < len(links) && links[at].key == key; at++ {
		s := links[at].spot
		if block, same := o.stands(s); same && !yield(block, &s.block.linked[s.at.local]) {
			return false
		}
	}
	return true
}

// filed yields the places of the blocks whose path is folded, in small letters.
func (o *Outline) filed(folded string) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		rest := o.blocks
		if o.places.all.made.Load() {
			for _, s := range o.places.all.files[folded] {
				if at, same := o.stands(s); same && !yield(at) {
					return
				}
			}
			rest = o.places.later
		}
		for at, b := range rest {
			if b.folded == folded && !yield(o.placeOf(at, b)) {
				return
			}
		}
	}
}

// placeOf returns the place of a block of the outline, which may be the one given.
func (o *Outline) placeOf(at int, b *block) int32 {
	if at >= len(o.blocks) || o.blocks[at] != b {
		at, _ = o.blockAt(b.path)
	}
	return int32(at)
}
