// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

// orgFiles are the formats of most tests.
var orgFiles = document.Formats{org.Format{}}

// folder is the naive model: files and their bytes, trees and their JSON.
type folder map[string]string

// fresh ingests a folder from nothing, in the given order of files.
func fresh(f folder, order []string) *State {
	d := Empty(orgFiles).Edit(1)
	for _, p := range order {
		put(d, p, f[p])
	}
	s, _ := d.Seal()
	return s
}

func sorted(f folder) []string { return slices.Sorted(maps.Keys(f)) }

var paths = []string{"a.org", "b.org", "agents/x/c.org", "d/e.org", "z.org_archive", "skills/tool.py", "d/theme.setup", "n\u0301.org", "\u0144.org"}

// drawFile makes a small Org file that is likely to collide with others: few
// ids, few titles, nested levels.
func drawFile(t *rapid.T) string {
	var b strings.Builder
	if rapid.Bool().Draw(t, "drawer") {
		fmt.Fprintf(&b, ":PROPERTIES:\n:ID: %s\n:END:\n", rapid.SampledFrom([]string{"one", "two", "file"}).Draw(t, "id"))
	}
	for range rapid.IntRange(0, 2).Draw(t, "settings") {
		b.WriteString(rapid.SampledFrom([]string{
			"#+SETUPFILE: d/theme.setup\n", "#+setupfile: theme.setup\n", "#+SETUPFILE: ../a.org\n", "#+SETUPFILE: ./a.org\n", "#+SETUPFILE: b.org\n",
			"#+TODO: A | B\n", "#+FILETAGS: :file:\n", "#+FILETAGS: :crypt:\n", "#+TAGS: [ G : a b ]\n", "#+PROPERTY: P v\n", "#+LINK: x y\n",
		}).Draw(t, "setting"))
	}
	for range rapid.IntRange(0, 5).Draw(t, "headlines") {
		b.WriteString(strings.Repeat("*", rapid.IntRange(1, 3).Draw(t, "level")))
		b.WriteString(rapid.SampledFrom([]string{" A", " B", " TODO A", " C  :tag:", " A x", " D :crypt:", ""}).Draw(t, "title") + " \n")
		switch rapid.IntRange(0, 4).Draw(t, "drawer") {
		case 0, 1:
			fmt.Fprintf(&b, ":PROPERTIES:\n:ID: %s\n:END:\n", rapid.SampledFrom([]string{"one", "two", "three", "~x", "a::b"}).Draw(t, "id"))
		case 2:
			b.WriteString(":PROPERTIES:\n:CUSTOM_ID: c\n:END:\n")
		}
		b.WriteString(rapid.SampledFrom([]string{"", "text\n", "more [[id:one]]\r\n", "\xff\x00\n"}).Draw(t, "body"))
	}
	return b.String()
}

// blocks is a store of blocks that a test keeps in a map.
type blocks map[merkle.Digest][]byte

func (b blocks) emit(d merkle.Digest, block []byte) error {
	b[d] = slices.Clone(block)
	return nil
}

func (b blocks) get(d merkle.Digest) ([]byte, error) {
	if block, ok := b[d]; ok {
		return block, nil
	}
	return nil, fmt.Errorf("no block %s", d)
}

// TestHistory changes a folder at random and compares, after every step, with
// a fresh ingest in several orders, with the commit applied and undone through
// its encoding, and with an image of the state.
func TestHistory(t *testing.T) {
	rapid.Check(t, history(paths))
}

// TestHistoryOfCopies is TestHistory where most files can be conflict copies of others.
func TestHistoryOfCopies(t *testing.T) {
	rapid.Check(t, history([]string{
		"a.org", "a (1).org", "a (1) (1).org", "a.sync-conflict-20260314-101112-ABCDEFG.org",
		"a-PC.org", "Copy of a.org", "0.org", "agents/x/a.org", "agents/x/a 2.org", "a!.org", "a! (1).org",
	}))
}

func history(names []string) func(*rapid.T) {
	return func(t *rapid.T) {
		f, s := folder{}, Empty(orgFiles)
		states := []*State{s}
		store := blocks{}
		for step := range rapid.IntRange(1, 12).Draw(t, "steps") {
			d := s.Edit(int64(step + 2))
			for range rapid.IntRange(1, 3).Draw(t, "edits") {
				change(t, d, f, names)
			}
			if rapid.IntRange(0, 5).Draw(t, "restore") == 0 {
				s, f = checkRestore(t, s, states), nil
				f = files(s)
			} else {
				next, delta := d.Seal()
				checkCommit(t, s, next, &delta, store)
				s = next
			}
			states = append(states, s)
			check(t, f, s)
		}
	}
}

// files gives back the folder that a state stands for.
func files(s *State) folder {
	f := folder{}
	for _, p := range s.Paths() {
		if f[p], _ = s.Text(p); s.IsTree(p) {
			f[p] = string(node.TreeOf(s.Nodes(p)).JSON())
		}
	}
	return f
}

func checkRestore(t *rapid.T, s *State, states []*State) *State {
	target := rapid.SampledFrom(states).Draw(t, "target")
	next, _ := s.Restore(target, 99)
	if next.Root() != target.Root() {
		t.Fatalf("restoring gives root %s, want %s", next.Root(), target.Root())
	}
	return next
}

