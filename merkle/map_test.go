// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// testLeaf is a leaf with the fields of a node: about 150 bytes encoded. A test
// may set its key to force long common prefixes.
type testLeaf struct {
	key     Digest
	id      string
	version uint64
}

func (l *testLeaf) Key() Digest { return l.key }

func (l *testLeaf) AppendCanonical(dst []byte) []byte {
	dst = AppendList(dst, 3)
	dst = AppendBytes(dst, l.key[:])
	dst = AppendText(dst, l.id)
	return AppendUint(dst, l.version)
}

func decodeLeaf(value []byte) (*testLeaf, error) {
	r := NewReader(value)
	r.FixedList(3)
	var l testLeaf
	copy(l.key[:], r.Bytes())
	l.id = r.Text()
	l.version = r.Uint()
	return &l, r.Done()
}

func newLeaf(id string, version uint64) *testLeaf {
	return &testLeaf{key: Sum([]byte(id)), id: id, version: version}
}

// nearLeaf has one of 81 keys that differ only in their 1st, 2nd, 17th and 64th
// digits, so trees reach their maximum depth.
func nearLeaf(id, version int) *testLeaf {
	l := &testLeaf{id: fmt.Sprint(id), version: uint64(version)}
	l.key[0] = byte(id%3)<<4 | byte(id/3%3)
	l.key[8] = byte(id / 9 % 3 << 4)
	l.key[31] = byte(id / 27 % 3)
	return l
}

func buildOf(want map[Digest]*testLeaf) Map[*testLeaf] {
	e := Map[*testLeaf]{}.Edit()
	for _, l := range want {
		e.Set(l)
	}
	return e.Map()
}

func sorted(want map[Digest]*testLeaf) []*testLeaf {
	return slices.SortedFunc(maps.Values(want), func(a, b *testLeaf) int { return a.key.Compare(b.key) })
}

var leafCmp = cmp.AllowUnexported(testLeaf{})

func checkMap(t *rapid.T, m Map[*testLeaf], want map[Digest]*testLeaf) {
	t.Helper()
	if got := slices.Collect(m.All()); !slices.Equal(got, sorted(want)) {
		t.Fatalf("All() (-want +got):\n%s", cmp.Diff(sorted(want), got, leafCmp))
	}
	if m.Len() != len(want) {
		t.Fatalf("Len() = %d, want %d", m.Len(), len(want))
	}
	for k, l := range want {
		if got, ok := m.Get(k); !ok || got != l {
			t.Fatalf("Get(%s) = %v, %t", l.id, got, ok)
		}
	}
	if fresh := buildOf(want); fresh.Root() != m.Root() {
		t.Fatalf("root %s after this history, %s fresh", m.Root(), fresh.Root())
	}
}

// leaves draws leaves of both kinds: with ordinary keys and with nearly equal
// keys.
func leaves() *rapid.Generator[*testLeaf] {
	return rapid.Custom(func(t *rapid.T) *testLeaf {
		id, version := rapid.IntRange(0, 80).Draw(t, "id"), rapid.IntRange(0, 3).Draw(t, "version")
		if rapid.Bool().Draw(t, "near") {
			return nearLeaf(id, version)
		}
		return newLeaf(fmt.Sprint(id), uint64(version))
	})
}

// TestMapModel makes random edits and compares each retained version with a Go
// map and with a fresh build of the same leaves.
func TestMapModel(t *testing.T) {
	type version struct {
		m    Map[*testLeaf]
		want map[Digest]*testLeaf
	}
	rapid.Check(t, func(t *rapid.T) {
		want := map[Digest]*testLeaf{}
		var e Editor[*testLeaf]
		kept := []version{{e.Map(), map[Digest]*testLeaf{}}}
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) {
				l := leaves().Draw(t, "leaf")
				want[l.key] = l
				e.Set(l)
			},
			"delete": func(t *rapid.T) {
				l := leaves().Draw(t, "leaf")
				delete(want, l.key)
				e.Delete(l.key)
			},
			"keep": func(t *rapid.T) { kept = append(kept, version{e.Map(), maps.Clone(want)}) },
			"begin anew from a kept version": func(t *rapid.T) {
				v := kept[rapid.IntRange(0, len(kept)-1).Draw(t, "version")]
				e, want = *v.m.Edit(), maps.Clone(v.want)
			},
		})
		kept = append(kept, version{e.Map(), want})
		for _, v := range kept {
			checkMap(t, v.m, v.want)
		}
	})
}

func TestEmptyMap(t *testing.T) {
	var m Map[*testLeaf]
	e := m.Edit()
	l := newLeaf("a", 1)
	e.Set(l)
	one := e.Map()
	e.Delete(l.key)
	if got := e.Map(); got.Root() != m.Root() || got.Len() != 0 || one.Root() == m.Root() {
		t.Errorf("roots: empty %s, of one leaf %s, after its deletion %s", m.Root(), one.Root(), got.Root())
	}
	if _, ok := m.Get(l.key); ok {
		t.Error("the empty map has a leaf")
	}
}

