// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/daemon"
)

// follower is a daemon that follows a configuration.
type follower struct {
	*house
	wanted  atomic.Pointer[config.Config]
	refused atomic.Pointer[string] // what is wrong with the one that was wanted
	running func()                 // what a request of run does
	open    func(context.Context, *config.Config) error
}

// follows starts a daemon that follows a configuration. Its memory is opened again when open returns
// nil; requests of run call running.
func follows(t *testing.T, open func(context.Context, *config.Config) error, running func()) *follower {
	t.Helper()
	f := &follower{house: build(t, "a.org"), open: open, running: running}
	f.refused.Store(new(string))
	first := f.config
	f.wanted.Store(&first)
	var last *fovea.Memory
	t.Cleanup(func() {
		if last != nil {
			f.check(last.Close())
		}
	})
	local := func(c *config.Config) api.LocalOptions {
		return api.LocalOptions{Budget: c.Budget, IPFS: &api.IPFS{Push: func(context.Context, *api.Local, api.CheckpointRequest) (api.Archived, error) {
			f.running()
			return api.Archived{}, errors.New("nowhere")
		}}}
	}
	f.start(func(o *daemon.Options) {
		o.Local = local(&o.Config)
		o.Again = &daemon.Again{
			Look: func(now config.Config) (config.Config, string) {
				if why := *f.refused.Load(); why != "" {
					return now, why
				}
				return *f.wanted.Load(), ""
			},
			Refuse: func(err error) string {
				why := err.Error()
				f.refused.Store(&why)
				return why
			},
			Open: func(ctx context.Context, c *config.Config) (*fovea.Memory, error) {
				if err := f.open(ctx, c); err != nil {
					return nil, err
				}
				m, err := fovea.Open(ctx, c.Memex, &fovea.Options{StateDir: c.StateDir, Committed: o.Feed.Committed})
				last = m
				return m, err
			},
			Local: local, Report: func(string) {},
		}
	})
	return f
}

// run sends a request that calls running.
func (f *follower) run(ctx context.Context) error {
	_, err := api.OpCheckpoint.Call(ctx, f.far.Service, api.CheckpointRequest{To: api.PlaceIPFS})
	return err
}

// want changes the configuration.
func (f *follower) want(change func(*config.Config)) {
	c := *f.wanted.Load()
	change(&c)
	f.refused.Store(new(string))
	f.wanted.Store(&c)
}

// becomes waits until a setting, or all of them, are those of the configuration that is wanted.
func (f *follower) becomes(keys ...string) {
	f.t.Helper()
	want := f.wanted.Load().Digests()
	f.eventually(strings.Join(keys, " "), func() bool {
		h, err := f.far.Hello(f.t.Context())
		f.check(err)
		for _, key := range keys {
			if h.Settings[key] != want[key] {
				return false
			}
		}
		return len(keys) > 0 || reflect.DeepEqual(h.Settings, want)
	})
}

// says waits until the status says something of the configuration.
func (f *follower) says(what string) {
	f.t.Helper()
	f.eventually(what, func() bool {
		st, err := api.OpStatus.Call(f.t.Context(), f.far.Service, api.StatusRequest{})
		f.check(err)
		return strings.Contains(st.Configuration, what) && (what != "" || st.Configuration == "")
	})
}

func (f *follower) eventually(what string, holds func() bool) {
	f.t.Helper()
	end, tick := time.After(time.Minute), time.NewTicker(20*time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-end:
			f.t.Fatalf("%q is not so after a minute", what)
		case <-tick.C:
		}
	}
}

func opens(context.Context, *config.Config) error { return nil }

// granted returns a change that grants an agent a file.
func granted(c *config.Config) { c.Grants = map[string]config.Grant{"ada": {Paths: []string{"a.org"}}} }

// TestRightsWaitForNobody: what the configuration says of requests takes effect while a request
// runs that does not end, also if a setting of the memory changes with it; that one takes effect
// afterwards. A memory that cannot be opened leaves all of the last good configuration in force.
func TestRightsWaitForNobody(t *testing.T) {
	begun, end := make(chan bool), make(chan bool)
	var broken atomic.Bool
	f := follows(t, func(_ context.Context, c *config.Config) error {
		if broken.Load() && c.HistoryWarnMb == 9 {
			return errors.New("nine is too many")
		}
		return nil
	}, func() {
		begun <- true
		<-end
	})
	var answers sync.WaitGroup
	runs := func() {
		answers.Go(func() { _ = f.run(t.Context()) })
		<-begun
	}
	runs()
	f.want(func(c *config.Config) {
		granted(c)
		c.HistoryWarnMb = 5
	})
	f.becomes("grants")
	f.says("requests that are running")
	f.want(func(c *config.Config) { c.Grants = nil })
	f.becomes("grants")
	end <- true
	f.becomes()
	f.says("")
	runs()
	broken.Store(true)
	good := *f.wanted.Load()
	f.want(func(c *config.Config) {
		granted(c)
		c.HistoryWarnMb = 9
	})
	f.becomes("grants")
	end <- true
	f.says("nine is too many")
	f.wanted.Store(&good)
	f.becomes()
	answers.Wait()
}

// TestBusyClientsHoldNothingUp: clients that always have requests under way, each longer than the
// first wait for them, keep no setting from taking effect.
func TestBusyClientsHoldNothingUp(t *testing.T) {
	f := follows(t, opens, func() { <-time.After(400 * time.Millisecond) })
	ctx, stop := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for i := range 8 {
		clients.Go(func() {
			<-time.After(time.Duration(i) * 50 * time.Millisecond)
			for ctx.Err() == nil {
				_ = f.run(ctx)
			}
		})
	}
	f.want(func(c *config.Config) { c.HistoryWarnMb = 5 })
	f.becomes()
	stop()
	clients.Wait()
}

// TestEndWhileOpeningAgain: a daemon that is ended while it opens its memory again ends well.
func TestEndWhileOpeningAgain(t *testing.T) {
	opening := make(chan bool)
	f := follows(t, func(ctx context.Context, c *config.Config) error {
		if c.HistoryWarnMb == 9 {
			opening <- true
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	}, nil)
	f.want(func(c *config.Config) { c.HistoryWarnMb = 9 })
	<-opening
	if err := f.stop(); err != nil {
		t.Errorf("it ends with %v", err)
	}
	if log, err := os.ReadFile(filepath.Join(f.config.StateDir, "serve.log")); err != nil || strings.Contains(string(log), "cannot be opened again") {
		t.Errorf("its log: %s %v", log, err)
	}
}

// TestNoticesOverAnOpening: what has changed when the memory was opened again is told to those who
// listened before.
func TestNoticesOverAnOpening(t *testing.T) {
	var f *follower
	f = follows(t, func(ctx context.Context, c *config.Config) error {
		f.write("a.org", "* Mine :conflict:\n")
		m, err := fovea.Open(ctx, c.Memex, &fovea.Options{StateDir: c.StateDir})
		if err != nil {
			return err
		}
		return errors.Join(m.Ingest(ctx, nil), m.Close())
	}, nil)
	_ = f.titles()
	emacs := f.listen()
	f.want(func(c *config.Config) { c.HistoryWarnMb = 5 })
	if got := emacs.next("conflicts"); got != `{"paths":["a.org"]}` {
		t.Error(got)
	}
}
