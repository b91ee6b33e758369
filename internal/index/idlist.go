// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"iter"
	"slices"
	"sort"
	"strings"
)

// chunkIDs is the number of ids in a full chunk. A change copies one chunk and the list
// of chunks; at the sizes that matter the two are about equal (100,000 ids in 400
// chunks).
const chunkIDs = 256

// idList is an immutable sorted list of ids, in chunks of 1 to chunkIDs.
type idList struct {
	chunks [][]string
	n      int
}

// idChange adds an id to a list or removes it.
type idChange struct {
	id      string
	present bool
}

// all yields the ids in order.
func (l idList) all() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, chunk := range l.chunks {
			for _, id := range chunk {
				if !yield(id) {
					return
				}
			}
		}
	}
}

// chunkFor returns the index of the first chunk whose last id is not before id, or the
// number of chunks if there is none.
func (l idList) chunkFor(id string) int {
	return sort.Search(len(l.chunks), func(i int) bool {
		return l.chunks[i][len(l.chunks[i])-1] >= id
	})
}

// apply returns the list after changes, which must be sorted by id without duplicates.
// Unchanged chunks are shared.
func (l idList) apply(changes []idChange) idList {
	out := idList{chunks: make([][]string, 0, len(l.chunks)+len(changes)/chunkIDs+1), n: l.n}
	next := 0 // the first chunk of l not yet in out
	for len(changes) > 0 {
		at := max(min(l.chunkFor(changes[0].id), len(l.chunks)-1), 0)
		out.chunks = append(out.chunks, l.chunks[next:at]...)
		next = at + 1
		var chunk []string
		if at < len(l.chunks) {
			chunk = l.chunks[at]
		}
		// The changes up to the end of this chunk; the last chunk takes the rest.
		count := len(changes)
		if at < len(l.chunks)-1 {
			last := chunk[len(chunk)-1]
			count = sort.Search(len(changes), func(i int) bool { return changes[i].id > last })
		}
		merged := mergeChanges(chunk, changes[:count])
		out.n += len(merged) - len(chunk)
		out.appendChunks(merged)
		changes = changes[count:]
	}
	if next < len(l.chunks) {
		out.chunks = append(out.chunks, l.chunks[next:]...)
	}
	return out
}

// appendChunks appends ids as chunks of even size.
func (l *idList) appendChunks(ids []string) {
	for parts := (len(ids) + chunkIDs - 1) / chunkIDs; parts > 0; parts-- {
		n := (len(ids) + parts - 1) / parts
		l.chunks = append(l.chunks, ids[:n:n])
		ids = ids[n:]
	}
}

// mergeChanges returns the sorted ids after changes.
func mergeChanges(ids []string, changes []idChange) []string {
	out := make([]string, 0, len(ids)+len(changes))
	for _, c := range changes {
		before, found := slices.BinarySearchFunc(ids, c.id, strings.Compare)
		out = append(out, ids[:before]...)
		ids = ids[before:]
		if found {
			ids = ids[1:]
		}
		if c.present {
			out = append(out, c.id)
		}
	}
	return append(out, ids...)
}
