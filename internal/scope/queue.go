// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package scope

import "sync"

// Queue holds what waits for the writer of a chain, so that one caller writes for all. The zero
// Queue is empty. It is safe for concurrent use.
type Queue[T any] struct {
	mu      sync.Mutex
	waiting []T
}

// Add appends one to those that wait.
func (q *Queue[T]) Add(one T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, one)
}

// Take returns all that wait, in the order of Add, and leaves the queue empty.
func (q *Queue[T]) Take() []T {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := q.waiting
	q.waiting = nil
	return all
}

// Len returns how many wait.
func (q *Queue[T]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}
