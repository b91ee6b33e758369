// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/place/placetest"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// TestBucketPushers: four machines with one history push it at the same time to a bucket of gofakes3, after
// edits and purges that have each write all again and remove what was there, while one request of
// 10 meets a fault. No head ever names a piece that is not there, and nothing is left over.
func TestBucketPushers(t *testing.T) {
	real := fakeStore(t)
	still := placeAt(t, real, "")
	disk := faultfs.New()
	opts := &fovea.Options{Store: faultfs.New(), Folder: disk, Actor: author.Actor{Author: author.Named("m"), May: func(string) error { return nil }}}
	m := must(fovea.Open(t.Context(), "/memex", opts))
	defer m.Close()
	write := func(text string) {
		try(vfs.WriteAtomic(disk, "a.org", []byte(text), 0o600))
		try(m.Ingest(t.Context(), nil))
	}
	write("* Start\n")
	var pushers []*place.Remote
	var weathers []*placetest.Weather
	for i := range 4 {
		w := &placetest.Weather{OneOf: 10, Rand: rand.New(rand.NewPCG(7, uint64(i)))}
		weathers = append(weathers, w)
		r := &place.Remote{Place: placeAt(t, placetest.Proxy(t, []string{real}, nil, w), ""), State: faultfs.New(),
			Machine: place.NewMachine(fmt.Sprint("m", i)), Now: time.Now}
		pushers = append(pushers, r)
	}
	push := func() {
		sources, release, err := m.Histories().Take(t.Context())
		try(err)
		defer release()
		var running sync.WaitGroup
		for _, r := range pushers {
			if r.Memex = sources[0].First; r == pushers[0] {
				must(place.Join(t.Context(), still, r.Memex, true, ""))
			}
			running.Go(func() {
				if _, err := r.Push(t.Context(), sources); err != nil && !errors.Is(err, place.ErrNoAnswer) && !errors.Is(err, place.ErrChanged) {
					t.Error(err)
				}
			})
		}
		running.Wait()
	}
	for i := range 60 {
		write(fmt.Sprintf("* Secret %d\n", i))
		push()
		write(fmt.Sprintf("* Edit %d\n", i))
		if i%2 == 1 {
			_, _, err := m.Mending().Purge(t.Context(), nil, fmt.Sprintf("Secret %d", i), nil)
			try(err)
		}
		push()
		checkLost(t, still)
	}
	for _, w := range weathers {
		w.Good()
	}
	push()
	push()
	checkLost(t, still)
	if _, litter, err := placetest.Lost(t.Context(), still); err != nil || len(litter) > 0 {
		t.Errorf("left over: %q, %v", litter, err)
	}
}

// checkLost requires that all pieces that are named are there. A request that was held back may change
// a head while it looks, so it looks again.
func checkLost(t *testing.T, p place.Place) {
	t.Helper()
	for try := 0; ; try++ {
		lost, _, err := placetest.Lost(t.Context(), p)
		if len(lost) == 0 && err == nil {
			return
		}
		if try == 5 {
			t.Fatalf("%q, %v", lost, err)
		}
	}
}
