// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package champ

import "iter"

// Map is an immutable hash map from strings to V. The zero Map is empty and
// ready to use; copying a Map clones it in O(1). A Map is safe for concurrent
// use if V is. Keys are retained, not copied.
type Map[V any] struct {
	root *node[V]
	size int
}

// Len returns the number of keys, in O(1).
func (m Map[V]) Len() int { return m.size }

// Get returns the value of key and whether it exists. It takes one hash and,
// for n keys, about log64 n steps, and does not allocate.
func (m Map[V]) Get(key string) (V, bool) {
	if m.root == nil {
		var zero V
		return zero, false
	}
	return m.root.get(hash(key), key)
}

// Set returns a map with key set to v; m stays unchanged. It copies the path to
// the key, O(log n). Use Edit for more than a few changes.
func (m Map[V]) Set(key string, v V) Map[V] {
	e := m.Edit()
	e.Set(key, v)
	return e.m
}

// Delete returns a map without key; m stays unchanged. It copies the path to
// the key, O(log n), and returns m itself if it lacks key.
func (m Map[V]) Delete(key string) Map[V] {
	e := m.Edit()
	e.Delete(key)
	return e.m
}

// All yields every key with its value. Within a process the order is the same
// for equal contents; it differs between processes.
func (m Map[V]) All() iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		if m.root != nil {
			m.root.each(func(e *entry[V]) bool { return yield(e.key, e.value) })
		}
	}
}

// Edit starts a batch of changes based on m, which stays unchanged. It takes
// O(1).
func (m Map[V]) Edit() *Editor[V] {
	return &Editor[V]{m: m, owner: new(owner)}
}

// Editor collects changes to a map. It modifies the nodes it creates in place
// until Map freezes them. It must be used by one goroutine only.
type Editor[V any] struct {
	m     Map[V]
	owner *owner
}

// Len returns the current number of keys, in O(1).
func (e *Editor[V]) Len() int { return e.m.size }

// Get returns the current value of key and whether it exists, at the cost of
// Map.Get.
func (e *Editor[V]) Get(key string) (V, bool) { return e.m.Get(key) }

// Set sets key to v. An editor copies each node on the path at most once, O(log
// n).
func (e *Editor[V]) Set(key string, v V) {
	w := writer[V]{owner: e.owner}
	root := e.m.root
	if root == nil {
		root = &node[V]{owner: e.owner}
	}
	e.m.root = w.set(root, hash(key), 0, key, v)
	if w.changed {
		e.m.size++
	}
}

// Delete removes key if it exists. An editor copies each node on the path at
// most once, O(log n).
func (e *Editor[V]) Delete(key string) {
	if e.m.root == nil {
		return
	}
	w := writer[V]{owner: e.owner}
	root := w.remove(e.m.root, hash(key), 0, key)
	if !w.changed {
		return
	}
	e.m.root, e.m.size = root, e.m.size-1
	if e.m.size == 0 {
		e.m.root = nil
	}
}

// Map returns the edited map, in O(1). The editor remains usable; later edits
// do not affect the returned map.
func (e *Editor[V]) Map() Map[V] {
	e.owner = new(owner)
	return e.m
}
