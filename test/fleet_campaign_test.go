// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"
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

// TestCampaignOfFleet: 16 machines write 2,016 commits over three servers of NATS. Links are cut at random, those of
// machines and those between servers, and one server after the other is killed, the one that leads more often, and comes
// back. Then the files of the leader are damaged and each machine scrubs, one server loses its disk, and then all three do.
// In the end all machines have every commit of all, and each memory verifies. The long campaign does it 50 times.
func TestCampaignOfFleet(t *testing.T) {
	c := foveatest.NewCampaign(t)
	commits := 2016 // of each machine 42 in each of three spells
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

// fleetRun is what a round has.
type fleetRun struct {
	t     *testing.T
	s     *placetest.Servers
	links *placetest.Links
	draw  *rand.Rand
	all   []*writer
	urls  []string            // of the memory, over the links of each writer
	ways  [][]*placetest.Link // of each writer
	kills int
}

func fleetRound(t *testing.T, seed uint64, commits int) {
	links := placetest.NewLinks(t, seed)
	f := &fleetRun{t: t, s: placetest.StartLinked(t, 3, links), links: links, draw: rand.New(rand.NewPCG(seed, 7))}
	a := newMachine(t, map[string]string{"start.org": "* Start\n"})
	for i := range 16 {
		m := a.copy(fmt.Sprintf("m%02d", i))
		m.hour = new(atomic.Int64)
		w := &writer{machine: m, rand: rand.New(rand.NewPCG(seed, uint64(i))), weather: &placetest.Weather{}}
		ways, url := f.s.Ways(links, "fleet", "own=true")
		w.r = m.at(inCluster(t, url), "")
		f.all, f.urls, f.ways = append(f.all, w), append(f.urls, url), append(f.ways, ways)
	}
	begun := time.Now()
	spells := 3
	if testing.Short() {
		spells = 1
	}
	for range spells {
		f.work(commits / len(f.all) / spells)
		f.intact()
	}
	worked := time.Since(begun).Round(time.Second)
	f.damage()
	damaged := f.scrub()
	f.wipe(f.draw.IntN(3))
	f.s.Wait()
	damaged += f.scrub() // as daemons do when another server leads, here one that may miss messages
	meet(t, f.all)
	f.wipe(0, 1, 2)
	f.s.Wait()
	failed, written := 0, 0
	for _, w := range f.all {
		failed, written = failed+w.failed, written+len(w.wrote)
		checkAll(t, w, f.all)
	}
	for i, w := range f.all {
		w.r.Place = inCluster(t, f.urls[i])
		if _, err := place.Join(t.Context(), w.r.Place, w.r.Memex, true, ""); err != nil {
			t.Fatal(err)
		}
		if i%5 == 0 { // some have news since
			w.commit()
		}
	}
	meet(t, f.all)
	for _, w := range f.all {
		checkAll(t, w, f.all)
		if _, problems, err := w.m.Mending().Verify(t.Context()); err != nil || len(problems) > 0 {
			t.Errorf("%s: %v, %v", w.name, problems, err)
		}
	}
	for _, w := range append(f.all, &writer{machine: a}) {
		w.m.Close()
		*w.machine = machine{} // what cleanups refer to stays until all rounds are over, and a disk is in memory
	}
	cuts := links.Cuts()
	t.Logf("%d commits in %v, %d servers killed, %v; %d exchanges failed, %d pieces damaged", written, worked, f.kills, cuts, failed, damaged)
	if cuts.Ended == 0 || cuts.Swallows+cuts.Late == 0 || !testing.Short() && (cuts.Amid == 0 || cuts.Refused == 0 || failed == 0) {
		t.Errorf("the links were too good: %v; %d exchanges failed", cuts, failed)
	}
}

// work has all machines write, while links are cut and servers are killed.
func (f *fleetRun) work(commits int) {
	ctx, stop := context.WithCancel(f.t.Context())
	var running, storms sync.WaitGroup
	for range 3 {
		storms.Go(func() { f.links.Storm(ctx, 3*time.Second, f.ways...) })
	}
	storms.Go(func() { f.links.Storm(ctx, 6*time.Second, f.s.LinksOf(0), f.s.LinksOf(1), f.s.LinksOf(2)) })
	for _, w := range f.all {
		running.Go(func() {
			if err := w.workOn(commits, commits/2); err != nil {
				f.t.Error(err)
			}
		})
	}
	storms.Go(func() { f.kill(ctx) })
	running.Wait()
	stop()
	storms.Wait()
}

// kill kills servers in turn, and starts them again.
func (f *fleetRun) kill(ctx context.Context) {
	pass := func(ms int) {
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(500+f.draw.IntN(ms)) * time.Millisecond):
		}
	}
	for ctx.Err() == nil {
		victim := f.draw.IntN(3)
		if leader := f.s.Leader("FOVEA-OWN-fleet"); leader >= 0 && f.draw.IntN(2) == 0 {
			victim = leader
		}
		if pass(1500); ctx.Err() != nil {
			return
		}
		f.s.Kill(victim)
		f.kills++
		pass(2500)
		f.s.Start(victim)
		f.s.Wait()
	}
}

// intact requires one log of each machine, and all pieces that logs name, once the servers answer.
func (f *fleetRun) intact() {
	ctx, stop := context.WithTimeout(f.t.Context(), time.Minute)
	defer stop()
	p := f.all[0].r.Place
	lost, _, err := placetest.Lost(ctx, p)
	for errors.Is(err, place.ErrNoAnswer) && ctx.Err() == nil {
		lost, _, err = placetest.Lost(ctx, p)
	}
	if err != nil || len(lost) > 0 {
		f.t.Errorf("cuts alone lost pieces: %q, %v", lost, err)
	}
	if logs, err := p.List(ctx, place.HeadFolder); err != nil || len(logs) > len(f.all) {
		f.t.Errorf("%d machines have the logs %q, %v: one took its own log for that of another", len(f.all), logs, err)
	}
}

// damage flips bits in the files of the leader.
func (f *fleetRun) damage() {
	if leader := f.s.Leader("FOVEA-OWN-fleet"); leader >= 0 {
		f.s.Kill(leader)
		flipBits(f.t, f.s.Store(leader), f.draw)
		f.s.Start(leader)
		f.s.Wait()
	}
}

// scrub has all machines read back what they wrote, and write again what is damaged. It returns how many pieces were.
func (f *fleetRun) scrub() (damaged int) {
	for _, w := range f.all {
		w.weather.Good()
		_, wrong, err := w.r.Scrub(f.t.Context())
		if err == nil {
			_, err = w.push(w.r)
		}
		if damaged += len(wrong); err != nil {
			f.t.Fatal(err)
		}
	}
	return damaged
}

// wipe removes the disks of servers while none of them runs.
func (f *fleetRun) wipe(servers ...int) {
	for _, i := range servers {
		f.s.Kill(i)
	}
	for _, i := range servers {
		if err := os.RemoveAll(f.s.Store(i)); err != nil {
			f.t.Fatal(err)
		}
		f.s.Start(i)
	}
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
		err := w.exchange(w.r)
		switch {
		case errors.Is(err, place.ErrNoAnswer), errors.Is(err, place.ErrChanged), errors.Is(err, place.ErrNone): // another one joined packs meanwhile
			w.failed++
		case err != nil:
			return fmt.Errorf("%s: %w", w.name, err)
		}
	}
	return nil
}
