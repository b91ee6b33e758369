// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bound

import "slices"

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

// down moves item i below items that come before it.
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

// Top keeps the best items of a sequence.
type Top[T any] struct {
	limit int
	heap  Heap[T] // a heap, the worst item first, once it holds limit items
}

// NewTop returns a Top that keeps at most limit items, none if limit is negative. worse
// is a strict weak ordering. The items are stored in buffer[:0].
func NewTop[T any](limit int, worse func(a, b T) bool, buffer []T) Top[T] {
	return Top[T]{limit, Heap[T]{buffer[:0], worse}}
}

// Worst returns the item that the next better one replaces. full is false while any item is accepted.
func (t *Top[T]) Worst() (worst T, full bool) {
	if len(t.heap.Items) < t.limit || t.limit <= 0 {
		return worst, false
	}
	return t.heap.Items[0], true
}

// Accepts reports whether Add would keep an item.
func (t *Top[T]) Accepts(item T) bool {
	return len(t.heap.Items) < t.limit || t.limit > 0 && t.heap.Before(t.heap.Items[0], item)
}

// Add keeps an item if it is among the best so far. Of equal items the earlier ones
// stay. O(log limit).
func (t *Top[T]) Add(item T) {
	switch n := len(t.heap.Items); {
	case n < t.limit:
		t.heap.Items = append(t.heap.Items, item)
		if n+1 == t.limit {
			t.heap.Init()
		}
	case t.Accepts(item):
		t.heap.Items[0] = item
		t.heap.down(0)
	}
}

// Sorted sorts the kept items, best first, and returns them. No item can be added
// afterwards. O(limit log limit).
func (t *Top[T]) Sorted() []T {
	worse := t.heap.Before
	slices.SortFunc(t.heap.Items, func(a, b T) int {
		if worse(b, a) {
			return -1
		}
		return 1 // equal ones may be in any order, and are not worth a second call
	})
	return t.heap.Items
}
