// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"iter"
	"math"
	"slices"

	"github.com/fovea-memory/fovea/internal/champ"
)

// Attributes is an immutable index from key and value to ids, for example from the tag
// "work" to the nodes that have it. An id may have several values for one key. Keys and
// values are compared as bytes. The zero value is empty; copies are cheap; concurrent
// reads are safe. Iteration order depends only on the content.
type Attributes struct {
	keys champ.Map[champ.Map[idList]] // key -> value -> ids; no list is empty
}

// Lookup yields the ids that have the value for key, in byte order. O(hits).
func (a Attributes) Lookup(key, value string) iter.Seq[string] {
	return a.list(key, value).all()
}

// Count returns the number of ids that have the value for key. O(1).
func (a Attributes) Count(key, value string) int {
	return a.list(key, value).n
}

func (a Attributes) list(key, value string) idList {
	byValue, _ := a.keys.Get(key)
	ids, _ := byValue.Get(value)
	return ids
}

// Edit returns an editor for a new version of a. The receiver does not change.
func (a Attributes) Edit() *AttributesEditor {
	return &AttributesEditor{base: a, keys: map[string]map[string][]editRecord{}, numberByID: map[string]uint32{}}
}

// AttributesEditor collects changes to an Attributes. It is not safe for concurrent
// use.
type AttributesEditor struct {
	base       Attributes
	keys       map[string]map[string][]editRecord
	ids        []string // each id once, in order of first use
	numberByID map[string]uint32
}

// editRecord is one change to an id list: the number of the id in the upper half, below
// it the sequence number of the change in its list, and in the lowest bit whether the
// id is added. Sorted as integers, records are ordered by id and then by time;
// comparing the ids themselves would dominate a bulk load.
type editRecord uint64

// Set adds the value to the values of key for id. O(1). Consecutive calls with the same
// id are cheapest.
func (e *AttributesEditor) Set(key, value, id string) { e.record(key, value, id, 1) }

// Remove removes the value from the values of key for id, if it is there. The last
// change to the same key, value and id wins. O(1).
func (e *AttributesEditor) Remove(key, value, id string) { e.record(key, value, id, 0) }

func (e *AttributesEditor) record(key, value, id string, set editRecord) {
	values, ok := e.keys[key]
	if !ok {
		values = map[string][]editRecord{}
		e.keys[key] = values
	}
	list := values[value]
	values[value] = append(list, editRecord(e.numberOf(id))<<32|editRecord(len(list))<<1|set)
}

// numberOf returns the index of id in ids and adds id if it is new.
func (e *AttributesEditor) numberOf(id string) uint32 {
	if n := len(e.ids); n > 0 && e.ids[n-1] == id {
		return uint32(n - 1)
	}
	n, ok := e.numberByID[id]
	if !ok {
		n = uint32(len(e.ids))
		e.numberByID[id] = n
		e.ids = append(e.ids, id)
	}
	return n
}

// Attributes returns the edited index. The editor must not be used again. A change to the ids of one value copies at most 256 ids and a list of about
// n/128 chunks; changes to the same value share that cost.
func (e *AttributesEditor) Attributes() Attributes {
	ids, ranks := e.ranks()
	keys := e.base.keys.Edit()
	var sorted []idChange
	for key, changes := range e.keys {
		old, _ := keys.Get(key)
		values := old.Edit()
		for value, list := range changes {
			for i, c := range list {
				list[i] = editRecord(ranks[c>>32])<<32 | c&math.MaxUint32
			}
			slices.Sort(list)
			sorted = sorted[:0]
			for i, c := range list {
				if i+1 == len(list) || list[i+1]>>32 != c>>32 {
					sorted = append(sorted, idChange{ids[c>>32], c&1 == 1})
				}
			}
			before, _ := values.Get(value)
			if after := before.apply(sorted); after.n > 0 {
				values.Set(value, after)
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

// ranks returns the changed ids in byte order and, by id number, the rank of each.
func (e *AttributesEditor) ranks() (ids []string, ranks []uint32) {
	ids = slices.Clone(e.ids)
	slices.Sort(ids)
	ranks = make([]uint32, len(ids))
	for rank, id := range ids {
		ranks[e.numberByID[id]] = uint32(rank)
	}
	return ids, ranks
}