// TestSetTwice covers both ways of storing a leaf: in an empty map, which is
// built in one step, and in a map that has leaves.
func TestSetTwice(t *testing.T) {
	first, last := newLeaf("a", 1), newLeaf("a", 2)
	want := buildOf(map[Digest]*testLeaf{last.key: last}).Root()
	for _, c := range []struct {
		name string
		base Map[*testLeaf]
	}{{"empty", Map[*testLeaf]{}}, {"not empty", buildOf(map[Digest]*testLeaf{first.key: first})}} {
		t.Run(c.name, func(t *testing.T) {
			e := c.base.Edit()
			e.Set(first)
			e.Set(last)
			m := e.Map()
			if got, _ := m.Get(last.key); got != last || m.Len() != 1 || m.Root() != want {
				t.Errorf("leaf of version %d of %d, root %s, want the last one alone and %s", got.version, m.Len(), m.Root(), want)
			}
		})
	}
}

// TestBuild compares the result of Build with an editor's for the same
// leaves in the same order.
func TestBuild(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		given := rapid.SliceOfN(leaves(), 0, 60).Draw(t, "leaves")
		want := map[Digest]*testLeaf{}
		for _, l := range given {
			want[l.key] = l
		}
		checkMap(t, Build(given), want)
	})
}

func drawContent(t *rapid.T, name string) map[Digest]*testLeaf {
	want := map[Digest]*testLeaf{}
	for _, l := range rapid.SliceOfN(leaves(), 0, 60).Draw(t, name) {
		want[l.key] = l
	}
	return want
}

func TestMapDiff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawContent(t, "a"), drawContent(t, "b")
		if rapid.Bool().Draw(t, "related") {
			maps.Copy(b, a)
		}
		var want []Change[*testLeaf]
		all := maps.Clone(a)
		maps.Copy(all, b)
		for _, l := range sorted(all) {
			x, inA := a[l.key]
			y, inB := b[l.key]
			if !inA || !inB || x.version != y.version {
				want = append(want, Change[*testLeaf]{Key: l.key, Old: x, New: y, InOld: inA, InNew: inB})
			}
		}
		byVersion := func(x, y *testLeaf) bool { return x.version == y.version }
		byEncoding := func(x, y *testLeaf) bool { return bytes.Equal(x.AppendCanonical(nil), y.AppendCanonical(nil)) }
		for _, same := range []func(x, y *testLeaf) bool{byEncoding, byVersion} {
			got := slices.Collect(Diff(buildOf(a), buildOf(b), same))
			if diff := cmp.Diff(want, got, leafCmp); diff != "" {
				t.Fatalf("Diff (-want +got):\n%s", diff)
			}
		}
		limit := rapid.IntRange(1, 5).Draw(t, "limit")
		n := 0
		for range Diff(buildOf(a), buildOf(b), byVersion) {
			if n++; n == limit {
				break
			}
		}
		if n != min(limit, len(want)) {
			t.Fatalf("Diff yields %d changes before a stop at %d of %d", n, limit, len(want))
		}
	})
}

// TestDiffTouchesOnlyChanges counts comparisons: equal digests must be
// sufficient even if the maps share no memory.
func TestDiffTouchesOnlyChanges(t *testing.T) {
	content := map[Digest]*testLeaf{}
	for i := range 10_000 {
		l := newLeaf(fmt.Sprint(i), 1)
		content[l.key] = l
	}
	old := buildOf(content)
	for _, id := range []string{"17", "4711", "9999"} {
		content[Sum([]byte(id))] = newLeaf(id, 2)
	}
	compared, changes := 0, 0
	for range Diff(old, buildOf(content), func(a, b *testLeaf) bool { compared++; return a.version == b.version }) {
		changes++
	}
	if changes != 3 || compared > 3*5*16 {
		t.Errorf("Diff yields %d changes after %d comparisons, want 3 after at most %d", changes, compared, 3*5*16)
	}
}

// blockSet stores blocks for the tests.
type blockSet map[Digest][]byte

var errAbsent = errors.New("no such block")

func (s blockSet) put(d Digest, block []byte) error {
	s[d] = slices.Clone(block)
	return nil
}

func (s blockSet) get(d Digest) ([]byte, error) {
	if b, ok := s[d]; ok {
		return b, nil
	}
	return nil, errAbsent
}

func TestMapBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawContent(t, "leaves")
		m := buildOf(want)
		blocks := blockSet{}
		if err := m.Blocks(blocks.put); err != nil {
			t.Fatal(err)
		}
		for d, b := range blocks {
			if Sum(b) != d || Check(b) != nil {
				t.Fatalf("block %s has digest %s; Check: %v", d, Sum(b), Check(b))
			}
		}
		got, err := ReadMap(m.Root(), blocks.get, decodeLeaf)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(sorted(want), slices.Collect(got.All()), leafCmp); diff != "" {
			t.Fatalf("leaves read back (-want +got):\n%s", diff)
		}
	})
}

