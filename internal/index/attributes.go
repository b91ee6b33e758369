// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"iter"

	"github.com/fovea-memory/fovea/internal/champ"
)

// Attributes is an immutable index from key and value to ids, for example from the tag
// "work" to the nodes that have it. An id may have several values for one key. Keys and
// values are compared as bytes. The zero value is empty; copies are cheap; concurrent
// reads are safe.
type Attributes struct {
	keys champ.Map[champ.Map[idSet]] // key -> value -> ids; no set is empty
}

type idSet = champ.Map[struct{}]

// Lookup yields the ids that have the value for key, in any order. O(hits).
func (a Attributes) Lookup(key, value string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for id := range a.ids(key, value).All() {
			if !yield(id) {
				return
			}
		}
	}
}

// Count returns the number of ids that have the value for key. O(1).
func (a Attributes) Count(key, value string) int {
	return a.ids(key, value).Len()
}

func (a Attributes) ids(key, value string) idSet {
	byValue, _ := a.keys.Get(key)
	ids, _ := byValue.Get(value)
	return ids
}

// Edit returns an editor for a new version of a. The receiver does not change.
func (a Attributes) Edit() *AttributesEditor {
	return &AttributesEditor{a, map[string]map[string]*champ.Editor[struct{}]{}}
}

// AttributesEditor collects changes to an Attributes. It is not safe for concurrent
// use.
type AttributesEditor struct {
	base Attributes
	keys map[string]map[string]*champ.Editor[struct{}]
}

// Set adds the value to the values of key for id. O(log n) for n ids that have it.
func (e *AttributesEditor) Set(key, value, id string) { e.ids(key, value).Set(id, struct{}{}) }

// Remove removes the value from the values of key for id, if it is there. The last
// change to the same key, value and id wins. O(log n) for n ids that have it.
func (e *AttributesEditor) Remove(key, value, id string) { e.ids(key, value).Delete(id) }

func (e *AttributesEditor) ids(key, value string) *champ.Editor[struct{}] {
	values := e.keys[key]
	if values == nil {
		values = map[string]*champ.Editor[struct{}]{}
		e.keys[key] = values
	}
	ids := values[value]
	if ids == nil {
		ids = e.base.ids(key, value).Edit()
		values[value] = ids
	}
	return ids
}

// Attributes returns the edited index. The editor must not be used again. O(values that were changed).
func (e *AttributesEditor) Attributes() Attributes {
	keys := e.base.keys.Edit()
	for key, changes := range e.keys {
		old, _ := keys.Get(key)
		values := old.Edit()
		for value, ids := range changes {
			if ids.Len() > 0 {
				values.Set(value, ids.Map())
			} else {
				values.Delete(value)
			}
		}
		if values.Len() > 0 {
			keys.Set(key, values.Map())
		} else {
			keys.Delete(key)
		}
	}
	return Attributes{keys.Map()}
}
