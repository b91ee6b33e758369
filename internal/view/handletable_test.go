// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// weakHash are hashes under which ids collide: all letters, the first ones, or none.
var weakHash = map[string]func(id string) string{
	"real":         letters,
	"all equal":    func(string) string { return strings.Repeat("a", maxLetters) },
	"two words":    func(id string) string { return strings.Repeat(string('a'+rune(len(id)%2)), maxLetters) },
	"last differs": func(id string) string { return letters("")[:maxLetters-1] + letters(id)[:1] },
}

// model is a history with the handles that a plain loop over its commits gives.
type model struct {
	hash    func(string) string
	live    map[string]bool
	handles map[string]string // by id, of all that ever was
	ids     map[string]string // by handle
}

func (m *model) commit(added, removed []string) {
	for _, id := range removed {
		delete(m.live, id)
	}
	for _, id := range added {
		m.live[id] = true
		if m.handles[id] != "" {
			continue
		}
		word := (m.hash(id) + strings.Repeat("a", 1000))
		for n := minLetters; ; n++ {
			if m.ids[word[:n]] == "" {
				m.handles[id], m.ids[word[:n]] = word[:n], id
				break
			}
		}
	}
}

// check compares a table with the model.
func (m *model) check(t *rapid.T, table *handleTable) {
	t.Helper()
	for id, want := range m.handles {
		if got := table.Of(id); got != want || !isHandle(got) {
			t.Fatalf("Of(%q) = %q, want %q", id, got, want)
		}
		if got, ok := table.ID(want); got != id || !ok {
			t.Fatalf("ID(%q) = %q, %t, want %q", want, got, ok, id)
		}
	}
	if id, ok := table.ID("zzzzzzzzzzzzzzzzzzzz"); ok {
		t.Fatalf("nobody's handle is that of %q", id)
	}
}

// TestTableIsTheReplayedHistory: after any commits, and images between them, each id has
// the handle that a replay of the commits gives it, and no other id ever has it.
func TestTableIsTheReplayedHistory(t *testing.T) {
	for name, hash := range weakHash {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				m := &model{hash: hash, live: map[string]bool{}, handles: map[string]string{}, ids: map[string]string{}}
				table := newHandles(hash)
				var kept []*handleTable
				drawID := rapid.Custom(func(t *rapid.T) string { return fmt.Sprint("id", rapid.IntRange(0, 40).Draw(t, "id")) })
				t.Repeat(map[string]func(*rapid.T){
					"commit": func(t *rapid.T) {
						var added, removed []string
						for _, id := range slices.Sorted(slices.Values(rapid.SliceOfDistinct(drawID, func(id string) string { return id }).Draw(t, "ids"))) {
							if m.live[id] {
								removed = append(removed, id)
							} else {
								added = append(added, id)
							}
						}
						m.commit(added, removed)
						table = table.Follow(added, removed)
						kept = append(kept, table)
					},
					"image": func(t *rapid.T) {
						read, err := decodeHandles(table.Encode())
						if err != nil {
							t.Fatal(err)
						}
						read.hash = hash
						if live := maps.Clone(m.live); rapid.Bool().Draw(t, "asked") {
							table = read.WithLive(maps.Keys(live))
							m.check(t, table)
						} else {
							table = read.WithLive(maps.Keys(live))
						}
					},
					"": func(t *rapid.T) {
						if rapid.Bool().Draw(t, "look") {
							m.check(t, table)
						}
					},
				})
				m.check(t, table)
				for _, old := range kept { // an earlier table never says otherwise
					for _, id := range old.ids().All() {
						if old.Of(id) != m.handles[id] {
							t.Fatalf("an earlier table has %q for %q, the newest %q", old.Of(id), id, m.handles[id])
						}
					}
				}
			})
		})
	}
}

func TestIsHandle(t *testing.T) {
	for name, want := range map[string]bool{
		"abcde": true, "zzzzzzzzzz": true, "abcd": false, "": false, "Abcde": false, "abcd1": false, "ab-cd": false, "ABCDE": false, "12345": false,
	} {
		if got := isHandle(name); got != want {
			t.Errorf("isHandle(%q) = %t", name, got)
		}
	}
}

func TestLettersAreFixed(t *testing.T) {
	const id, want = "~4f2k9q7w1x8e6r5t3y0u9i8o7p", "jnryl"
	if got := noHandles().Of(id); got != want {
		t.Errorf("Of(%q) = %q, want %q: handles that were given before would change", id, got, want)
	}
	if got, want := letters(id), "jnrylsjaelcom"; got != want {
		t.Errorf("the letters of %q are %q, want %q", id, got, want)
	}
}

func TestDecodeRefuses(t *testing.T) {
	good := noHandles().Follow([]string{"a"}, nil).Follow(nil, []string{"a"}).Encode()
	for n := range good {
		if _, err := decodeHandles(good[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are read", n, len(good))
		}
	}
	if _, err := decodeHandles(append(slices.Clone(good), 0)); err == nil {
		t.Error("a byte too many is read")
	}
}

func TestNilTable(t *testing.T) {
	var none *handleTable
	if id, ok := none.ID("abcde"); ok || none.Of("x") != "" {
		t.Errorf("a table of nothing has %q, %q", id, none.Of("x"))
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(noHandles().Encode())
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := decodeHandles(data)
		if err != nil {
			return
		}
		if _, ok := table.WithLive(maps.Keys(map[string]bool{"a": true})).ID(table.Of("a")); !ok && table.Of("a") != "" && isHandle(table.Of("a")) {
			t.Error("a live id cannot be found by its handle")
		}
	})
}

func benchmarkIDs(n int) (ids []string) {
	for i := range n {
		ids = append(ids, fmt.Sprintf("~%026d", i))
	}
	return ids
}

func BenchmarkIndex(b *testing.B) {
	ids := benchmarkIDs(100_000)
	for b.Loop() {
		noHandles().WithLive(slices.Values(ids)).ID("aaaaa")
	}
}

func BenchmarkFollow(b *testing.B) {
	ids := benchmarkIDs(100_000)
	table := noHandles().Follow(ids, nil)
	b.ReportAllocs()
	for b.Loop() {
		table.Follow([]string{"~x"}, nil)
	}
}

func BenchmarkFirst(b *testing.B) {
	ids := benchmarkIDs(100_000)
	for b.Loop() {
		noHandles().Follow(ids, nil)
	}
}

func BenchmarkLetters(b *testing.B) {
	for b.Loop() {
		letters("~00000000000000000000012345")
	}
}
