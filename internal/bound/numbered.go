// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bound

import "slices"

// Numbered is a heap of the numbers 0 to n-1 by a rank that may change: the highest first, of equal
// ones the lower number. The zero value is empty and for no numbers; see Reset.
type Numbered struct {
	heap  []numbered
	slots []int32 // by number: index in heap plus one; 0 for none
}

type numbered struct {
	rank   float64
	number int32
}

func (a numbered) before(b numbered) bool {
	return a.rank > b.rank || a.rank == b.rank && a.number < b.number
}

// Reset empties the heap, for n numbers. It uses the same memory again. O(n).
func (h *Numbered) Reset(n int) {
	h.heap, h.slots = h.heap[:0], slices.Grow(h.slots[:0], n)[:n]
	clear(h.slots)
}

// Add adds a number that is not there. Until Init the heap has no order. O(1).
func (h *Numbered) Add(number int, rank float64) {
	h.heap = append(h.heap, numbered{rank, int32(number)})
	h.slots[number] = int32(len(h.heap))
}

// Init establishes the order after some calls of Add. O(n).
func (h *Numbered) Init() {
	for i := len(h.heap)/2 - 1; i >= 0; i-- {
		h.down(i)
	}
}

// First returns the first number; false if there is none.
func (h *Numbered) First() (number int, ok bool) {
	if len(h.heap) == 0 {
		return 0, false
	}
	return int(h.heap[0].number), true
}

// Set gives a number its rank, and adds it if it is not there. O(log n).
func (h *Numbered) Set(number int, rank float64) {
	if h.slots[number] == 0 {
		h.Add(number, rank)
	}
	at := int(h.slots[number]) - 1
	h.heap[at].rank = rank
	h.down(h.up(at))
}

// Remove removes a number, if it is there. O(log n).
func (h *Numbered) Remove(number int) {
	at, last := int(h.slots[number])-1, len(h.heap)-1
	if at < 0 {
		return
	}
	h.slots[number] = 0
	moved := h.heap[last]
	if h.heap = h.heap[:last]; at < last {
		h.heap[at] = moved
		h.down(h.up(at))
	}
}

// up moves an item before those that it precedes, and returns where it is then.
func (h *Numbered) up(at int) int {
	item := h.heap[at]
	for at > 0 && item.before(h.heap[(at-1)/2]) {
		h.put(at, h.heap[(at-1)/2])
		at = (at - 1) / 2
	}
	h.put(at, item)
	return at
}

// down moves an item behind those that precede it.
func (h *Numbered) down(at int) {
	item := h.heap[at]
	for {
		child := 2*at + 1
		if child >= len(h.heap) {
			break
		}
		if child+1 < len(h.heap) && h.heap[child+1].before(h.heap[child]) {
			child++
		}
		if !h.heap[child].before(item) {
			break
		}
		h.put(at, h.heap[child])
		at = child
	}
	h.put(at, item)
}

func (h *Numbered) put(at int, item numbered) { h.heap[at], h.slots[item.number] = item, int32(at)+1 }
