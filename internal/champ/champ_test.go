// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package champ

import (
	"fmt"
	"maps"
	"math/bits"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// masks control the depth of the trees in a test: all hash bits, few, none.
var masks = map[string]uint64{
	"full hash":            ^uint64(0),
	"three digits differ":  1<<(3*levelBits) - 1,
	"only the last differ": 0xf << 60,
	"one digit, then last": 0xf<<60 | 0x3,
	"all hashes equal":     0,
}

// withMasks runs a test under each mask. The tests of this package do not run
// in parallel because they share hashMask.
func withMasks(t *testing.T, f func(t *testing.T)) {
	for _, name := range slices.Sorted(maps.Keys(masks)) {
		t.Run(name, func(t *testing.T) {
			hashMask = masks[name]
			defer func() { hashMask = ^uint64(0) }()
			f(t)
		})
	}
}

// check compares a map with a model through every method that reads it, and
// checks the invariants of its tree.
func check(t *rapid.T, m Map[int], want map[string]int) {
	t.Helper()
	if m.Len() != len(want) {
		t.Fatalf("Len() = %d, want %d", m.Len(), len(want))
	}
	if diff := cmp.Diff(want, maps.Collect(m.All())); diff != "" {
		t.Fatalf("All() (-want +got):\n%s", diff)
	}
	for k, v := range want {
		if got, ok := m.Get(k); !ok || got != v {
			t.Fatalf("Get(%q) = %d, %t, want %d", k, got, ok, v)
		}
	}
	if m.root == nil {
		return
	}
	if m.size == 0 {
		t.Fatal("an empty map has a root")
	}
	shape(t, m.root, 0)
}

// shape fails unless a subtree has the only shape that its entries allow.
func shape(t *rapid.T, n *node[int], shift uint) int {
	count := len(n.entries)
	switch {
	case shift >= hashBits:
		if n.entryMap|n.kidMap != 0 || len(n.kids) != 0 {
			t.Fatal("a node below the last hash bit has slots")
		}
		if !slices.IsSortedFunc(n.entries, func(a, b entry[int]) int { return cmpString(a.key, b.key) }) {
			t.Fatal("entries of equal hash are not in key order")
		}
	case bits.OnesCount64(n.entryMap) != len(n.entries) || bits.OnesCount64(n.kidMap) != len(n.kids) || n.entryMap&n.kidMap != 0:
		t.Fatalf("bitmaps %#x and %#x do not fit %d entries and %d children", n.entryMap, n.kidMap, len(n.entries), len(n.kids))
	}
	for i, e := range n.entries {
		if shift < hashBits && rank(n.entryMap, slot(hash(e.key), shift)) != i {
			t.Fatalf("entry %q is in the wrong slot", e.key)
		}
	}
	for _, k := range n.kids {
		count += shape(t, k, shift+levelBits)
	}
	if shift > 0 && count < 2 {
		t.Fatalf("a node below the root holds %d entries", count)
	}
	return count
}

func cmpString(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func fresh(want map[string]int) Map[int] {
	var m Map[int]
	for _, k := range slices.Sorted(maps.Keys(want)) {
		m = m.Set(k, want[k])
	}
	return m
}

// same reports whether two trees are equal in every bitmap and list.
func same(a, b *node[int]) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.entryMap == b.entryMap && a.kidMap == b.kidMap &&
		slices.Equal(a.entries, b.entries) && slices.EqualFunc(a.kids, b.kids, same)
}

type version struct {
	m    Map[int]
	want map[string]int
}

// TestModel applies operations to maps, editors and a Go map, retains versions,
// and compares them all again at the end.
func TestModel(t *testing.T) {
	withMasks(t, func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			key := rapid.Custom(func(t *rapid.T) string { return strconv.Itoa(rapid.IntRange(0, 60).Draw(t, "key")) })
			var m Map[int]
			want := map[string]int{}
			var kept []version
			var e *Editor[int]
			freeze := func() {
				if e != nil {
					m = e.Map()
				}
			}
			t.Repeat(map[string]func(*rapid.T){
				"set": func(t *rapid.T) {
					k, v := key.Draw(t, "k"), rapid.Int().Draw(t, "v")
					want[k] = v
					if e != nil {
						e.Set(k, v)
						if got, ok := e.Get(k); !ok || got != v {
							t.Fatalf("editor Get(%q) = %d, %t, want %d", k, got, ok, v)
						}
					} else {
						m = m.Set(k, v)
					}
				},
				"delete": func(t *rapid.T) {
					k := key.Draw(t, "k")
					delete(want, k)
					if e != nil {
						e.Delete(k)
					} else {
						m = m.Delete(k)
					}
				},
				"begin edit": func(*rapid.T) {
					freeze()
					e = m.Edit()
				},
				"end edit": func(*rapid.T) {
					freeze()
					e = nil
				},
				"build": func(*rapid.T) {
					freeze()
					entries := make([]Entry[int], 0, len(want))
					for k, v := range want {
						entries = append(entries, NewEntry(k, v))
					}
					if m = Build(entries); e != nil {
						e = m.Edit()
					}
				},
				"keep": func(*rapid.T) {
					freeze() // the editor, if any, remains in use
					kept = append(kept, version{m, maps.Clone(want)})
				},
				"": func(t *rapid.T) {
					if e != nil && e.Len() != len(want) {
						t.Fatalf("editor Len() = %d, want %d", e.Len(), len(want))
					}
				},
			})
			freeze()
			check(t, m, want)
			if !same(m.root, fresh(want).root) {
				t.Fatal("the shape depends on the history")
			}
			for _, v := range kept {
				check(t, v.m, v.want)
			}
		})
	})
}

