// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/place/placetest"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// turns has some machines take turns at a place: one request at a time, in an order that is said.
type turns struct {
	choices      []int         // which of the machines that wait goes on, by step; then the first one
	alternatives []int         // how many waited, by step
	events       chan struct{} // a machine waits, or has ended
	waiting      []chan struct{}
}

// gate is the place as one of them sees it.
type gate struct {
	place.Place
	t *turns
}

func (g gate) wait() {
	pass := make(chan struct{})
	g.t.waiting = append(g.t.waiting, pass)
	g.t.events <- struct{}{}
	<-pass
}

func (g gate) Get(ctx context.Context, name string) ([]byte, string, error) {
	g.wait()
	return g.Place.Get(ctx, name)
}

func (g gate) Put(ctx context.Context, name, tag string, data []byte) error {
	g.wait()
	return g.Place.Put(ctx, name, tag, data)
}

func (g gate) List(ctx context.Context, prefix string) ([]string, error) {
	g.wait()
	return g.Place.List(ctx, prefix)
}

func (g gate) Remove(ctx context.Context, name string) error {
	g.wait()
	return g.Place.Remove(ctx, name)
}

// run has each of the functions use the place, and calls check after each request.
func (t *turns) run(p place.Place, check func(), all ...func(place.Place)) {
	t.events, t.waiting, t.alternatives = make(chan struct{}), nil, nil
	for _, use := range all { // one after the other, so that the order is that of all
		go func() {
			use(gate{p, t})
			t.events <- struct{}{}
		}()
		<-t.events
	}
	for step := 0; len(t.waiting) > 0; step++ {
		i := 0
		if step < len(t.choices) {
			i = t.choices[step]
		}
		t.alternatives = append(t.alternatives, len(t.waiting))
		pass := t.waiting[i]
		t.waiting = append(t.waiting[:i:i], t.waiting[i+1:]...)
		close(pass)
		<-t.events
		check()
	}
}

// next makes the choices those of the next order. It reports whether there is one.
func (t *turns) next() bool {
	t.choices = append(t.choices, make([]int, len(t.alternatives)-len(t.choices))...)
	for i := len(t.choices) - 1; i >= 0; i-- {
		if t.choices[i]+1 < t.alternatives[i] {
			t.choices = append(t.choices[:i:i], t.choices[i]+1)
			return true
		}
	}
	return false
}

// pusher is a machine that pushes in each order from the same state on.
type pusher struct {
	*machine
	r     place.Remote
	state *faultfs.FS
	all   []place.Source
}

// pusherAt is a machine at a place, with what it has now.
func pusherAt(t *testing.T, a *machine, p place.Place, name string, state *faultfs.FS) *pusher {
	t.Helper()
	sources, release, err := a.m.Histories().Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	w := &pusher{machine: a, state: state, all: sources}
	w.r = place.Remote{Place: p, Memex: sources[0].First, Machine: name, Now: time.Now}
	if _, err := place.Join(t.Context(), p, w.r.Memex, true, ""); err != nil {
		t.Fatal(err)
	}
	return w
}

// push pushes to a place, from the state that it had at the beginning, or goes on from it.
func (w *pusher) push(p place.Place, state vfs.FS) error {
	r := w.r
	r.Place, r.State = p, state
	_, err := r.Push(w.t.Context(), w.all)
	return err
}

// TestRemoteTurns: two machines push to a place where one has pushed before, in every order of their
// requests. After each request, no head names a piece that is not there; afterwards another
// push of each has nothing to mend, and no piece is left over.
func TestRemoteTurns(t *testing.T) {
	a := newMachine(t, map[string]string{"a.org": "* One\nsecret\n"})
	a.write("a.org", "* One\n")
	b := a.copy("b")
	const first, second = "a.0123456789ab", "b.0123456789cd"
	there, state := placetest.NewMemory(), faultfs.New()
	before := pusherAt(t, a, there, first, state)
	if err := before.push(there, state); err != nil {
		t.Fatal(err)
	}
	if _, _, err := a.m.Mending().Purge(t.Context(), nil, "secret", nil); err != nil {
		t.Fatal(err)
	}
	c := b.copy("c") // a copy of the first one's disk
	c.write("c.org", "* Of c\n")
	for name, others := range map[string][]*pusher{
		"one that purged, one of the same history": {pusherAt(t, a, there, first, state), pusherAt(t, b, there, second, faultfs.New())},
		"one that purged, a copy of it":            {pusherAt(t, a, there, first, state), pusherAt(t, c, there, first, state)},
		"one that goes on, a copy of it":           {pusherAt(t, c, there, first, state), pusherAt(t, c, there, first, state)},
		"one, a copy that lacks nothing":           {pusherAt(t, a, there, first, state), pusherAt(t, b, there, first, state)},
	} {
		t.Run(name, func(t *testing.T) {
			orders := 0
			for order := (&turns{}); orders == 0 || order.next(); orders++ {
				pushInTurn(t, order, there.Copy(), others)
				if t.Failed() {
					t.Fatalf("in the order %v", order.choices)
				}
			}
			t.Logf("%d orders", orders)
		})
	}
}

func pushInTurn(t *testing.T, order *turns, p *placetest.Memory, all []*pusher) {
	check := func() {
		if lost, _, err := placetest.Lost(t.Context(), p); err != nil || len(lost) > 0 {
			t.Errorf("%q, %v", lost, err)
		}
	}
	var states []*faultfs.FS
	var pushes []func(place.Place)
	for _, w := range all {
		state := w.state.Clone()
		states = append(states, state)
		pushes = append(pushes, func(p place.Place) {
			if err := w.push(p, state); err != nil && !errors.Is(err, place.ErrChanged) {
				t.Error(err)
			}
		})
	}
	order.run(p, check, pushes...)
	for range 2 {
		for i, w := range all {
			if err := w.push(p, states[i]); err != nil {
				t.Error(err)
			}
			check()
		}
	}
	if _, litter, err := placetest.Lost(t.Context(), p); err != nil || len(litter) > 0 {
		t.Errorf("left over: %q, %v", litter, err)
	}
}
