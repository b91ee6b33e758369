// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/place/hosted"
	"github.com/fovea-memory/fovea/internal/place/placetest"
)

// TestCampaignOfFleet: 16 machines write 2,000 commits over three servers of NATS, of which one after
// the other is killed, the one that leads more often, and comes back. Then the files of the leader are
// damaged and each machine scrubs, one server loses its disk, and then all three do. In the end all
// machines have every commit of all, and each memory verifies. The long campaign does it 50 times.
func TestCampaignOfFleet(t *testing.T) {
	c := foveatest.NewCampaign(t)
	commits := 2000
	if testing.Short() {
		commits = 320
	}
	for round := range c.Length(1, 50) {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			t.Parallel() // a round waits for servers most of its time
			fleetRound(t, c.Seed+uint64(round), commits)
		})
	}
}

func fleetRound(t *testing.T, seed uint64, commits int) {
	s := placetest.StartServers(t, 3, "")
	url, draw := s.URL("fleet", "own=true"), rand.New(rand.NewPCG(seed, 7))
	a := newMachine(t, map[string]string{"start.org": "* Start\n"})
	var all []*writer
	for i := range 16 {
		m := a.copy(fmt.Sprintf("m%02d", i))
		m.hour = new(atomic.Int64)
		w := &writer{machine: m, rand: rand.New(rand.NewPCG(seed, uint64(i))), weather: &placetest.Weather{}}
		w.r = m.at(inCluster(t, url), "")
		all = append(all, w)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		var running sync.WaitGroup
		for _, w := range all {
			running.Go(func() {
				if err := w.workOn(commits/len(all), commits/len(all)/4); err != nil {
					t.Error(err)
				}
			})
		}
		running.Wait()
	}()
	kills := 0
	for isOver := false; !isOver; {
		victim := draw.IntN(3)
		if leader := s.Leader("FOVEA-OWN-fleet"); leader >= 0 && draw.IntN(2) == 0 {
			victim = leader
		}
		select {
		case <-over:
			isOver = true
			continue
		case <-time.After(time.Duration(500+draw.IntN(1500)) * time.Millisecond):
		}
		s.Kill(victim)
		kills++
		select {
		case <-over:
			isOver = true
		case <-time.After(time.Duration(500+draw.IntN(2500)) * time.Millisecond):
		}
		s.Start(victim)
		s.Wait()
	}
	if leader := s.Leader("FOVEA-OWN-fleet"); leader >= 0 {
		s.Kill(leader)
		flipBits(t, s.Store(leader), draw)
		s.Start(leader)
		s.Wait()
	}
	damaged := 0
	for _, w := range all {
		w.weather.Good()
		_, wrong, err := w.r.Scrub(t.Context())
		if err == nil {
			_, err = w.push(w.r)
		}
		if damaged += len(wrong); err != nil {
			t.Fatal(err)
		}
	}
	wipe := func(i int) {
		s.Kill(i)
		if err := os.RemoveAll(s.Store(i)); err != nil {
			t.Fatal(err)
		}
		s.Start(i)
	}
	wipe(draw.IntN(3))
	s.Wait()
	meet(t, all)
	for i := range 3 {
		s.Kill(i)
	}
	for i := range 3 {
		wipe(i)
	}
	s.Wait()
	failed := 0
	for _, w := range all {
		failed += w.failed
		checkAll(t, w, all)
	}
	for i, w := range all {
		w.r.Place = inCluster(t, url)
		if _, err := place.Join(t.Context(), w.r.Place, w.r.Memex, true, ""); err != nil {
			t.Fatal(err)
		}
		if i%5 == 0 { // some have news since
			w.commit()
		}
	}
	meet(t, all)
	for _, w := range all {
		checkAll(t, w, all)
		if _, problems, err := w.m.Mending().Verify(t.Context()); err != nil || len(problems) > 0 {
			t.Errorf("%s: %v, %v", w.name, problems, err)
		}
	}
	for _, w := range append(all, &writer{machine: a}) {
		w.m.Close()
		*w.machine = machine{} // what cleanups refer to stays until all rounds are over, and a disk is in memory
	}
	t.Logf("%d commits, %d servers killed, %d exchanges failed, %d pieces damaged", commits, kills, failed, damaged)
}

// flipBits flips bits in the files of messages below a folder, and removes their index, so that the server reads them.
func flipBits(t *testing.T, folder string, draw *rand.Rand) {
	t.Helper()
	err := filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || e.IsDir():
			return err
		case e.Name() == "index.db":
			return os.Remove(name)
		case filepath.Ext(name) != ".blk":
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil || len(data) == 0 {
			return err
		}
		for range 20 {
			data[draw.IntN(len(data))] ^= 1 << draw.IntN(8)
		}
		return os.WriteFile(name, data, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// inCluster opens a place in a cluster.
func inCluster(t *testing.T, url string) place.Place {
	t.Helper()
	for { // the cluster may be choosing who leads
		p, err := hosted.OpenCluster(t.Context(), url, true)
		if errors.Is(err, place.ErrNoAnswer) && t.Context().Err() == nil {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.Close() })
		return p
	}
}

// workOn writes some commits and exchanges in between, as far as the servers answer.
func (w *writer) workOn(commits, between int) error {
	for i := range commits {
		w.commit()
		if i%between != between-1 {
			continue
		}
		if err := w.exchange(w.r); errors.Is(err, place.ErrNoAnswer) || errors.Is(err, place.ErrChanged) {
			w.failed++
		} else if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
	}
	return nil
}
