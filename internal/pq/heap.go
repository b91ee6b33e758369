// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package pq

// Heap is a binary heap: no item comes before the one at index 0. Items in any order
// become a heap by [Heap.Init].
type Heap[T any] struct {
	Items  []T
	Before func(a, b T) bool // a strict weak ordering
}

// Init establishes the heap order of Items. O(n).
func (h *Heap[T]) Init() {
	for i := len(h.Items)/2 - 1; i >= 0; i-- {
		h.down(i)
	}
}

// Push adds an item. O(log n).
func (h *Heap[T]) Push(item T) {
	h.Items = append(h.Items, item)
	i := len(h.Items) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !h.Before(item, h.Items[parent]) {
			break
		}
		h.Items[i] = h.Items[parent]
		i = parent
	}
	h.Items[i] = item
}

// Pop removes and returns the first item. It panics if there is none. O(log n).
func (h *Heap[T]) Pop() T {
	first, last := h.Items[0], len(h.Items)-1
	h.Items[0] = h.Items[last]
	h.Items = h.Items[:last]
	if last > 1 {
		h.down(0)
	}
	return first
}

// ReplaceFirst replaces the first item. It panics if there is none. O(log n).
func (h *Heap[T]) ReplaceFirst(item T) {
	h.Items[0] = item
	h.down(0)
}

// down moves item i behind those that come before it.
func (h *Heap[T]) down(i int) {
	items := h.Items
	item := items[i]
	for {
		child := 2*i + 1
		if child >= len(items) {
			break
		}
		if child+1 < len(items) && h.Before(items[child+1], items[child]) {
			child++
		}
		if !h.Before(items[child], item) {
			break
		}
		items[i] = items[child]
		i = child
	}
	items[i] = item
}
