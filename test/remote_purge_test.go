// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/place"
)

// purging is two machines with one place, and a secret that both have.
type purging struct {
	a, b         *machine
	ours, theirs *place.Remote
}

const carriedSecret = "secret password"

func newPurging(t *testing.T) *purging {
	p, _ := openPlace(t)
	a := newMachine(t, map[string]string{"start.org": "* Start\n"})
	b := a.copy("b")
	x := &purging{a: a, b: b, ours: a.at(p, ""), theirs: b.at(p, "")}
	a.write("notes.org", "* Plans\n:PROPERTIES:\n:ID: plans\n:END:\nA "+carriedSecret+".\n* Other\n")
	a.write("tree.org", "A "+carriedSecret+" before all.\n* Sub\n")
	b.write("b.org", "* Of b\n")
	x.meet(t)
	if !inStore(a.d.state, carriedSecret) || !inStore(b.d.state, carriedSecret) || a.root() != b.root() {
		t.Fatal("the test has no secret")
	}
	return x
}

// meet lets both exchange until they agree.
func (x *purging) meet(t *testing.T) {
	t.Helper()
	for range 3 {
		for who, r := range map[*machine]*place.Remote{x.a: x.ours, x.b: x.theirs} {
			if err := who.exchange(r); err != nil {
				t.Fatalf("%s: %v", who.name, err)
			}
		}
	}
	if x.a.root() != x.b.root() {
		t.Error("the two do not have the same notes")
	}
}

func (x *purging) purge(t *testing.T, who *machine) {
	t.Helper()
	who.write("notes.org", "* Plans\n:PROPERTIES:\n:ID: plans\n:END:\nNothing, says "+who.name+".\n* Other\n")
	who.write("tree.org", "* Sub\n")
	if _, _, err := who.m.Mending().Purge(t.Context(), nil, carriedSecret, nil); err != nil {
		t.Fatal(err)
	}
	if inStore(who.d.state, carriedSecret) {
		t.Errorf("%s still has it", who.name)
	}
}

// proved verifies both, of which only what was purged on purpose is missing.
func (x *purging) proved(t *testing.T) {
	t.Helper()
	for _, who := range []*machine{x.a, x.b} {
		if diff := cmp.Diff(filesOf(who.m.View()), who.d.files(t)); diff != "" {
			t.Errorf("%s: files (-memory +folder)\n%s", who.name, diff)
		}
		_, problems, err := who.m.Mending().Verify(t.Context())
		if err != nil || slices.ContainsFunc(problems, func(p document.Problem) bool { return p.Kind != "purged" }) {
			t.Errorf("%s: %v %v", who.name, problems, err)
		}
	}
}

// TestPurgedMachinesMeet: a purge on one machine or on both, of what was in the last state that
// both had, does not keep them from being in step again, and what one machine took out of its
// history does not come back to it as a note.
func TestPurgedMachinesMeet(t *testing.T) {
	t.Run("one", func(t *testing.T) {
		x := newPurging(t)
		x.purge(t, x.a)
		x.b.write("b.org", "* Of b, changed\n")
		x.meet(t)
		x.proved(t)
		if _, _, err := x.b.m.Mending().Purge(t.Context(), nil, carriedSecret, nil); err != nil {
			t.Fatal(err)
		}
		x.meet(t)
		if _, _, err := x.a.m.Mending().Purge(t.Context(), nil, carriedSecret, nil); err == nil {
			t.Error("the history of a has it again")
		}
	})
	t.Run("both at once", func(t *testing.T) {
		x := newPurging(t)
		x.purge(t, x.a)
		x.purge(t, x.b)
		x.meet(t)
		x.proved(t)
		if inStore(x.a.d.state, carriedSecret) || inStore(x.b.d.state, carriedSecret) {
			t.Error("it came back")
		}
	})
}