func check(t *rapid.T, f folder, s *State) {
	for _, path := range s.Paths() {
		size := 0
		for _, n := range s.Nodes(path) {
			size += len(n.Content)
		}
		if got := s.Size(path); got != size {
			t.Fatalf("%s has %d bytes, Size says %d", path, size, got)
		}
	}
	order := sorted(f)
	want := fresh(f, order)
	if s.Root() != want.Root() {
		t.Fatalf("root after history %s, of a fresh ingest %s\n%s", s.Root(), want.Root(), cmp.Diff(listing(want), listing(s)))
	}
	if diff := cmp.Diff(listing(want), listing(s)); diff != "" {
		t.Fatalf("history reads other nodes (-fresh +history):\n%s", diff)
	}
	rand.New(rand.NewPCG(uint64(len(order)), 7)).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	if other := fresh(f, order); other.Root() != want.Root() {
		t.Fatalf("another order gives another root\n%s", cmp.Diff(listing(want), listing(other)))
	}
	if diff := cmp.Diff(map[string]string(f), map[string]string(files(s))); diff != "" {
		t.Fatalf("files differ (-folder +memory):\n%s", diff)
	}
	several, without := s.Encode(40, 64), s.Encode(1<<20, 64)
	without[0].Derived = nil // it is read from the bytes
	for _, parts := range [][]Part{s.Encode(1<<20, 64), several, without} {
		image, _, err := Decode(parts, orgFiles)
		if err != nil {
			t.Fatal(err)
		}
		if image.Root() != s.Root() {
			t.Fatal("an image gives another root")
		}
		if diff := cmp.Diff(listing(s), listing(image)); diff != "" {
			t.Fatalf("an image gives other nodes:\n%s", diff)
		}
		if diff := cmp.Diff(contests(want), contests(image)); diff != "" {
			t.Fatalf("an image knows other contested ids:\n%s", diff)
		}
	}
	if diff := cmp.Diff(contests(want), contests(s)); diff != "" {
		t.Fatalf("history knows other contested ids:\n%s", diff)
	}
}

func contests(s *State) map[string][]node.Claim {
	return maps.Collect(s.contested.All())
}

// listing tells everything that a state knows of its nodes, times apart.
func listing(s *State) []string {
	out := []string{fmt.Sprint(maps.Collect(s.setup.All())), fmt.Sprint(maps.Collect(s.Copies()))}
	for n := range s.All() {
		out = append(out, fmt.Sprintf("%s %s %s %s %t %q %v %+v", n.Path, n.ID, n.Parent, n.Type, n.Bare, n.Content, n.Attrs, *n.Derived))
	}
	return out
}

// checkCommit takes a delta through the encoding of a commit, and the state
// forward and back by it.
func checkCommit(t *rapid.T, s, next *State, delta *Delta, store blocks) {
	if diff := cmp.Diff(ids(Diff(s, next).Changes), ids(delta.Changes)); diff != "" {
		t.Fatalf("the draft's delta differs from the diff of the states:\n%s", diff)
	}
	checkReread(t, s, next, delta)
	checkReread(t, s, next, new(Diff(s, next)))
	for _, state := range []*State{s, next} {
		for n := range state.All() {
			if err := n.Blocks(store.emit); err != nil {
				t.Fatal(err)
			}
		}
	}
	c := &Commit{Seq: 1, State: next.Root(), Delta: delta.Records(), Lineage: delta.Lineage, Kind: KindIngest, Time: 5}
	block, err := c.Encode(store.emit)
	if err != nil {
		t.Fatal(err)
	}
	read, err := DecodeCommit(block, store.get)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c, read); diff != "" {
		t.Fatalf("decoding gives another commit:\n%s", diff)
	}
	forward, err := s.Apply(read, store.get)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(listing(next), listing(forward)); diff != "" {
		t.Fatalf("applying the commit gives other nodes:\n%s", diff)
	}
	if diff := cmp.Diff(contests(next), contests(forward)); diff != "" {
		t.Fatalf("applying the commit gives other contested ids:\n%s", diff)
	}
	back, err := next.Undo(read, s.Root(), store.get)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(listing(s), listing(back)); diff != "" {
		t.Fatalf("undoing the commit gives other nodes:\n%s", diff)
	}
}

// checkReread compares the nodes that a delta names as read otherwise with
// those that are.
func checkReread(t *rapid.T, s, next *State, delta *Delta) {
	var want, got []string
	for n := range next.All() {
		if o, ok := s.Get(n.ID); ok && o.Entry.Equal(&n.Entry) && !cmp.Equal(o.Derived, n.Derived) {
			want = append(want, n.ID)
		}
	}
	for _, n := range delta.Reread {
		got = append(got, n.ID)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("nodes read otherwise (-compared +delta):\n%s", diff)
	}
}

func ids(changes []Change) []string {
	var out []string
	for _, c := range changes {
		out = append(out, fmt.Sprintf("%s %t %t", c.ID, c.Old != nil, c.New != nil))
	}
	return out
}
