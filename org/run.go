// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

// runs allocates many short slices from a few arrays. A run is appended to open and
// then closed. A closed run is never moved or modified.
type runs[T any] struct {
	open  []T // the current run
	chunk int // capacity of the array of open
}

// runCapacity is the initial capacity of a run; the others limit the size of an
// array. Most headlines have fewer than ten tags or properties, and most files fewer
// than sixteen in total.
const (
	runCapacity = 10
	minChunk    = 16
	maxChunk    = 1024
)

// begin reserves capacity for a run.
func (r *runs[T]) begin() {
	if cap(r.open) < runCapacity {
		r.chunk = min(max(2*r.chunk, minChunk), maxChunk)
		r.open = make([]T, 0, r.chunk)
	}
}

// close returns the run, or nil if it is empty.
func (r *runs[T]) close() []T {
	n := len(r.open)
	if n == 0 {
		return nil
	}
	run := r.open[:n:n]
	r.open = r.open[n:]
	return run
}

// drop discards the run.
func (r *runs[T]) drop() { r.open = r.open[:0] }
