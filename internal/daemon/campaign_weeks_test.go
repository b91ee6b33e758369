// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"testing"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/foveatest"
)

// TestCampaignOfWeeks lives the life of a daemon of many weeks: writes, reads, streams
// that come and go, images, packs and restarts. What it keeps, goroutines, descriptors
// and heap, stays what it was after the first of the rounds, in proportion to the notes.
func TestCampaignOfWeeks(t *testing.T) {
	campaign := foveatest.NewCampaign(t)
	rounds, steps := campaign.Length(3, 25), campaign.Length(120, 2000)
	h := build(t, "a.org", "projects/b.org")
	w := &weeks{house: h, Campaign: campaign}
	before := held(t)
	var first kept
	for round := range rounds {
		h.start(nil)
		for range steps {
			w.step()
		}
		_, err := api.OpCheckpoint.Call(t.Context(), h.far.Service, api.CheckpointRequest{Name: fmt.Sprint("round ", round)})
		h.check(err)
		now := w.kept()
		if round == 0 {
			first = now
		}
		now.within(t, round, first)
		h.check(h.stop())
		if after := held(t); after.goroutines > before.goroutines || after.descriptors > before.descriptors {
			t.Fatalf("round %d leaves %+v behind, there were %+v", round, after, before)
		}
	}
	if w.writes < rounds*steps/4 {
		t.Errorf("%d writes in %d steps", w.writes, rounds*steps)
	}
	t.Logf("seed %d: %d steps, %d writes, %d notes", campaign.Seed, rounds*steps, w.writes, len(w.notes))
}

// weeks is what happens to a daemon.
type weeks struct {
	*house
	*foveatest.Campaign
	notes  []string // ids
	writes int
}

// manyNotes is how many notes there are before more are changed than made.
const manyNotes = 500

// step does one drawn thing.
func (w *weeks) step() {
	w.t.Helper()
	ctx := w.t.Context()
	var err error
	switch n := w.Rand.IntN(16); {
	case n < 8:
		err = w.change(ctx)
	case n < 11:
		_, err = api.OpSearch.Call(ctx, w.far.Service, api.SearchRequest{Text: "tide says", Limit: 5})
	case n < 13:
		_, err = api.OpContext.Call(ctx, w.far.Service, api.ContextRequest{Question: "what the tide says", Budget: 1000})
	case n == 13:
		_, err = api.OpQuery.Call(ctx, w.far.Service, api.QueryRequest{Query: "todo:TODO", Limit: 20})
	case n == 14:
		_, err = api.OpStatus.Call(ctx, w.far.Service, api.StatusRequest{})
	default:
		err = w.listen(ctx)
	}
	w.check(err)
}

// change writes a note, changes one, or saves a file.
func (w *weeks) change(ctx context.Context) error {
	w.writes++
	switch n := w.Rand.IntN(10); {
	case n == 0:
		w.write("a.org", fmt.Sprintf("* The tide says %d\n", w.writes))
		return nil
	case n < 3 || len(w.notes) < manyNotes/2 || n < 5 && len(w.notes) < manyNotes:
		r, err := api.OpRemember.Call(ctx, w.far.Service, api.RememberRequest{Title: fmt.Sprint("Note ", w.writes), Body: fmt.Sprint("The tide says ", w.writes)})
		if err == nil {
			w.notes = append(w.notes, r.ID)
		}
		return err
	case n < 6 && len(w.notes) >= manyNotes:
		i := w.Rand.IntN(len(w.notes))
		_, err := api.OpForget.Call(ctx, w.far.Service, api.MoveRequest{ID: w.notes[i]})
		w.notes[i] = w.notes[len(w.notes)-1]
		w.notes = w.notes[:len(w.notes)-1]
		return err
	}
	edit := api.EditRequest{ID: w.notes[w.Rand.IntN(len(w.notes))], Body: new(fmt.Sprint("It says ", w.writes)), Todo: new("TODO")}
	_, err := api.OpEdit.Call(ctx, w.far.Service, edit)
	return err
}

// listen opens a stream of changes and leaves when it hears of one.
func (w *weeks) listen(ctx context.Context) error {
	heard := errors.New("heard")
	err := w.far.Events(ctx, 1, func(string, []byte) error { return heard })
	if errors.Is(err, heard) {
		return nil
	}
	return err
}

// kept is what a process holds, and how many nodes it is for.
type kept struct {
	goroutines, descriptors int
	heap                    uint64
	nodes                   int
}

func (w *weeks) kept() kept {
	w.t.Helper()
	s, err := api.OpStatus.Call(w.t.Context(), w.far.Service, api.StatusRequest{})
	w.check(err)
	k := held(w.t)
	k.nodes = s.Nodes
	return k
}

// within fails the test where a process holds more than it did, for its notes.
func (k kept) within(t *testing.T, round int, first kept) {
	t.Helper()
	const (
		slack = 8 << 20 // what is known of recent writes fills up over the first rounds
		few   = 8       // connections that are open by chance
	)
	most := slack + first.heap*uint64(max(k.nodes, first.nodes))/uint64(first.nodes)
	if k.heap > most || k.goroutines > first.goroutines+few || k.descriptors > first.descriptors+few {
		t.Fatalf("round %d: %+v; after the first %+v", round, k, first)
	}
	t.Logf("round %d: %+v", round, k)
}

// held counts what this process holds when what has ended is gone.
func held(t *testing.T) kept {
	t.Helper()
	var k kept
	for least := 0; ; least++ {
		runtime.GC() // which takes long enough for goroutines that are ending to end
		if now := runtime.NumGoroutine(); least == 0 || now < k.goroutines {
			k.goroutines, least = now, 0
		}
		if least == 20 {
			break
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	k.heap = m.HeapAlloc
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // where there is none, nobody counts
		t.Fatal(err)
	}
	k.descriptors = len(names)
	return k
}
