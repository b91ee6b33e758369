// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bound

import (
	"maps"
	"testing"

	"pgregory.net/rapid"
)

// TestMapKeepsTheLastUsed compares a map with an unbounded one and a list of uses.
func TestMapKeepsTheLastUsed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Map[int, int]{Size: rapid.IntRange(1, 5).Draw(t, "size")}
		values, used := map[int]int{}, []int{} // used has each key once, the last used last
		use := func(key int) {
			for i, k := range used {
				if k == key {
					used = append(used[:i:i], used[i+1:]...)
					break
				}
			}
			used = append(used, key)
		}
		for i, step := range rapid.SliceOfN(rapid.IntRange(0, 29), 0, 80).Draw(t, "steps") {
			key := step % 10
			switch {
			case step < 10:
				m.Set(key, i)
				values[key] = i
				use(key)
			case step < 20:
				if v, ok := m.Get(key); ok && v != values[key] {
					t.Fatalf("Get(%d) = %d, want %d", key, v, values[key])
				} else if ok {
					use(key)
				}
			default:
				if v, ok := m.Peek(key); ok && v != values[key] {
					t.Fatalf("Peek(%d) = %d, want %d", key, v, values[key])
				}
			}
			for _, key := range used[max(len(used)-m.Size, 0):] {
				if v, ok := m.Peek(key); !ok || v != values[key] {
					t.Fatalf("%d is among the last %d used of %v and has %d, %v", key, m.Size, used, v, ok)
				}
			}
			if all := maps.Collect(m.All()); m.Len() > 2*m.Size || len(all) != m.Len() {
				t.Fatalf("a map of size %d has %d entries, %v", m.Size, m.Len(), all)
			}
		}
	})
}

func TestMapClear(t *testing.T) {
	m := Map[string, int]{Size: 1}
	m.Set("a", 1)
	m.Set("b", 2)
	if _, ok := m.Get("a"); !ok || m.Len() != 2 {
		t.Fatalf("the map has %d entries, a: %v", m.Len(), ok)
	}
	m.Clear()
	if _, ok := m.Get("b"); ok || m.Len() != 0 {
		t.Errorf("the map has %d entries after Clear, b: %v", m.Len(), ok)
	}
	m.Set("c", 3)
	if v, ok := m.Get("c"); !ok || v != 3 {
		t.Errorf("c is %d, %v", v, ok)
	}
}

func TestMapDelete(t *testing.T) {
	m := Map[string, int]{Size: 1}
	m.Set("a", 1)
	m.Set("b", 2) // a is of the older generation now
	for _, key := range []string{"a", "b", "c"} {
		m.Delete(key)
		if _, ok := m.Peek(key); ok {
			t.Errorf("%s is still there", key)
		}
	}
	if m.Len() != 0 {
		t.Errorf("%d entries are left", m.Len())
	}
}
