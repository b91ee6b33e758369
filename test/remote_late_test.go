// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/place/placetest"
)

// late is a place whose writes of heads arrive when they are let go, and get no answer.
type late struct {
	place.Place
	held []func() error
	on   bool
}

func (l *late) Put(ctx context.Context, name, tag string, data []byte) error {
	if !l.on || !strings.HasPrefix(name, "heads/") {
		return l.Place.Put(ctx, name, tag, data)
	}
	l.held = append(l.held, func() error { return l.Place.Put(ctx, name, tag, bytes.Clone(data)) })
	return errLost
}

// TestRemoteWriteArrivesLate: a head that got no answer arrives after it was looked for, before or
// after the next one. The machine keeps its log, and no piece is left that none names.
func TestRemoteWriteArrivesLate(t *testing.T) {
	for arrives := range 3 {
		p, _ := openPlace(t)
		a := newMachine(t, map[string]string{"start.org": "* Start\n"})
		l := &late{Place: p}
		r := a.at(l, "")
		if arrives > 0 { // 0: even the first one is late
			if _, err := a.push(r); err != nil {
				t.Fatal(err)
			}
		}
		name := r.Machine
		l.on = true
		for i := range 3 {
			a.write("a.org", fmt.Sprintf("* %d\n", i))
			if _, err := a.push(r); !errors.Is(err, errLost) {
				t.Fatal(err)
			}
		}
		l.on = false
		a.write("a.org", "* Last\n")
		if arrives == 2 {
			if _, err := a.push(r); err != nil {
				t.Fatal(err)
			}
		}
		for _, put := range l.held {
			if err := put(); err != nil && !errors.Is(err, place.ErrChanged) {
				t.Fatal(err)
			}
		}
		if _, err := a.push(r); err != nil {
			t.Fatal(err)
		}
		if r.Machine != name {
			t.Errorf("arrives %d: the machine took another name", arrives)
		}
		b := a.copy("b")
		if err := b.exchange(b.at(p, "")); err != nil || b.m.View().Root() != a.m.View().Root() {
			t.Errorf("arrives %d: another machine gets %s, %v", arrives, b.m.View().Root(), err)
		}
		if lost, litter, err := placetest.Lost(t.Context(), p); err != nil || len(lost)+len(litter) > 0 {
			t.Errorf("arrives %d: %q are named and gone, %q are left, %v", arrives, lost, litter, err)
		}
	}
}
