// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

func textsOf(s *State) folder {
	f := folder{}
	for _, p := range s.Paths() {
		f[p], _ = s.Text(p)
	}
	return f
}

// sidesOf makes two sides of which the second was later.
func sidesOf(a, b *State) (Side, Side) {
	return Side{State: a, Who: "ann", Time: 1, Digest: a.Root()}, Side{State: b, Who: "bob", Time: 2, Digest: b.Root()}
}

// merged merges and returns the state.
func merged(base, a, b *State) (*State, []document.Conflict) {
	x, y := sidesOf(a, b)
	d, conflicts := Merge(base, x, y, 9)
	s, _ := d.Seal()
	return s, conflicts
}

func TestMerge(t *testing.T) {
	const a, b = ":PROPERTIES:\n:ID: a\n:END:\n", ":PROPERTIES:\n:ID: b\n:END:\n"
	tests := []struct {
		name                 string
		base, ann, bob, want folder
		conflicts            []string
	}{
		{
			name: "different files", base: folder{"a.org": "* A\n", "b.org": "* B\n"}, ann: folder{"a.org": "* A1\n", "b.org": "* B\n"},
			bob: folder{"a.org": "* A\n", "c.org": "* C\n"}, want: folder{"a.org": "* A1\n", "c.org": "* C\n"},
		},
		{
			name: "both add a headline", base: folder{"a.org": "* A\n"}, ann: folder{"a.org": "* A\n* X\n"}, bob: folder{"a.org": "* A\n* Y\n** Z\n"},
			want: folder{"a.org": "* A\n* Y\n** Z\n* X\n"},
		},
		{
			name: "both add the same", base: folder{"a.org": "* A\n"}, ann: folder{"a.org": "* A\n* X\n1\n"}, bob: folder{"a.org": "* A\n* X\n1\n* Y\n"},
			want: folder{"a.org": "* A\n* X\n1\n* Y\n"},
		},
		{
			name: "a title and a text below it", base: folder{"a.org": "* A\n** B\n1\n"}, ann: folder{"a.org": "* A renamed\n** B\n1\n"},
			bob:  folder{"a.org": "* A\n** B\n2\n"},
			want: folder{"a.org": "* A renamed\n** B\n2\n"},
		},
		{
			name: "a change follows a move to another file", base: folder{"a.org": "* A\n" + a + "1\n* B\n", "b.org": "* C\n"},
			ann: folder{"a.org": "* A\n" + a + "2\n* B\n", "b.org": "* C\n"},
			bob: folder{"a.org": "* B\n", "b.org": "* C\n** A\n" + a + "1\n"}, want: folder{"a.org": "* B\n", "b.org": "* C\n** A\n" + a + "2\n"},
		},
		{
			name: "an edit beats a removal", base: folder{"a.org": "* A\n" + a + "1\n* B\n"}, ann: folder{"a.org": "* A\n" + a + "2\n* B\n"},
			bob:       folder{"a.org": "* B\n"},
			want:      folder{"a.org": "* A :conflict:\n" + a + ":CONFLICT:\n- deleted :: by bob\n:END:\n2\n* B\n"},
			conflicts: []string{"a deleted"},
		},
		{
			name: "a new child brings its parent back", base: folder{"a.org": "* A\n" + a + "* B\n"}, ann: folder{"a.org": "* A\n" + a + "** C\n* B\n"},
			bob:       folder{"a.org": "* B\n"},
			want:      folder{"a.org": "* A :conflict:\n" + a + ":CONFLICT:\n- deleted :: by bob\n:END:\n** C\n* B\n"},
			conflicts: []string{"a deleted"},
		},
		{
			name: "both remove", base: folder{"a.org": "* A\n* B\n* C\n"}, ann: folder{"a.org": "* B\n* C\n"}, bob: folder{"a.org": "* C\n"},
			want: folder{"a.org": "* C\n"},
		},
		{
			name: "a cycle", base: folder{"a.org": "* A\n" + a + "* B\n" + b}, ann: folder{"a.org": "* B\n" + b + "** A\n" + a},
			bob:       folder{"a.org": "* A\n" + a + "** B\n" + b},
			want:      folder{"a.org": "* A :conflict:\n" + a + ":CONFLICT:\n- place :: by ann\n: -a.org\n: +a.org: B\n:END:\n** B\n" + b},
			conflicts: []string{"a place"},
		},
		{
			name: "two moves", base: folder{"a.org": "* A\n" + a + "* B\n* C\n"}, ann: folder{"a.org": "* B\n** A\n" + a + "* C\n"},
			bob:       folder{"a.org": "* B\n* C\n** A\n" + a},
			want:      folder{"a.org": "* B\n* C\n** A :conflict:\n" + a + ":CONFLICT:\n- place :: by ann\n: -a.org: C\n: +a.org: B\n:END:\n"},
			conflicts: []string{"a place"},
		},
		{
			name: "order on one side, a change on the other", base: folder{"a.org": "* A\n* B\n* C\n"}, ann: folder{"a.org": "* C\n* A\n* B\n"},
			bob:  folder{"a.org": "* A\n* TODO B\n* C\n"},
			want: folder{"a.org": "* C\n* A\n* TODO B\n"},
		},
		{
			name: "equal titles without ids", base: folder{"a.org": "* A\n1\n* A\n2\n"}, ann: folder{"a.org": "* A\n2\n"},
			bob:  folder{"a.org": "* A\n1\n* A\n2\n3\n"},
			want: folder{"a.org": "* A\n2\n3\n"},
		},
		{
			name: "stars that skip a level", base: folder{"a.org": "* A\n*** B\n"}, ann: folder{"a.org": "* A\n*** B\n** C\n"},
			bob:  folder{"a.org": "* A\n*** B\n1\n"},
			want: folder{"a.org": "* A\n*** B\n1\n** C\n"},
		},
		{
			name: "no final line end", base: folder{"a.org": "* A"}, ann: folder{"a.org": "* A\n* B"}, bob: folder{"a.org": "* TODO A"},
			want: folder{"a.org": "* TODO A\n* B"},
		},
		{
			name: "a byte order mark", base: folder{"a.org": "\uFEFF* A\n"}, ann: folder{"a.org": "\uFEFF* A\n* B\n"}, bob: folder{"a.org": "\uFEFF* TODO A\n"},
			want: folder{"a.org": "\uFEFF* TODO A\n* B\n"},
		},
		{
			name: "files that are not Org", base: folder{"x.py": "1\n2\n"}, ann: folder{"x.py": "0\n2\n"}, bob: folder{"x.py": "1\n3\n"},
			want: folder{"x.py": "0\n3\n"},
		},
		{
			name: "a file becomes empty", base: folder{"a.org": "* A\n"}, ann: folder{"a.org": ""}, bob: folder{"a.org": "* A\n"}, want: folder{"a.org": ""},
		},
		{
			name: "both bring a file", base: folder{}, ann: folder{"a.org": "#+TITLE: T\n* A\n"}, bob: folder{"a.org": "#+TITLE: T\n* B\n"},
			want: folder{"a.org": "#+TITLE: T\n* B\n* A\n"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, conflicts := merged(fresh(tt.base, sorted(tt.base)), fresh(tt.ann, sorted(tt.ann)), fresh(tt.bob, sorted(tt.bob)))
			if diff := cmp.Diff(tt.want, textsOf(got)); diff != "" {
				t.Error(diff)
			}
			var told []string
			for _, c := range conflicts {
				told = append(told, c.ID+" "+c.Field)
			}
			if diff := cmp.Diff(tt.conflicts, told); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestCampaignOfMerges merges random pairs: symmetric, idempotent, every change of
// one side is there, of two that meet both are.
func TestCampaignOfMerges(t *testing.T) {
	c := foveatest.NewCampaign(t)
	for pair := range uint64(c.Length(400, 100_000)) {
		r := rand.New(rand.NewPCG(pair, c.Seed))
		start := drawMemex(r, pair%2 == 0)
		ann, bob := start.clone("ann", r), start.clone("bob", r)
		for range 1 + r.IntN(6) {
			ann.change()
			bob.change()
		}
		base, a, b := start.state(), ann.state(), bob.state()
		got := laws(t, base, a, b)
		if start.named {
			eachField(t, base, a, b, got)
		}
		nothingLost(t, base, a, b, got)
		if t.Failed() {
			t.Fatalf("pair %d\nbase %v\nann %v\nbob %v\ngot %v", pair, textsOf(base), textsOf(a), textsOf(b), textsOf(got))
		}
	}
}

// laws checks what holds of any merge and returns the result.
func laws(t *testing.T, base, a, b *State) *State {
	t.Helper()
	got, _ := merged(base, a, b)
	x, y := sidesOf(a, b)
	d, _ := Merge(base, y, x, 9)
	back, _ := d.Seal()
	if diff := cmp.Diff(textsOf(got), textsOf(back)); diff != "" || got.Root() != back.Root() {
		t.Errorf("not symmetric: %s", diff)
	}
	if f := textsOf(got); fresh(f, sorted(f)).Root() != got.Root() {
		t.Error("the result is not what its files are read as")
	}
	for name, same := range map[string][4]*State{"base with a": {base, base, a, a}, "a with itself": {base, a, a, a}, "b since a": {a, a, b, b},
		"the result with a": {a, got, a, got}} {
		s, conflicts := merged(same[0], same[1], same[2])
		if diff := cmp.Diff(textsOf(same[3]), textsOf(s)); diff != "" || len(conflicts) > 0 {
			t.Errorf("%s: %v %s", name, conflicts, diff)
		}
	}
	return got
}

// fieldsOf lists what is said of a node, the text apart from its lines' place.
func fieldsOf(n *node.Node) map[string]string {
	d := n.Derived
	f := map[string]string{"todo": d.Todo, "priority": d.Priority, "title": d.Title, "scheduled": d.Scheduled, "deadline": d.Deadline}
	for _, tag := range d.Tags {
		f["tag "+tag] = "is"
	}
	for _, p := range d.Properties {
		f["property "+p.Key] = ":" + p.Key + ": " + p.Value
	}
	f["place"] = n.Parent
	return f
}

// eachField compares the merge of every field of every node with the naive rule.
func eachField(t *testing.T, base, a, b, got *State) {
	t.Helper()
	for n := range got.All() {
		if n.Type != document.TypeHeadline {
			continue
		}
		have := fieldsOf(n)
		var versions [3]map[string]string
		for i, s := range []*State{base, a, b} {
			if v, ok := s.Get(n.ID); ok {
				versions[i] = fieldsOf(v)
			}
		}
		was, x, y := versions[0], versions[1], versions[2]
		if x == nil || y == nil {
			continue
		}
		keys := map[string]bool{}
		for _, f := range []map[string]string{was, x, y, have} {
			for k := range f {
				keys[k] = k != "tag conflict"
			}
		}
		for k := range keys {
			want := x[k]
			switch {
			case x[k] == y[k] || y[k] == was[k]:
			case x[k] == was[k]:
				want = y[k]
			default: // both changed it
				kept := slices.ContainsFunc(org.Format{}.Conflicts(n.Part()), func(c document.Conflict) bool { return c.Field == k })
				if !kept || have[k] != x[k] && have[k] != y[k] && k != "place" { // a file's id may follow its name
					t.Errorf("%s %s: %q and %q gave %q, kept %v", n.ID, k, x[k], y[k], have[k], org.Format{}.Conflicts(n.Part()))
				}
				continue
			}
			if _, there := got.Get(want); k == "place" && !there {
				continue // a file whose path another one took
			}
			moved := k == "place" && slices.ContainsFunc(org.Format{}.Conflicts(n.Part()), func(c document.Conflict) bool { return c.Field == "place" })
			if !keys[k] || have[k] == want || moved {
				continue
			}
			t.Errorf("%s %s: %q to %q and %q gave %q", n.ID, k, was[k], x[k], y[k], have[k])
		}
	}
	for n := range base.All() {
		x, inA := a.Get(n.ID)
		y, inB := b.Get(n.ID)
		g, here := got.Get(n.ID)
		changed := inA && x.Content != n.Content || inB && y.Content != n.Content
		switch {
		case inA && inB || n.Type != document.TypeHeadline:
		case here && len(org.Format{}.Conflicts(g.Part())) == 0:
			t.Errorf("%s is back, and nothing says so", n.ID)
		case !here && changed && strings.TrimLeft(n.Content, "*") != strings.TrimLeft(either(x, y).Content, "*"):
			t.Errorf("%s was changed and is gone", n.ID)
		}
	}
}

// either returns the node that there is.
func either(x, y *node.Node) *node.Node {
	if x != nil {
		return x
	}
	return y
}

// nothingLost looks for every word that a side brought, each of which is the only one
// of its kind; and words that a side took away from what the other left alone.
func nothingLost(t *testing.T, base, a, b, got *State) {
	t.Helper()
	words := func(s *State) map[string]bool {
		out := map[string]bool{}
		for n := range s.All() {
			for _, w := range strings.FieldsFunc(n.Content, func(r rune) bool { return strings.ContainsRune(" \n:+-*", r) }) {
				out[w] = true
			}
		}
		return out
	}
	was, have := words(base), words(got)
	for _, s := range []*State{a, b} {
		for w := range words(s) {
			if !was[w] && !have[w] {
				t.Errorf("%s is lost", w)
			}
		}
	}
	inA, inB := words(a), words(b)
	for w := range have {
		if was[w] && !inA[w] && !inB[w] && !hasConflict(got) {
			t.Errorf("%s is back", w)
		}
	}
}

func hasConflict(s *State) bool {
	for n := range s.All() {
		if len(org.Format{}.Conflicts(n.Part())) > 0 {
			return true
		}
	}
	return false
}

func TestMergeTie(t *testing.T) {
	of := func(text string) Side {
		s := fresh(folder{"a.org": text}, []string{"a.org"})
		return Side{State: s, Who: "who", Time: 5, Digest: s.Root()}
	}
	base, x, y := of("* A\n"), of("* B\n"), of("* C\n")
	won := "B"
	if y.Digest.Compare(x.Digest) > 0 {
		won = "C"
	}
	for _, sides := range [][2]Side{{x, y}, {y, x}} {
		d, _ := Merge(base.State, sides[0], sides[1], 1)
		s, _ := d.Seal()
		if got, _ := s.Text("a.org"); !strings.HasPrefix(got, "* "+won+" :conflict:\n") {
			t.Errorf("%q, want %s to win", got, won)
		}
	}
}

// TestMergeTreesOfStates: documents that came as trees are merged beside files.
func TestMergeTreesOfStates(t *testing.T) {
	grown := func(file string, trees ...string) *State {
		d := Empty(orgFiles).Edit(1)
		d.Put("a.org", document.File(file, false))
		for _, text := range trees {
			tree, err := ast.DecodeTree([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			path, err := node.TreePath("memex", tree)
			if err != nil {
				t.Fatal(err)
			}
			if err := putTree(d, path, tree); err != nil {
				t.Fatal(err)
			}
		}
		s, _ := d.Seal()
		return s
	}
	const one, two = `{"type":"headline","properties":{"ID":"one"}}`, `{"type":"headline","properties":{"ID":"two"}}`
	base := grown("* A\n", one, two)
	a := grown("* A\n", `{"type":"headline","properties":{"ID":"one","X":1}}`)
	b := grown("* B\n", `{"type":"headline","properties":{"ID":"one","Y":1}}`, two)
	want := grown("* B\n", `{"type":"headline","properties":{"ID":"one","X":1,"Y":1}}`)
	x, y := sidesOf(a, b)
	for _, sides := range [][2]Side{{x, y}, {y, x}} {
		d, conflicts := Merge(base, sides[0], sides[1], 9)
		if got, _ := d.Seal(); got.Root() != want.Root() || len(conflicts) > 0 {
			t.Errorf("%v, %v", textsOf(got), conflicts)
		}
	}
	d, _ := Revert(want, base, a, "mint", 9)
	if got, _ := d.Seal(); got.Root() != grown("* B\n", `{"type":"headline","properties":{"ID":"one","Y":1}}`, two).Root() {
		t.Errorf("reverted to %v", textsOf(got))
	}
}
