// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/config"
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
	// Told receives what a person should know, besides the log.
	Told func(string)
}

const (
	lookInterval = 500 * time.Millisecond // between two looks at the configuration
	drainAgain   = 300 * time.Millisecond // how long new requests wait for running ones before the memory is opened again
)

// term is the time during which a daemon has one configuration.
type term struct {
	config  config.Config
	service api.Service
	*opened
}

// opened is the memory that a daemon has open, with its work in the background.
type opened struct {
	memory *fovea.Memory
	live   *live
	stop   context.CancelFunc
	work   sync.WaitGroup
}

// open begins to watch the folder of a memory.
func (d *daemon) open(ctx context.Context, m *fovea.Memory, c *config.Config) *opened {
	ctx, stop := context.WithCancel(ctx)
	return &opened{memory: m, stop: stop, live: keepLive(ctx, m, d.opts, c)}
}

// run begins the work in the background.
func (d *daemon) run(o *opened) {
	o.work.Go(func() { d.kept(o.live.ctx, "watching the folder", o.live.run) })
	if room := o.memory.Meaning(); room != nil {
		o.work.Go(func() { d.kept(o.live.ctx, "making vectors", func() { room.Run(o.live.ctx) }) })
	}
}

// end ends the work in the background; the memory stays open.
func (o *opened) end() error {
	o.stop()
	o.work.Wait()
	return o.live.close()
}

// take begins a term.
func (d *daemon) take(c config.Config, o *opened, local api.LocalOptions) {
	d.now.Store(&term{c, d.serviceOf(o, local), o})
	d.api.Limit(c.LogLimit, c.WritesPerMinute)
}

// call is the service of all listeners: that of the present term.
func (d *daemon) call(ctx context.Context, c api.Call) (any, error) {
	if err := d.gate.enter(ctx); err != nil {
		return nil, err
	}
	defer d.gate.leave()
	return d.now.Load().service(ctx, c)
}

// follow takes over the configuration whenever it changes, until ctx ends.
func (d *daemon) follow(ctx context.Context) {
	looks := time.NewTicker(lookInterval)
	defer looks.Stop()
	var wanted config.Config
	said, tries := "", 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-looks.C:
		}
		if tries == 0 {
			wanted, said = d.opts.Again.Look(d.now.Load().config)
		}
		if !reflect.DeepEqual(wanted, d.now.Load().config) {
			done, err := d.adopt(ctx, wanted)
			if tries++; done {
				tries = 0
			}
			if err != nil {
				d.opts.Again.Refuse(err)
				_, said = d.opts.Again.Look(d.now.Load().config)
			}
		}
		if tries > 1 {
			said = "the configuration has changed; that takes effect when the requests that are running have ended"
		}
		if before := d.said.Swap(new(said)); said != "" && *before != said {
			d.opts.Log.Warn("the configuration", "what", said)
			d.opts.Again.Told(said)
		}
	}
}

// adopt takes over a configuration. If the memory cannot be opened under it, the one before stays
// in force. It is not done while requests run that do not end.
func (d *daemon) adopt(ctx context.Context, c config.Config) (done bool, err error) {
	was, local := d.now.Load(), d.opts.Again.Local(&c)
	if c.SameMemory(&was.config) {
		d.take(c, was.opened, local)
		return true, nil
	}
	if !d.gate.shut(ctx) {
		return false, nil
	}
	defer d.gate.open()
	if err := errors.Join(was.end(), was.memory.Close()); err != nil {
		d.opts.Log.Warn("closing the memory to open it again", "why", err)
	}
	m, err := d.opts.Again.Open(ctx, &c)
	if err != nil {
		c, local = was.config, d.opts.Again.Local(&was.config)
		var lost error
		if m, lost = d.opts.Again.Open(ctx, &c); lost != nil {
			d.opts.Log.Error("the memory cannot be opened again; the next command starts another daemon", "why", lost)
			d.end()
			return true, errors.Join(err, lost)
		}
	}
	o := d.open(ctx, m, &c)
	d.take(c, o, local)
	d.run(o)
	d.opts.Log.Info("the memory was opened again")
	return true, err
}

// gate holds requests back while the memory is opened again.
type gate struct {
	mu     sync.Mutex
	inside int
	shutBy chan struct{} // closed when the gate opens; nil while it is open
	empty  chan struct{} // closed when nobody is inside; nil unless somebody waits for that
}

// enter waits until the gate is open. The caller leaves.
func (g *gate) enter(ctx context.Context) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.shutBy != nil {
		opens := g.shutBy
		g.mu.Unlock()
		select {
		case <-opens:
		case <-ctx.Done():
		}
		g.mu.Lock()
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	g.inside++
	return nil
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inside--; g.inside == 0 && g.empty != nil {
		close(g.empty)
		g.empty = nil
	}
}

// shut holds new requests back and waits for those inside to leave, for a short while. It reports
// whether they have; if not, the gate is open again.
func (g *gate) shut(ctx context.Context) bool {
	g.mu.Lock()
	g.shutBy = make(chan struct{})
	empty := make(chan struct{})
	if g.inside == 0 {
		close(empty)
	} else {
		g.empty = empty
	}
	g.mu.Unlock()
	wait := time.NewTimer(drainAgain)
	defer wait.Stop()
	select {
	case <-empty:
		return true
	case <-wait.C:
	case <-ctx.Done():
	}
	g.open()
	return false
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.shutBy)
	g.shutBy, g.empty = nil, nil
}
