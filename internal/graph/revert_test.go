// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// step is one change of a history: who made it, and what it does to a folder.
type step struct {
	mint bool
	do   func(m *memex)
}

// find returns a note by its id.
func (m *memex) find(id string) *note {
	notes, _ := m.all()
	if i := slices.IndexFunc(notes, func(n *note) bool { return n.id == id }); i >= 0 {
		return notes[i]
	}
	return nil
}

// drawStep draws a change of fields that only mint, or only others, ever touch: of
// shared notes mint has title, tag x and the line of the text that is its own.
func drawStep(r *rand.Rand, ids []string, word string) step {
	s := step{mint: r.IntN(2) == 0}
	id, kind := ids[r.IntN(len(ids))], r.IntN(5)
	s.do = func(m *memex) {
		n := m.find(id)
		switch {
		case s.mint && kind == 0:
			n.title = word
		case s.mint && kind == 1:
			if n.tags = slices.DeleteFunc(n.tags, func(t string) bool { return t == "mint" }); word[len(word)-1]%2 == 0 {
				n.tags = append([]string{"mint"}, n.tags...)
			}
		case s.mint && kind == 2:
			n.body[0] = word
		case s.mint:
			n.kids = append(n.kids, &note{id: "id-" + word, title: word, body: []string{word}})
		case kind == 0:
			n.todo = []string{"", "TODO", "NEXT"}[len(word)%3]
		case kind == 1:
			n.properties["P"] = word
		case kind == 2:
			n.body[2] = word
		case kind == 3:
			n.deadline = "<2026-03-03 Tue>"
		default:
			n.kids = append([]*note{{id: "id-" + word, title: word}}, n.kids...)
		}
	}
	return s
}

// TestRevertIsReplay: taking back what mint did, newest first, gives what the
// history without it gives, as long as nobody has built on it.
func TestRevertIsReplay(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 3))
		start := &memex{files: map[string]*note{"a.org": {title: "T"}, "b.org": {title: "U"}}, draw: r, named: true, who: "b"}
		var ids []string
		for _, p := range []string{"a.org", "a.org", "b.org"} {
			n := &note{id: "id-" + start.word(), title: start.word(), body: []string{"one", "two", "three"}, properties: map[string]string{}}
			start.files[p].kids = append(start.files[p].kids, n)
			ids = append(ids, n.id)
		}
		done, without := start.clone("x", r), start.clone("x", r)
		states, mints := []*State{start.state()}, []bool{false}
		for range 1 + r.IntN(12) {
			s := drawStep(r, ids, start.word())
			s.do(done)
			if !s.mint {
				s.do(without)
			}
			states, mints = append(states, done.state()), append(mints, s.mint)
		}
		head := states[len(states)-1]
		for i := len(states) - 1; i > 0; i-- {
			if !mints[i] {
				continue
			}
			d, conflicts := Revert(head, states[i-1], states[i], "mint", 9)
			if head, _ = d.Seal(); len(conflicts) > 0 {
				t.Fatalf("seed %d: conflicts %v", seed, conflicts)
			}
		}
		if diff := cmp.Diff(textsOf(without.state()), textsOf(head)); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
	}
}

func TestRevert(t *testing.T) {
	const a = ":PROPERTIES:\n:ID: a\n:END:\n"
	tests := []struct {
		name                      string
		before, after, head, want string
	}{
		{"nothing since", "* A\n", "* B\n", "* B\n", "* A\n"},
		{"other fields since", "* A\n" + a + "1\n", "* B\n" + a + "1\n", "* TODO B\n" + a + "1\n2\n", "* TODO A\n" + a + "1\n2\n"},
		{"the same field since", "* A\n" + a, "* B\n" + a, "* C\n" + a, "* C :conflict:\n" + a + ":CONFLICT:\n- title :: by mint\n: -C\n: +A\n:END:\n"},
		{"done before is no reason", "* DONE A\n" + a, "* TODO A\n" + a, "* A\n" + a, "* A :conflict:\n" + a + ":CONFLICT:\n- todo :: by mint\n: +DONE\n:END:\n"},
		{"a note that was added", "* A\n", "* A\n* B\n", "* A\n* B\n* C\n", "* A\n* C\n"},
		{"a note that was added and then written to", "", "* A\n" + a, "* A\n" + a + "1\n", "* A :conflict:\n" + a + ":CONFLICT:\n- deleted :: by mint\n:END:\n1\n"},
		{"a note that was removed", "* A\n* B\n", "* B\n", "* TODO B\n", "* A\n* TODO B\n"},
		{"a note that was changed and then removed", "* A\n" + a + "1\n", "* A\n" + a + "2\n", "", ""},
		{"a note that was removed and written anew", "* A\n" + a + "1\n", "", "* A\n" + a + "1\n", "* A\n" + a + "1\n"},
		{"lines below each other", "1\n", "1\n2\n", "1\n2\n3\n", "1\n3\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			of := func(text string) *State { return fresh(folder{"a.org": text}, []string{"a.org"}) }
			d, _ := Revert(of(tt.head), of(tt.before), of(tt.after), "mint", 9)
			s, _ := d.Seal()
			if diff := cmp.Diff(folder{"a.org": tt.want}, textsOf(s)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestRevertFollowsMoves: a note that went to another file under another id is found
// there, though the revert looks first at what it has to take back.
func TestRevertFollowsMoves(t *testing.T) {
	of := func(f folder) *State { return fresh(f, sorted(f)) }
	before := folder{"a.org": "* A\ntext\n* B\n", "b.org": "* C\n"}
	after := folder{"a.org": "* A\ntext by mint\n* B\n", "b.org": "* C\n"}
	head := folder{"a.org": "* B\n", "b.org": "* C\n** A\ntext by mint\n"}
	d, conflicts := Revert(of(head), of(before), of(after), "mint", 9)
	s, _ := d.Seal()
	want := folder{"a.org": "* B\n", "b.org": "* C\n** A\ntext\n"}
	if diff := cmp.Diff(want, textsOf(s)); diff != "" || len(conflicts) > 0 {
		t.Error(diff, conflicts)
	}
}
