// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"iter"
	"math"
	"slices"

	"github.com/fovea-memory/fovea/internal/champ"
)

// Attributes is an immutable index of which ids have a value of a key: the tag
// "work", the link target of a node. A key may have several values for one id.
// Keys and values are compared as bytes. The zero value is empty; copying it is
// free, and it is safe for any number of readers. What it yields is a function
// of its content, never of its history.
type Attributes struct {
	keys champ.Map[champ.Map[idList]] // key -> value -> ids; no list is empty
}

// Lookup yields the ids that have value of key, in byte order. O(hits).
func (a Attributes) Lookup(key, value string) iter.Seq[string] {
	return a.list(key, value).all()
}

// Has reports whether id has value of key. O(log of the ids with this value).
func (a Attributes) Has(key, value, id string) bool {
	return a.list(key, value).has(id)
}

// Count returns how many ids have value of key. O(1).
func (a Attributes) Count(key, value string) int {
	return a.list(key, value).n
}

// Values yields the values of key in byte order, each with the number of ids
// that have it. O(v log v) for v values.
func (a Attributes) Values(key string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		byValue, _ := a.keys.Get(key)
		values := make([]string, 0, byValue.Len())
		for value := range byValue.All() {
			values = append(values, value)
		}
		slices.Sort(values)
		for _, value := range values {
			ids, _ := byValue.Get(value)
			if !yield(value, ids.n) {
				return
			}
		}
	}
}

func (a Attributes) list(key, value string) idList {
	byValue, _ := a.keys.Get(key)
	ids, _ := byValue.Get(value)
	return ids
}

// Edit returns an editor that starts from a, which stays as it is.
func (a Attributes) Edit() *AttributesEditor {
	return &AttributesEditor{base: a, keys: map[string]map[string][]editRecord{}, numberByID: map[string]uint32{}}
}

// AttributesEditor gathers changes to Attributes. One goroutine may use it.
type AttributesEditor struct {
	base       Attributes
	keys       map[string]map[string][]editRecord
	ids        []string // every id once, in the order of arrival
	numberByID map[string]uint32
}

// change is one change of a list: in the upper half the number of the id, below
// it the how many-th change of the list it is, in the lowest bit whether the id
// is set. As numbers, changes sort by id and for one id by time; comparing the
// ids themselves would be most of the time of a bulk load.
type editRecord uint64

// Set records that id has value of key. O(1). Several calls for one id in a row
// are cheapest.
func (e *AttributesEditor) Set(key, value, id string) { e.record(key, value, id, 1) }

// Remove records that id does not have value of key; it need not have had it.
// Of several changes of the same three the last counts. O(1).
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

// number returns the number of id in ids.
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

// Attributes returns the edited index. The editor keeps nothing and must not be
// used after. A change to the ids of a value copies at most 256 of them and a
// list of about n/128 chunks; many changes to one value share that cost.
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
	*e = AttributesEditor{}
	return Attributes{keys.Map()}
}

// ranked returns the ids of all changes in byte order, and for the number of
// each id its place among them.
func (e *AttributesEditor) ranks() (ids []string, ranks []uint32) {
	ids = slices.Clone(e.ids)
	slices.Sort(ids)
	ranks = make([]uint32, len(ids))
	for rank, id := range ids {
		ranks[e.numberByID[id]] = uint32(rank)
	}
	return ids, ranks
}
