// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"iter"
	"slices"
)

// linksWithKeys yields the links with one of the keys, each with the index of its
// block. It uses the index if that is built and scans only the blocks added since;
// otherwise it scans all blocks.
func (o *Outline) linksWithKeys(keys []uint64) iter.Seq2[int32, *link] {
	return func(yield func(int32, *link) bool) {
		unindexed := o.blocks
		if o.lookup.index.built.Load() {
			for _, key := range keys {
				if !o.indexedLinks(key, yield) {
					return
				}
			}
			unindexed = o.lookup.added
		}
		for index, b := range unindexed {
			for i := range b.links {
				if l := &b.links[i]; slices.Contains(keys, l.key) && !yield(o.blockIndex(index, b), l) {
					return
				}
			}
		}
	}
}

// indexedLinks yields the indexed links with a key whose blocks are still current.
func (o *Outline) indexedLinks(key uint64, yield func(int32, *link) bool) bool {
	links := o.lookup.index.links
	first, _ := slices.BinarySearchFunc(links, key, func(l linkEntry, key uint64) int { return cmp.Compare(l.key, key) })
	for ; first < len(links) && links[first].key == key; first++ {
		loc := links[first].location
		if block, ok := o.locate(loc); ok && !yield(block, &loc.block.links[loc.ref.local]) {
			return false
		}
	}
	return true
}

// blocksAtPath yields the indexes of the blocks whose path in lower case is folded.
func (o *Outline) blocksAtPath(folded string) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		unindexed := o.blocks
		if o.lookup.index.built.Load() {
			for _, loc := range o.lookup.index.files[folded] {
				if index, ok := o.locate(loc); ok && !yield(index) {
					return
				}
			}
			unindexed = o.lookup.added
		}
		for index, b := range unindexed {
			if b.foldedPath == folded && !yield(o.blockIndex(index, b)) {
				return
			}
		}
	}
}

// blockIndex returns the index of block b of the outline; index is tried first.
func (o *Outline) blockIndex(index int, b *block) int32 {
	if index >= len(o.blocks) || o.blocks[index] != b {
		index, _ = o.blockAt(b.path)
	}
	return int32(index)
}
