// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

// runs hands out many short slices from few arrays. A run is appended to open and
// then closed; a closed run is never moved or written again.
type runs[T any] struct {
	open  []T // the run being made
	chunk int // capacity of the array behind it
}

// The room that a new run finds, and the bounds of an array. Most headlines have
// fewer than ten tags or properties; most files fewer than sixteen in all.
const (
	runCapacity = 10
	minChunk    = 16
	maxChunk    = 1024
)

// begin makes room for a run.
func (r *runs[T]) begin() {
	if cap(r.open) < runCapacity {
		r.chunk = min(max(2*r.chunk, minChunk), maxChunk)
		r.open = make([]T, 0, r.chunk)
	}
}

// close returns the run, nil when it is empty.
func (r *runs[T]) close() []T {
	n := len(r.open)
	if n == 0 {
		return nil
	}
	run := r.open[:n:n]
	r.open = r.open[n:]
	return run
}

// drop gives up the run.
func (r *runs[T]) drop() { r.open = r.open[:0] }
