// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/place/hosted"
	"github.com/fovea-memory/fovea/internal/place/placetest"
)

// writer is a machine in the campaign, behind weather of its own.
type writer struct {
	*machine
	r       *place.Remote
	weather *placetest.Weather
	rand    *rand.Rand
	wrote   []string // the headlines
	failed  int      // exchanges that the weather ended
}

const perFile = 25

// commit writes one headline more.
func (w *writer) commit() {
	n := len(w.wrote)
	w.wrote = append(w.wrote, fmt.Sprintf("* Note %d of %s", n, w.name))
	first := n - n%perFile
	w.write(fmt.Sprintf("%s-%04d.org", w.name, n/perFile), strings.Join(w.wrote[first:], "\n")+"\n")
}

// work writes some commits and exchanges in between, as far as the weather lets it.
func (w *writer) work(commits, between int) error {
	for i := range commits {
		w.commit()
		if i%between != between-1 {
			continue
		}
		w.weather.Off.Store(w.rand.IntN(4) == 0) // offline, it continues
		if err := w.exchange(w.r); errors.Is(err, place.ErrNoAnswer) || errors.Is(err, place.ErrChanged) {
			w.failed++
		} else if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
	}
	return nil
}

// TestCampaignOfBucket: 16 machines write 2,000 commits to one bucket at the same time. One request of
// 20 is lost, or its answer, or it arrives after the next; machines are offline for a while and go
// on. In the end all have every commit of all. The long campaign does it 50 times.
func TestCampaignOfBucket(t *testing.T) {
	g := foveatest.StartGateways(t, 1)
	c := foveatest.NewCampaign(t)
	commits := 2000
	if testing.Short() {
		commits = 320 // half a minute less
	}
	for round := range c.Length(1, 50) {
		t.Run(fmt.Sprint(round), func(t *testing.T) { bucketRound(t, g, c.Seed+uint64(round), commits) })
	}
}

func bucketRound(t *testing.T, g *foveatest.Gateways, seed uint64, commits int) {
	all := writers(t, g, seed, 16)
	var running sync.WaitGroup
	for _, w := range all {
		running.Go(func() {
			if err := w.work(commits/len(all), commits/len(all)/4); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	meet(t, all)
	faults, failed := int64(0), 0
	for _, w := range all {
		failed += w.failed
		for i := range w.weather.Lost {
			faults += w.weather.Lost[i].Load()
		}
		checkAll(t, w, all)
	}
	t.Logf("%d commits, %d requests met a fault, %d exchanges failed", commits, faults, failed)
	if faults < 10 || failed == 0 {
		t.Errorf("%d faults, %d exchanges failed: the weather was too good", faults, failed)
	}
}

// writers makes machines with one memory, each behind weather of its own.
func writers(t *testing.T, g *foveatest.Gateways, seed uint64, n int) (all []*writer) {
	a := newMachine(t, map[string]string{"start.org": "* Start\n"})
	prefix := fmt.Sprintf("round%d", seed)
	for i := range n {
		m := a.copy(fmt.Sprintf("m%02d", i))
		m.hour = new(atomic.Int64)
		t.Cleanup(func() { m.m.Close() })
		w := &writer{machine: m, rand: rand.New(rand.NewPCG(seed, uint64(i))),
			weather: &placetest.Weather{OneOf: 20, Rand: rand.New(rand.NewPCG(seed, uint64(100+i)))}}
		w.r = m.at(bucketAt(t, g, g.URLs[0], prefix, nil), "")
		w.r.Place = bucketAt(t, g, placetest.Proxy(t, g.URLs, nil, w.weather), prefix, func(o *hosted.BucketOptions) {
			o.Wait = func(int) time.Duration { return 0 }
		})
		all = append(all, w)
	}
	return all
}

// only is a place with the log of one machine.
type only struct {
	place.Place
	name string
}

func (o only) List(context.Context, string) ([]string, error) { return []string{o.name}, nil }

// meet has the first machine merge all others, in good weather, and all others merge the first.
func meet(t *testing.T, all []*writer) {
	t.Helper()
	for i := range all {
		w := all[(i+1)%len(all)] // the first one last
		if w.weather.Good(); i == len(all)-1 {
			if err := w.exchange(w.r); err != nil {
				t.Fatal(err)
			}
		} else if _, err := w.push(w.r); err != nil {
			t.Fatal(err)
		}
	}
	for _, w := range all[1:] {
		w.r.Place = only{w.r.Place, "heads/" + all[0].r.Machine}
		if err := w.exchange(w.r); err != nil {
			t.Fatal(err)
		}
		if w.m.View().Root() != all[0].m.View().Root() {
			t.Errorf("%s has another root than %s", w.name, all[0].name)
		}
	}
}

// checkAll requires of a machine every headline of all.
func checkAll(t *testing.T, w *writer, all []*writer) {
	t.Helper()
	have := map[string]bool{}
	for _, text := range filesOf(w.m.View()) {
		for line := range strings.Lines(text) {
			have[strings.TrimSuffix(line, "\n")] = true
		}
	}
	lost := 0
	for _, other := range all {
		for _, line := range other.wrote {
			if !have[line] {
				lost++
			}
		}
	}
	if lost > 0 {
		t.Errorf("%s lacks %d commits", w.name, lost)
	}
}
