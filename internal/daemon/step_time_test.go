// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/place/placetest"
)

// silentPlace cannot be watched, and is asked for nothing: the service of a stepper is not a real one.
type silentPlace struct{ place.Place }

func (silentPlace) Close() error { return nil }

// watchedPlace passes on what a test sends.
type watchedPlace struct {
	silentPlace
	heads chan string
}

func (w watchedPlace) Watch(ctx context.Context, prefix string, changed func(string)) error {
	for {
		select {
		case head := <-w.heads:
			changed(head)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// stepper keeps a memory with one remote in step by a service that notes what it is asked for.
type stepper struct {
	terms *terms
	live  *live
	feed  *api.Feed
	step  func()
	new   []string // what was asked for since after ended, of which machines
	asked []string // what was until then
	fails error

	mu     sync.Mutex // held by the test but in after, and by each call
	during func()     // what happens while it is asked
	merge  int        // merges that each call brings
}

// newStepper is called in a bubble. m has the remote "team" in its state folder.
func newStepper(m *fovea.Memory, state string, p place.Place, mode string) (s *stepper, stop func()) {
	s = &stepper{feed: &api.Feed{}, terms: &terms{gate: semaphore.NewWeighted(maxInside)}}
	opts := &Options{Feed: s.feed, Log: slog.New(slog.DiscardHandler)}
	opts.Local.Places = place.Openers{"mem": func(context.Context, string, bool) (place.Place, error) { return p, nil }}
	s.terms.daemon = &daemon{opts: opts}
	scrubbed := func() {
		text, _ := time.Now().MarshalJSON()
		_ = os.WriteFile(filepath.Join(state, "remotes", "team", "scrubbed.json"), text, 0o600)
	}
	scrubbed()
	s.terms.now.Store(&term{config: config.Config{Sync: mode}, service: func(_ context.Context, c api.Call) (any, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		from := strings.Join(c.Request.(ops.SyncRequest).From, "+")
		s.new = append(s.new, strings.TrimSuffix(c.Op.Name+" "+from, " "))
		done := &ops.SyncResponse{}
		if s.during != nil {
			s.during()
		}
		for range s.merge {
			s.commit(graph.KindMerge)
			done.Machines = append(done.Machines, ops.Machine{Brought: make([]ops.Brought, 1)})
		}
		if c.Op.Name == "remote-scrub" {
			scrubbed()
		}
		return done, s.fails
	}})
	ctx, cancel := context.WithCancel(context.Background())
	s.live = &live{ctx: ctx, memory: m, log: opts.Log, nudged: make(chan struct{}, 1)}
	s.step = s.terms.inStep(s.live)
	s.mu.Lock()
	return s, func() {
		s.mu.Unlock()
		cancel()
		s.live.work.Wait()
	}
}

func (s *stepper) commit(kind string) { s.feed.Committed(fovea.Commit{Kind: kind}) }

// after lets some time go by, and returns what was asked for since it returned before.
func (s *stepper) after(d time.Duration) string {
	s.mu.Unlock()
	<-time.After(d)
	synctest.Wait()
	s.mu.Lock()
	s.asked, s.new = s.new, nil
	return fmt.Sprint(s.asked)
}

// inBubble runs a test in a bubble with a memory that has one remote.
func inBubble(t *testing.T, p func() place.Place, mode string, run func(t *testing.T, s *stepper, p place.Place)) {
	t.Helper()
	state := filepath.Join(t.TempDir(), "state")
	m, err := fovea.Open(t.Context(), t.TempDir(), &fovea.Options{StateDir: state})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if _, err := ops.Keep(m.Histories().State, "team", "mem://x", nil); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		at := p()
		s, stop := newStepper(m, state, at, mode)
		defer stop()
		run(t, s, at)
	})
}

func expect(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %s, want %s", what, got, want)
	}
}

// TestStepsOfAWatchedPlace: what is exchanged, and when, with a place that tells of changes.
func TestStepsOfAWatchedPlace(t *testing.T) {
	inBubble(t, func() place.Place { return watchedPlace{heads: make(chan string)} }, config.SyncAlways, func(t *testing.T, s *stepper, p place.Place) {
		heads := p.(watchedPlace).heads
		s.step()
		expect(t, "at the start", s.after(time.Second), "[sync]")
		s.commit(graph.KindEdit)
		expect(t, "before a burst ends", s.after(settle-time.Millisecond), "[]")
		s.commit(graph.KindEdit)
		s.during = func() {
			for _, name := range []string{"b.000000000002", "a.000000000001", "b.000000000002", "b.000000000002"} {
				heads <- place.HeadFolder + name
			}
			<-time.After(time.Millisecond) // the last one has arrived
			s.during, s.merge = nil, 1
		}
		expect(t, "a burst, and news meanwhile", s.after(time.Second), "[push pull a.000000000001+b.000000000002]")
		s.merge = 0
		s.commit(graph.KindMerge)
		expect(t, "a merge of this machine's own", s.after(time.Second), "[push]")
		s.commit(graph.KindEdit)
		synctest.Wait()
		heads <- place.HeadFolder + "a.000000000001"
		expect(t, "both at once", s.after(time.Second), "[sync a.000000000001]")
		heads <- place.HeadFolder
		expect(t, "a new watch", s.after(spread), "[sync]")
		heads <- ""
		expect(t, "another leader", s.after(spread), "[remote-scrub]")
		pulls := 0
		for range 20 {
			s.commit(graph.KindEdit)
			if strings.HasPrefix(s.after(time.Minute), "[sync") {
				pulls++
			}
		}
		if pulls < 2 {
			t.Errorf("in 20 minutes with commits, others were asked %d times", pulls)
		}
		if expect(t, "idle", s.after(90*time.Second), "[]"); !strings.Contains(s.after(25*time.Hour), "remote-scrub") {
			t.Error("there is no scrub in a day")
		}
		s.after(time.Hour)
		if n := len(s.asked); n > 20 {
			t.Errorf("an idle hour has %d exchanges", n)
		}
	})
}

