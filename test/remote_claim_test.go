// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/hive"
	"github.com/fovea-memory/fovea/internal/place"
)

// TestRemoteKeepsTheEarlierClaim: two machines that meet in a folder gave the same task away. On
// both the earlier claim stays, the loser's next write under its number is refused, what it wrote
// before stays, and the task says that there was another claim.
func TestRemoteKeepsTheEarlierClaim(t *testing.T) {
	p, _ := openPlace(t)
	seconds := 0
	slow := func(o *fovea.Options) { // so that leases last; the owner merges
		o.Actor.Author = author.Author{}
		o.Now = func() time.Time { seconds++; return time.Unix(1_800_000_000+int64(seconds), 0) }
	}
	a := &machine{t: t, name: "a", d: disks{faultfs.New(), faultfs.New()}, hour: new(atomic.Int64), set: slow}
	a.d.write(t, map[string]string{"tasks/t.org": "* TODO Paint\n:PROPERTIES:\n:ID: paint\n:END:\n* Log\n:PROPERTIES:\n:ID: log\n:END:\n"})
	a.open()
	a.sync()
	b := &machine{t: t, name: "b", d: a.d.clone(), hour: a.hour, set: slow}
	b.open()
	there := map[*machine]*place.Remote{a: a.at(p, ""), b: b.at(p, "")}
	as := func(name string, under author.Claim) context.Context {
		return author.WithActor(t.Context(), author.Actor{Author: author.Author{Kind: author.Agent, Name: name}, Claim: under, May: anywhere})
	}
	claim := func(m *machine, name string) hive.Claim {
		t.Helper()
		c, _, err := fovea.HiveOf(m.m).Claim(as(name, author.Claim{}), "paint", 24*time.Hour, nil)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	write := func(m *machine, name string, c hive.Claim, text string) error {
		_, err := m.m.Notes().Edit(as(name, author.Claim{Task: "paint", Number: c.Number}), "log", nil, document.AppendBody{Text: text})
		return err
	}
	won := claim(a, "ada")
	lost := claim(b, "bob")
	if err := errors.Join(write(a, "ada", won, "of ada"), write(b, "bob", lost, "of bob")); err != nil || lost.Number <= won.Number {
		t.Fatalf("%+v, %+v, %v", won, lost, err)
	}
	for range 2 {
		for _, m := range []*machine{a, b} {
			if err := m.exchange(there[m]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if a.root() != b.root() {
		t.Error("the machines differ")
	}
	for _, m := range []*machine{a, b} {
		if held := fovea.HiveOf(m.m).Tasks(t.Context(), hive.Filter{Holder: "ada"}); len(held) != 1 || held[0].Claim != won {
			t.Errorf("%s: held by ada are %+v, want %+v", m.name, held, won)
		}
		if err := write(m, "bob", lost, "too late"); !errors.Is(err, hive.ErrClaim) || fovea.KindOf(err) != fovea.Conflict {
			t.Errorf("%s: the loser writes under its number: %v", m.name, err)
		}
		if err := write(m, "ada", won, "goes on"); err != nil {
			t.Errorf("%s: the winner writes: %v", m.name, err)
		}
		text := filesOf(m.m.View())["tasks/t.org"]
		for _, want := range []string{"of ada", "of bob", "goes on", ":CONFLICT:", "CLAIMED_BY"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: without %q:\n%s", m.name, want, text)
			}
		}
		if strings.Contains(text, "too late") {
			t.Errorf("%s: a write under a lost claim landed:\n%s", m.name, text)
		}
	}
}
