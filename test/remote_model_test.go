// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/place/placetest"
)

// fickle is a place that loses requests and answers, and carries some requests out much later.
type fickle struct {
	place.Place
	rand *rand.Rand
	late *[]func()
	good *bool
}

// meet carries a request out, or not, or later.
func (f fickle) meet(do func(context.Context) error) error {
	if *f.good || f.rand.IntN(8) > 0 {
		return do(context.Background())
	}
	switch f.rand.IntN(3) {
	case 0:
		_ = do(context.Background()) // and nobody knows
	case 1:
		*f.late = append(*f.late, func() { _ = do(context.Background()) })
	}
	return errLost
}

func (f fickle) Get(_ context.Context, name string) (data []byte, tag string, err error) {
	if err = f.meet(func(context.Context) error { return nil }); err == nil {
		return f.Place.Get(context.Background(), name)
	}
	return nil, "", err
}

func (f fickle) Put(_ context.Context, name, tag string, data []byte) error {
	data = slices.Clone(data)
	return f.meet(func(ctx context.Context) error { return f.Place.Put(ctx, name, tag, data) })
}

func (f fickle) List(_ context.Context, prefix string) (names []string, err error) {
	if err = f.meet(func(context.Context) error { return nil }); err == nil {
		return f.Place.List(context.Background(), prefix)
	}
	return nil, err
}

func (f fickle) Remove(_ context.Context, name string) error {
	return f.meet(func(ctx context.Context) error { return f.Place.Remove(ctx, name) })
}

// fleet is machines that write, push, purge and meet at random.
type fleet struct {
	t        *testing.T
	rand     *rand.Rand
	machines []*machine
	remotes  []*place.Remote
	wrote    map[string]string // the last text of each file
}

// newFleet has two machines of one memory, each at its place, and one with a copy of the first one's
// disk, which was copied after it pushed.
func newFleet(t *testing.T, r *rand.Rand, places ...place.Place) *fleet {
	f := &fleet{t: t, rand: r, wrote: map[string]string{}}
	a := newMachine(t, map[string]string{"start.org": "* Start\n"})
	b := a.copy("b")
	for i, m := range []*machine{a, b} {
		f.add(m, places[i])
	}
	if _, err := a.push(f.remotes[0]); err != nil {
		t.Fatal(err)
	}
	f.add(a.copy("c"), places[2])
	return f
}

func (f *fleet) add(m *machine, p place.Place) {
	f.t.Cleanup(func() { m.m.Close() })
	f.machines = append(f.machines, m)
	f.remotes = append(f.remotes, m.at(p, ""))
}

// step has one machine do something.
func (f *fleet) step(n int) error {
	i := f.rand.IntN(len(f.machines))
	m, r := f.machines[i], f.remotes[i]
	switch f.rand.IntN(8) {
	case 0, 1, 2:
		name := fmt.Sprintf("n%d.org", n)
		f.wrote[name] = fmt.Sprintf("* Note %d of %s\n", n, m.name)
		m.write(name, f.wrote[name])
	case 3: // what is purged was never pushed, else it would come back from others
		const secret = "the secret word"
		m.write("s-"+m.name+".org", "* "+secret+"\n")
		m.write("s-"+m.name+".org", fmt.Sprintf("* Nothing %d\n", n))
		_, _, err := m.m.Mending().Purge(f.t.Context(), nil, secret, nil)
		return err
	case 4, 5:
		_, err := m.push(r)
		return err
	default:
		return m.exchange(r)
	}
	return nil
}

// together has all exchange in good weather, and requires one root and all that was written.
func (f *fleet) together(between func()) {
	f.t.Helper()
	for round := range 5 {
		for i, m := range f.machines {
			if err := m.exchange(f.remotes[i]); err != nil && (round > 2 || !errors.Is(err, place.ErrNone) && !errors.Is(err, place.ErrBack)) {
				f.t.Errorf("round %d: %s: %v", round, m.name, err)
			}
			between()
		}
	}
	for _, m := range f.machines {
		if m.root() != f.machines[0].root() {
			f.t.Errorf("%s has another root than a", m.name)
		}
		for name, text := range f.wrote {
			if got := filesOf(m.m.View())[name]; got != text {
				f.t.Errorf("%s has %q in %s, want %q", m.name, got, name, text)
			}
		}
	}
}

// TestCampaignOfPlace: two machines and a copy of one of them write, push, purge and merge over a place
// that loses requests and answers and carries out some much later, also removals. No head that is
// there ever names a piece that is not. In the end all have what each wrote, and nothing is left over.
func TestCampaignOfPlace(t *testing.T) {
	c := foveatest.NewCampaign(t)
	for round := range c.Length(12, 500) {
		random := rand.New(rand.NewPCG(c.Rand.Uint64(), 1))
		t.Run(fmt.Sprint(round), func(t *testing.T) { placeRound(t, random) })
	}
}

