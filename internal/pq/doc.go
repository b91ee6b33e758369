// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package pq is a priority queue in a slice, and a selection of the best items of
// a sequence. [Heap] returns its first item in O(log n); [Top] keeps the best limit
// items in O(log limit) each; [Numbered] has numbers whose ranks change.
//
// Invariants:
//
//   - The order of Heap and Top is a function of the caller. If it is total, the order in which items
//     are popped or sorted does not depend on the order in which they were added.
//   - The slices belong to the caller, who may reuse them; no type allocates
//     beyond growing its slice.
//   - No type is safe for concurrent use.
//
// Elsewhere: the order of the elements.
package pq
