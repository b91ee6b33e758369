// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bound

import "iter"

// Map is a map that holds at least its last Size entries, and at most twice as many.
// The zero value is empty; Size must be set before the first entry is.
type Map[K comparable, V any] struct {
	// Size is the number of entries that are never dropped, at least 1.
	Size int
	// Entries are set in young. When it is full it becomes old, and the previous old
	// one is dropped. A key is in one of them.
	young, old map[K]V
}

// Get returns the value of a key and marks the entry as used.
func (m *Map[K, V]) Get(key K) (V, bool) {
	v, ok := m.young[key]
	if ok {
		return v, true
	}
	if v, ok = m.old[key]; ok {
		m.Set(key, v)
	}
	return v, ok
}

// Peek returns the value of a key.
func (m *Map[K, V]) Peek(key K) (V, bool) {
	v, ok := m.young[key]
	if !ok {
		v, ok = m.old[key]
	}
	return v, ok
}

// Set adds or replaces an entry and marks it as used.
func (m *Map[K, V]) Set(key K, value V) {
	if len(m.young) >= m.Size {
		if _, known := m.young[key]; !known {
			m.young, m.old = nil, m.young
		}
	}
	if m.young == nil {
		m.young = map[K]V{}
	}
	delete(m.old, key)
	m.young[key] = value
}

// Delete removes the entry of a key, if there is one.
func (m *Map[K, V]) Delete(key K) {
	delete(m.young, key)
	delete(m.old, key)
}

// Len returns the number of entries.
func (m *Map[K, V]) Len() int { return len(m.young) + len(m.old) }

// All yields every entry, in the order in which they would be dropped.
func (m *Map[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for _, generation := range []map[K]V{m.old, m.young} {
			for k, v := range generation {
				if !yield(k, v) {
					return
				}
			}
		}
	}
}

// Clear removes every entry.
func (m *Map[K, V]) Clear() { m.young, m.old = nil, nil }