func placeRound(t *testing.T, random *rand.Rand) {
	p := placetest.NewMemory()
	var late []func()
	good := true
	at := fickle{p, random, &late, &good}
	f := newFleet(t, random, at, at, at)
	check := func() {
		t.Helper()
		if lost, _, err := placetest.Lost(t.Context(), p); err != nil || len(lost) > 0 {
			t.Fatalf("%q, %v", lost, err)
		}
	}
	good = false
	for n := range 30 {
		if err := f.step(n); err != nil && !errors.Is(err, errLost) && !errors.Is(err, place.ErrChanged) && !errors.Is(err, place.ErrNone) {
			t.Fatal(err)
		}
		check()
		if len(late) > 0 && random.IntN(3) == 0 {
			i := random.IntN(len(late))
			late[i]()
			late = slices.Delete(late, i, i+1)
			check()
		}
	}
	good = true
	f.together(check)
	for _, do := range late {
		do()
		check()
	}
	f.together(check)
	if _, litter, err := placetest.Lost(t.Context(), p); err != nil || len(litter) > 0 {
		t.Fatalf("left over: %q, %v", litter, err)
	}
}

// carrier is a sync program between two folders.
type carrier struct {
	rand   *rand.Rand
	at     [2]*placetest.Memory
	synced map[string][2]string // the tags of each file when it was the same on both sides
}

func (c *carrier) version(side int, name string) (data []byte, tag string) {
	data, tag, _ = c.at[side].Get(context.Background(), name)
	return data, tag
}

// set makes a file the same on one side, or removes it.
func (c *carrier) set(side int, name string, data []byte, gone bool) {
	ctx := context.Background()
	_, tag := c.version(side, name)
	if gone {
		_ = c.at[side].Remove(ctx, name)
	} else if err := c.at[side].Put(ctx, name, tag, data); err != nil {
		panic(err) // nobody else writes now
	}
}

// carry brings one file over. Of two that changed, one wins and the other gets another name.
func (c *carrier) carry(name string) {
	one, tag1 := c.version(0, name)
	two, tag2 := c.version(1, name)
	was := c.synced[name]
	changed1, changed2 := tag1 != was[0], tag2 != was[1]
	switch {
	case changed1 && changed2 && tag1 != "" && tag2 != "" && !bytes.Equal(one, two):
		loser, from := one, 1
		if c.rand.IntN(2) == 0 {
			loser, from = two, 0
		}
		win := [][]byte{one, two}[from]
		c.set(1-from, name, win, false)
		for side := range 2 {
			c.set(side, name+".sync-conflict-20261126-120000-ABCDEFG", loser, false)
		}
	case changed1 && (tag1 != "" || !changed2):
		c.set(1, name, one, tag1 == "")
	case changed2:
		c.set(0, name, two, tag2 == "")
	}
	_, tag1 = c.version(0, name)
	_, tag2 = c.version(1, name)
	c.synced[name] = [2]string{tag1, tag2}
}

// some brings over one file of so many, in any order.
func (c *carrier) some(oneOf int) {
	names := map[string]bool{}
	for side := range 2 {
		all, _ := c.at[side].List(context.Background(), "")
		for _, name := range all {
			names[name] = true
		}
	}
	for name := range c.synced { // those that were removed
		names[name] = true
	}
	sorted := []string{}
	for name := range names {
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	c.rand.Shuffle(len(sorted), func(i, j int) { sorted[i], sorted[j] = sorted[j], sorted[i] })
	for _, name := range sorted {
		if c.rand.IntN(oneOf) == 0 {
			c.carry(name)
		}
	}
}

// TestCampaignOfCarriedFolder: machines meet in a folder that a sync program carries, with some files
// now and others later, also two with copies of one disk, whose heads become conflict copies. In
// the end all have what each wrote.
func TestCampaignOfCarriedFolder(t *testing.T) {
	c := foveatest.NewCampaign(t)
	for round := range c.Length(12, 500) {
		random := rand.New(rand.NewPCG(c.Rand.Uint64(), 2))
		t.Run(fmt.Sprint(round), func(t *testing.T) { carriedRound(t, random) })
	}
}

func carriedRound(t *testing.T, random *rand.Rand) {
	c := &carrier{rand: random, at: [2]*placetest.Memory{placetest.NewMemory(), nil}, synced: map[string][2]string{}}
	c.at[1] = c.at[0].Copy()
	f := newFleet(t, random, c.at[0], c.at[1], c.at[1])
	for n := range 40 {
		if err := f.step(n); err != nil && !errors.Is(err, place.ErrNone) && !errors.Is(err, place.ErrBack) {
			t.Fatal(err)
		}
		c.some(3)
	}
	f.together(func() { c.some(1) })
	for side, p := range c.at {
		if lost, _, err := placetest.Lost(t.Context(), onlyMachines{p}); err != nil || len(lost) > 0 {
			t.Fatalf("side %d: %q, %v", side, lost, err)
		}
	}
}

// onlyMachines is a place without conflict copies.
type onlyMachines struct{ place.Place }

func (o onlyMachines) List(ctx context.Context, prefix string) ([]string, error) {
	names, err := o.Place.List(ctx, prefix)
	return slices.DeleteFunc(names, func(name string) bool { return strings.Contains(name, "conflict") }), err
}