func TestStop(t *testing.T) {
	withMasks(t, func(t *testing.T) {
		a := load(40).Map()
		n := 0
		for range a.All() {
			if n++; n == 3 {
				break
			}
		}
		if n != 3 {
			t.Errorf("All stopped after %d, want 3", n)
		}
	})
}

func TestZeroMap(t *testing.T) {
	var m Map[int]
	if v, ok := m.Get("x"); ok || v != 0 || m.Len() != 0 {
		t.Errorf("zero map: Get = %d, %t, Len = %d", v, ok, m.Len())
	}
	if got := m.Delete("x"); !reflect.DeepEqual(got, m) {
		t.Errorf("zero map: Delete = %v", got)
	}
	for k := range m.All() {
		t.Errorf("zero map: All yields %q", k)
	}
}

// TestAllocations checks that a lookup and a clone do not allocate.
func TestAllocations(t *testing.T) {
	m := load(10_000).Map()
	key := testKey(5)
	var clone Map[int]
	if n := testing.AllocsPerRun(100, func() { m.Get(key) }); n != 0 {
		t.Errorf("Get allocates %v times, want 0", n)
	}
	if n := testing.AllocsPerRun(100, func() { clone = m }); n != 0 || clone.Len() != m.Len() {
		t.Errorf("a clone allocates %v times, want 0", n)
	}
}

// testKey has the length of a UUID.
func testKey(i int) string { return fmt.Sprintf("%08x-0000-4000-8000-%012x", uint32(i)*2654435761, i) }

func load(n int) *Editor[int] {
	e := Map[int]{}.Edit()
	for i := range n {
		e.Set(testKey(i), i)
	}
	return e
}

// TestBuild compares the result of Build with an editor's.
func TestBuild(t *testing.T) {
	withMasks(t, func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			keys := rapid.SliceOfN(rapid.IntRange(0, 300), 0, 200).Draw(t, "keys")
			e := Map[int]{}.Edit()
			want := map[string]int{}
			for i, k := range keys {
				e.Set(testKey(k), i)
				want[testKey(k)] = i
			}
			var entries []Entry[int]
			for i, k := range keys {
				entries = append(entries, NewEntry(testKey(k), i))
			}
			m := Build(entries)
			check(t, m, want)
			if !same(m.root, e.Map().root) {
				t.Fatal("the shape is not an editor's")
			}
			grown := m.Set("another", 1).Delete(testKey(0)) // a node made by Build is not modified
			if grown.Len() > m.Len()+1 {
				t.Fatalf("%d entries after one more, of %d", grown.Len(), m.Len())
			}
			check(t, m, want)
		})
	})
}