// TestReadMapRefuses gives ReadMap blocks that are canonical and have the right
// digests, but that Blocks does not write.
func TestReadMapRefuses(t *testing.T) {
	a, b := newLeaf("a", 1), newLeaf("b", 1) // keys ca97..., 3e23...
	inSlot := func(l *testLeaf, depth int) *hnode[*testLeaf] {
		return &hnode[*testLeaf]{leafMap: slot(l.key, depth), leaves: []*testLeaf{l}}
	}
	parent := func(l *testLeaf, kid *hnode[*testLeaf]) *hnode[*testLeaf] {
		return &hnode[*testLeaf]{kidMap: slot(l.key, 0), kids: []*hnode[*testLeaf]{kid}}
	}
	moved := inSlot(a, 0)
	moved.leafMap = moved.leafMap<<1 | moved.leafMap>>15
	wrongKey := newLeaf("a", 1)
	wrongKey.key = b.key
	twice := &hnode[*testLeaf]{leafMap: 3, leaves: []*testLeaf{a, a}}
	for _, c := range []struct {
		name string
		root *hnode[*testLeaf]
		want error
	}{
		{"leaf in another slot", moved, ErrShape},
		{"a lone leaf below the root", parent(a, inSlot(a, 1)), ErrShape},
		{"an empty node below the root", parent(a, &hnode[*testLeaf]{}), ErrShape},
		{"a leaf below a foreign slot", parent(b, &hnode[*testLeaf]{leafMap: slot(a.key, 1) | slot(b.key, 1), leaves: []*testLeaf{b, a}}), ErrShape},
		{"one leaf twice", twice, ErrShape},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.root.seal(nil)
			blocks := blockSet{}
			if _, err := c.root.emit(nil, blocks.put); err != nil {
				t.Fatal(err)
			}
			if _, err := ReadMap(c.root.digest, blocks.get, decodeLeaf); !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
		})
	}
	raw := func(f, kids, leaves uint64, links ...Digest) []byte {
		b := AppendUint(AppendText(AppendMap(nil, 4), "f"), f)
		b = AppendUint(AppendText(b, "kids"), kids)
		b = AppendUint(AppendText(b, "leaves"), leaves)
		return appendLinks(AppendList(AppendText(b, "entries"), len(links)), links)
	}
	beside := blockSet{}
	keep := func(block []byte) Digest {
		beside[Sum(block)] = block
		return Sum(block)
	}
	entry := func(key []byte) Digest {
		return keep(AppendLink(AppendBytes(AppendList(nil, 2), key), keep(a.AppendCanonical(nil))))
	}
	own := uint64(slot(a.key, 0))
	for _, c := range []struct {
		name  string
		block []byte
		want  error
	}{
		{"a later format", raw(mapFormat+1, 0, 0), ErrFormat},
		{"the format before", raw(0, 0, 0), ErrFormat},
		{"a bitmap of 17 bits", raw(mapFormat, 0, 1<<16, entry(a.key[:])), ErrShape},
		{"children in a bitmap of 17 bits", raw(mapFormat, 1<<16, 0, entry(a.key[:])), ErrShape},
		{"a bitmap with more bits than entries", raw(mapFormat, 0, 3, entry(a.key[:])), ErrShape},
		{"a slot of a child and a leaf", raw(mapFormat, own, own, entry(a.key[:])), ErrShape},
		{"a short key", raw(mapFormat, 0, own, entry(a.key[:31])), ErrKind},
		{"a key that is not the leaf's", raw(mapFormat, 0, uint64(slot(b.key, 0)), entry(b.key[:])), ErrShape},
		{"a leaf for a child", raw(mapFormat, own, 0, entry(a.key[:])), ErrKind},
		{"five entries without groups", raw(mapFormat, 0, 31, make([]Digest, 5)...), ErrShape},
		{"a group of other length", raw(mapFormat, 0, 31, keep(appendLinks(AppendList(nil, 3), make([]Digest, 3))), keep(AppendList(nil, 0))), ErrKind},
		{"a group that is missing", raw(mapFormat, 0, 31, Sum(nil), Sum(nil)), errAbsent},
		{"no map at all", AppendUint(nil, 7), ErrKind},
		{"damaged encoding", raw(mapFormat, 0, 0)[1:], ErrCanonical},
	} {
		t.Run(c.name, func(t *testing.T) {
			keep(c.block)
			if _, err := ReadMap(Sum(c.block), beside.get, decodeLeaf); !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
		})
	}
}

func TestLeafTooLarge(t *testing.T) {
	e := Map[*testLeaf]{}.Edit()
	e.Set(newLeaf(strings.Repeat("x", MaxLeaf), 1))
	if err := e.Map().Blocks(blockSet{}.put); !errors.Is(err, ErrTooLarge) {
		t.Errorf("Blocks: error %v, want ErrTooLarge", err)
	}
}
