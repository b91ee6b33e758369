// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package champ

import "iter"

// Map is an immutable hash map from strings to V. The zero Map is empty and
// ready to use; copying a Map clones it in O(1). A Map is safe for any number
// of goroutines; whether V is, is V's own affair. Keys are kept, not copied.
type Map[V any] struct {
	root *node[V]
	size int
}

// Len returns the number of keys, in O(1).
func (m Map[V]) Len() int { return m.size }

// Get returns the value of key and whether there is one. It costs one hash
// and, for n keys, about log64 n steps; it does not allocate.
func (m Map[V]) Get(key string) (V, bool) {
	if m.root == nil {
		var zero V
		return zero, false
	}
	return m.root.get(hash(key), key)
}

// Set returns a map in which key has the value v; m keeps what it has. It
// copies the path to the key, O(log n). Use Edit for more than a few changes.
func (m Map[V]) Set(key string, v V) Map[V] {
	e := Editor[V]{m: m}
	e.Set(key, v)
	return e.m
}

// Delete returns a map without key; m keeps what it has. It copies the path to
// the key, O(log n), and returns m itself when key is not in it.
func (m Map[V]) Delete(key string) Map[V] {
	e := Editor[V]{m: m}
	e.Delete(key)
	return e.m
}

// All yields every key with its value, in an order that is the same for equal
// contents within a process and differs between processes.
func (m Map[V]) All() iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		if m.root != nil {
			m.root.each(func(e *entry[V]) bool { return yield(e.key, e.value) })
		}
	}
}

// Edit begins a batch of changes on top of m, which keeps what it has. It
// costs O(1).
func (m Map[V]) Edit() *Editor[V] {
	return &Editor[V]{m: m, owner: new(owner)}
}

// Editor collects changes to a map. The nodes it creates are changed in place
// until Map freezes them. An Editor is for one goroutine.
type Editor[V any] struct {
	m     Map[V]
	owner *owner
}

// Len returns the number of keys as edited, in O(1).
func (e *Editor[V]) Len() int { return e.m.size }

// Get returns the value of key as edited, and whether there is one; its cost
// is that of Map.Get.
func (e *Editor[V]) Get(key string) (V, bool) { return e.m.Get(key) }

// Set gives key the value v. It copies each node on the path at most once in
// the life of the editor, O(log n).
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

// Delete takes key out, if it is there. It copies each node on the path at
// most once in the life of the editor, O(log n).
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

// Map returns the map as edited, in O(1). The editor may go on: what it
// changes from here on is not seen by the map returned.
func (e *Editor[V]) Map() Map[V] {
	e.owner = new(owner)
	return e.m
}
