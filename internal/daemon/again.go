// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"errors"
	"reflect"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/config"
)

// Again describes how a running daemon adopts a changed configuration.
type Again struct {
	// Look returns the present configuration and advice, see config.Follower. Refuse takes the error
	// of a configuration that cannot be used, and returns advice for the user.
	Look   func(now config.Config) (config.Config, string)
	Refuse func(error) string
	// Open opens the memory with a configuration, after the open one was closed. It waits for
	// another process that has opened the memory meanwhile.
	Open func(context.Context, *config.Config) (*fovea.Memory, error)
	// Local configures requests with a configuration, as Options.Local does at first.
	Local func(*config.Config) api.LocalOptions
	// Report prints advice for the user, in addition to the log.
	Report func(string)
}

const (
	lookInterval = 500 * time.Millisecond // between two looks at the configuration
	drainAgain   = 300 * time.Millisecond // how long new requests first wait for running ones before the memory is reopened
)

// term is a period in which a daemon has one configuration.
type term struct {
	config   config.Config
	settings map[string]string // see api.Hello
	service  api.Service
	live     *live
}

// terms are the consecutive terms of a daemon.
type terms struct {
	daemon       *daemon
	now          atomic.Pointer[term]
	gate         *semaphore.Weighted    // of maxInside; a call holds one place
	advice       atomic.Pointer[string] // see Status.Configuration
	noticed      map[string][]string    // what notices have reported, by kind; only notices uses it
	wanted, good config.Config          // the file's, and the last one wholly in force; only follow uses these:
	tries        int                    // how often running requests prevented opening the memory for wanted
	due          time.Time              // of the next try
}

// run starts the background work.
func (t *terms) run(l *live) {
	l.work.Go(func() { t.daemon.kept(l.ctx, "watching the folder", func() { l.run(t.beat) }) })
	l.work.Go(func() { t.daemon.kept(l.ctx, "looking for notices", func() { t.notices(l) }) })
	if room := l.memory.Meaning(); room != nil {
		l.work.Go(func() { t.daemon.kept(l.ctx, "making vectors", func() { room.Run(l.ctx) }) })
	}
}

// beat sends the event heartbeat.
func (t *terms) beat(ctx context.Context) error {
	_, err := api.OpEvent.Call(ctx, api.WithSync(t.call, api.SyncNone), api.EventRequest{Event: api.Heartbeat})
	return err
}

// take begins a term.
func (t *terms) take(c config.Config, l *live, local api.LocalOptions) {
	t.now.Store(&term{c, c.Digests(), t.daemon.serviceOf(l, local), l})
	t.daemon.api.Limit(c.WritesPerMinute)
}

// call is the service of all listeners. It calls that of the present term.
func (t *terms) call(ctx context.Context, c api.Call) (any, error) {
	if err := t.gate.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer t.gate.Release(1)
	return t.now.Load().service(ctx, c)
}

// follow adopts changes of the configuration until ctx ends.
func (t *terms) follow(ctx context.Context) {
	looks := time.NewTicker(lookInterval)
	defer looks.Stop()
	for t.wanted, t.good = t.daemon.opts.Config, t.daemon.opts.Config; ctx.Err() == nil; {
		select {
		case <-ctx.Done():
		case <-looks.C:
			t.look(ctx)
		}
	}
}

// look adopts the configuration if it has changed.
func (t *terms) look(ctx context.Context) {
	next, advice := t.daemon.opts.Again.Look(t.wanted)
	if !reflect.DeepEqual(next, t.wanted) {
		t.wanted, t.tries, t.due = next, 0, time.Time{}
	}
	if !reflect.DeepEqual(t.wanted, t.now.Load().config) && time.Now().After(t.due) {
		if err := t.adopt(ctx); err != nil {
			advice = t.daemon.opts.Again.Refuse(err)
		}
	}
	if t.tries > 1 {
		advice = "the configuration has changed; a part of it takes effect when the requests that are running have ended"
	}
	if before := t.advice.Swap(&advice); advice != "" && *before != advice {
		t.daemon.opts.Log.Warn("the configuration", "what", advice)
		t.daemon.opts.Again.Report(advice)
	}
}

// adopt adopts the wanted configuration: settings of requests at once, and those of the memory when no
// request is running. If the memory cannot be opened with it, the last good configuration stays in
// force.
func (t *terms) adopt(ctx context.Context) error {
	was, local := t.now.Load(), t.daemon.opts.Again.Local
	if soon := was.config.AtOnce(&t.wanted); !reflect.DeepEqual(soon, was.config) {
		t.take(soon, was.live, local(&soon))
		if was.live.nudge(); reflect.DeepEqual(soon, t.wanted) {
			t.good = soon
			return nil
		}
	}
	open := t.shut(ctx, drainAgain<<min(t.tries, 4))
	if t.due = time.Now().Add(lookInterval << min(t.tries, 6)); open == nil { // requests continue meanwhile
		t.tries++
		return nil
	}
	defer open()
	t.tries = 0
	if err := errors.Join(was.live.end(), was.live.memory.Close()); err != nil {
		t.daemon.opts.Log.Warn("closing the memory to open it again", "why", err)
	}
	m, err := t.daemon.opts.Again.Open(ctx, &t.wanted)
	if err != nil {
		var lost error
		if m, lost = t.daemon.opts.Again.Open(ctx, &t.good); lost != nil {
			if ctx.Err() == nil {
				t.daemon.opts.Log.Error("the memory cannot be opened again; the next command starts another daemon", "why", errors.Join(err, lost))
				t.daemon.end()
			}
			return nil
		}
		t.wanted = t.good
	}
	l := keepLive(ctx, m, t.daemon.opts, &t.wanted)
	t.take(t.wanted, l, local(&t.wanted))
	t.run(l)
	t.good = t.wanted
	t.daemon.opts.Log.Info("the memory was opened again")
	return err
}

// maxInside is the largest number of simultaneous calls, more than connections allow.
const maxInside = 1 << 12

// shut blocks new calls and waits for running ones until a timeout. It returns a function that admits
// calls again, nil after the timeout.
func (t *terms) shut(ctx context.Context, timeout time.Duration) (open func()) {
	ctx, stop := context.WithTimeout(ctx, timeout)
	defer stop()
	if t.gate.Acquire(ctx, maxInside) != nil { // new calls wait behind it
		return nil
	}
	return func() { t.gate.Release(maxInside) }
}
