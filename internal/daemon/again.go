// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/share"
)

// Again says how a daemon takes over another configuration while it runs.
type Again struct {
	// Look returns the configuration that holds now, see config.Follower, and Refuse is told why
	// that one cannot be used.
	Look   func(now config.Config) (config.Config, string)
	Refuse func(error)
	// Open opens the memory under a configuration, after the one that was open has been closed.
	Open func(context.Context, *config.Config) (*fovea.Memory, error)
	// Local configures requests under a configuration, as Options.Local does at first.
	Local func(*config.Config) api.LocalOptions
	// Report prints what a person should know, besides the log.
	Report func(string)
}

const (
	lookInterval = 500 * time.Millisecond // between two looks at the configuration
	drainAgain   = 300 * time.Millisecond // how long new requests wait for running ones before the memory is opened again
)

// term is the time during which a daemon has one configuration.
type term struct {
	config   config.Config
	settings map[string]string // see api.Hello
	service  api.Service
	*opened
}

// terms are those of a daemon: one after another.
type terms struct {
	daemon *daemon
	now    atomic.Pointer[term]
	gate   share.Semaphore
	advice atomic.Pointer[string] // see Status.Configuration
}

// opened is the memory that a daemon has open, with its work in the background.
type opened struct {
	memory *fovea.Memory
	live   *live
	stop   context.CancelFunc
	work   sync.WaitGroup
}

// open begins to watch the folder of a memory.
func (t *terms) open(ctx context.Context, m *fovea.Memory, c *config.Config) *opened {
	ctx, stop := context.WithCancel(ctx)
	return &opened{memory: m, stop: stop, live: keepLive(ctx, m, t.daemon.opts, c)}
}

// run begins the work in the background.
func (t *terms) run(o *opened) {
	o.work.Go(func() { t.daemon.kept(o.live.ctx, "watching the folder", o.live.run) })
	if room := o.memory.Meaning(); room != nil {
		o.work.Go(func() { t.daemon.kept(o.live.ctx, "making vectors", func() { room.Run(o.live.ctx) }) })
	}
}

// end ends the work in the background; the memory stays open.
func (o *opened) end() error {
	o.stop()
	o.work.Wait()
	return o.live.close()
}

// take begins a term.
func (t *terms) take(c config.Config, o *opened, local api.LocalOptions) {
	t.now.Store(&term{c, c.Digests(), t.daemon.serviceOf(o, local), o})
	t.daemon.api.Limit(c.LogLimit, c.WritesPerMinute)
}

// call is the service of all listeners: that of the present term.
func (t *terms) call(ctx context.Context, c api.Call) (any, error) {
	leave, err := t.gate.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	return t.now.Load().service(ctx, c)
}

// follow takes over the configuration whenever it changes, until ctx ends.
func (t *terms) follow(ctx context.Context) {
	looks := time.NewTicker(lookInterval)
	defer looks.Stop()
	var wanted config.Config
	advice, tries := "", 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-looks.C:
		}
		if tries == 0 {
			wanted, advice = t.daemon.opts.Again.Look(t.now.Load().config)
		}
		if !reflect.DeepEqual(wanted, t.now.Load().config) {
			done, err := t.adopt(ctx, wanted)
			if tries++; done {
				tries = 0
			}
			if err != nil {
				t.daemon.opts.Again.Refuse(err)
				_, advice = t.daemon.opts.Again.Look(t.now.Load().config)
			}
		}
		if tries > 1 {
			advice = "the configuration has changed; that takes effect when the requests that are running have ended"
		}
		if before := t.advice.Swap(new(advice)); advice != "" && *before != advice {
			t.daemon.opts.Log.Warn("the configuration", "what", advice)
			t.daemon.opts.Again.Report(advice)
		}
	}
}

// adopt takes over a configuration. If the memory cannot be opened under it, the one before stays
// in force. It is not done while requests run that do not end.
func (t *terms) adopt(ctx context.Context, c config.Config) (done bool, err error) {
	was, local := t.now.Load(), t.daemon.opts.Again.Local(&c)
	if c.SameMemory(&was.config) {
		t.take(c, was.opened, local)
		return true, nil
	}
	open := t.shut(ctx)
	if open == nil {
		return false, nil
	}
	defer open()
	if err := errors.Join(was.end(), was.memory.Close()); err != nil {
		t.daemon.opts.Log.Warn("closing the memory to open it again", "why", err)
	}
	m, err := t.daemon.opts.Again.Open(ctx, &c)
	if err != nil {
		c, local = was.config, t.daemon.opts.Again.Local(&was.config)
		var lost error
		if m, lost = t.daemon.opts.Again.Open(ctx, &c); lost != nil {
			t.daemon.opts.Log.Error("the memory cannot be opened again; the next command starts another daemon", "why", lost)
			t.daemon.end()
			return true, errors.Join(err, lost)
		}
	}
	o := t.open(ctx, m, &c)
	t.take(c, o, local)
	t.run(o)
	t.daemon.opts.Log.Info("the memory was opened again")
	return true, err
}

// maxInside is how many calls are carried out at a time, more than connections allow.
const maxInside = 1 << 12

// shut holds new calls back and waits a short while for running ones. It returns what lets calls in
// again, nil if some went on.
func (t *terms) shut(ctx context.Context) (open func()) {
	ctx, stop := context.WithTimeout(ctx, drainAgain)
	defer stop()
	held := 0
	open = func() {
		for range held {
			<-t.gate
		}
	}
	for ; held < cap(t.gate); held++ {
		if _, err := t.gate.Acquire(ctx); err != nil {
			open()
			return nil
		}
	}
	return open
}