// TestStepsOfASilentPlace: a place that cannot be watched gets two requests a minute at most when idle, and a push
// a minute.
func TestStepsOfASilentPlace(t *testing.T) {
	inBubble(t, func() place.Place { return silentPlace{} }, config.SyncAlways, func(t *testing.T, s *stepper, _ place.Place) {
		s.step()
		expect(t, "at the start", s.after(2*time.Minute), "[sync]")
		s.commit(graph.KindEdit)
		expect(t, "a commit", s.after(time.Second), "[sync]")
		s.commit(graph.KindEdit)
		expect(t, "the next one", s.after(50*time.Second), "[]")
		expect(t, "a minute after the first one", s.after(10*time.Second), "[sync]")
		s.merge = 4
		s.after(5 * time.Hour)
		if n, least := len(s.asked)*(requests+4), 10; n > 2*300 || len(s.asked) < least {
			t.Errorf("five idle hours have %d exchanges, about %d requests", len(s.asked), n)
		}
	})
}

// countedPlace counts what it is asked.
type countedPlace struct {
	*placetest.Memory
	n *int
}

func (c countedPlace) Get(ctx context.Context, name string) ([]byte, string, error) {
	*c.n++
	return c.Memory.Get(ctx, name)
}

func (c countedPlace) Put(ctx context.Context, name, tag string, data []byte) error {
	*c.n++
	return c.Memory.Put(ctx, name, tag, data)
}

func (c countedPlace) List(ctx context.Context, prefix string) ([]string, error) {
	*c.n++
	return c.Memory.List(ctx, prefix)
}

// TestRequestsOfASync: a sync with nothing new sends no more requests than the time between two allows.
func TestRequestsOfASync(t *testing.T) {
	n := 0
	dir, state, p := t.TempDir(), filepath.Join(t.TempDir(), "state"), countedPlace{placetest.NewMemory(), &n}
	if err := os.WriteFile(filepath.Join(dir, "a.org"), []byte("* A\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := fovea.Open(t.Context(), dir, &fovea.Options{StateDir: state})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	svc := api.NewLocal(m, &api.LocalOptions{Places: place.Openers{"mem": func(context.Context, string, bool) (place.Place, error) { return p, nil }}})
	for machine := range 2 { // the second is a copy under another name
		if machine > 0 {
			if err := os.RemoveAll(filepath.Join(state, "remotes")); err != nil {
				t.Fatal(err)
			}
		}
		add := ops.RemoteAddRequest{Name: "team", URL: "mem://x", Passphrase: "geheim"}
		if _, err := ops.OpRemoteAdd.Call(t.Context(), svc, add); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			n = 0
			if done, err := ops.OpSync.Call(t.Context(), svc, ops.SyncRequest{}); err != nil || len(done.Machines) != machine {
				t.Fatal(done, err)
			}
		}
		if t.Logf("%d requests with %d other machines", n, machine); n > requests+machine {
			t.Errorf("more than %d", requests+machine)
		}
	}
}

// TestStepsOfAPlaceAway: one that cannot be reached is tried again, and with each commit, and all is exchanged then.
func TestStepsOfAPlaceAway(t *testing.T) {
	inBubble(t, func() place.Place { return watchedPlace{heads: make(chan string)} }, config.SyncAlways, func(t *testing.T, s *stepper, _ place.Place) {
		s.fails = errors.New("no answer")
		s.step()
		s.after(14 * 24 * time.Hour)
		if n := len(s.asked); n < 14*24*60 || n > 2*14*24*60 {
			t.Errorf("%d attempts in two weeks", n)
		}
		s.fails = nil
		expect(t, "it is back", s.after(2*time.Minute), "[sync remote-scrub]") // with what was missed
	})
}

// TestStepsAsConfigured: off is off, once is once, and a change takes effect.
func TestStepsAsConfigured(t *testing.T) {
	inBubble(t, func() place.Place { return silentPlace{} }, config.SyncOff, func(t *testing.T, s *stepper, _ place.Place) {
		to := func(mode string) {
			now := *s.terms.now.Load()
			now.config.Sync = mode
			s.terms.now.Store(&now)
			s.step()
		}
		s.step()
		s.commit(graph.KindEdit)
		expect(t, "off", s.after(time.Hour), "[]")
		to(config.SyncOnce)
		s.fails = errors.New("no answer")
		if s.after(time.Hour); len(s.asked) < 60 {
			t.Errorf("once is tried %d times where it fails", len(s.asked))
		}
		s.fails = nil
		expect(t, "once", s.after(time.Hour), "[sync]")
		s.commit(graph.KindEdit)
		s.step()
		expect(t, "after that", s.after(time.Hour), "[]")
		to(config.SyncAlways)
		s.step()
		expect(t, "always", s.after(time.Minute), "[sync]")
		to(config.SyncOff)
		expect(t, "off again", s.after(time.Hour), "[]")
	})
}
