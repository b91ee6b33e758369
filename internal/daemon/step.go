// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/remotes"
	"github.com/fovea-memory/fovea/internal/config"
)

// How a daemon keeps its memory in step with remotes.
const (
	settle      = 50 * time.Millisecond // after a commit, so that a burst goes out at once; as much again at random
	pollEvery   = 5 * time.Minute       // of a place that tells of nothing
	checkEvery  = 15 * time.Minute      // of one that does, in case it did not
	pushEvery   = time.Minute           // between two pushes to a host of repositories
	firstRetry  = 5 * time.Second
	lastRetry   = 10 * time.Minute
	lookRemotes = 15 * time.Second // for remotes that were added or removed
)

// inStep keeps the memory in step with its remotes until the daemon ends, as the configuration says.
func (t *terms) inStep(l *live) {
	ctx := l.ctx
	partners := map[string]*partner{}
	var running sync.WaitGroup
	defer running.Wait()
	look := time.NewTicker(lookRemotes)
	defer look.Stop()
	commits, done := t.daemon.opts.Feed.Subscribe()
	defer func() { done() }()
	for ctx.Err() == nil {
		names, err := remotes.Names(l.memory)
		l.logError(err)
		wanted := map[string]bool{}
		for _, name := range names {
			wanted[name] = t.now.Load().config.Sync != config.SyncOff
			if partners[name] == nil && wanted[name] {
				partners[name] = newPartner(ctx, t, l.memory, name)
				running.Go(partners[name].run)
			}
		}
		for name, p := range partners {
			if !wanted[name] {
				p.stop()
				delete(partners, name)
			}
		}
		select {
		case <-ctx.Done():
		case <-look.C:
		case e, ok := <-commits:
			if !ok { // too late to be told everything: all may have changed
				commits, done = t.daemon.opts.Feed.Subscribe()
			}
			for _, p := range partners {
				if !ok || e.Commit != nil {
					p.committed.set()
				}
			}
		}
	}
}

// signal is something that has happened since it was last looked at.
type signal chan struct{}

func (s signal) set() {
	select {
	case s <- struct{}{}:
	default:
	}
}

// writers are the machines that have written since they were last asked for. It is safe for concurrent use.
type writers struct {
	mu    sync.Mutex
	of    map[string]bool
	isAll bool // any may have
}

func (w *writers) add(machine string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.of == nil {
		w.of = map[string]bool{}
	}
	w.of[machine], w.isAll = true, w.isAll || machine == ""
}

// take returns the machines, none if all are to be asked.
func (w *writers) take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	names := slices.Sorted(maps.Keys(w.of))
	if w.isAll {
		names = nil
	}
	w.of, w.isAll = nil, false
	return names
}

// partner is a remote that the memory is kept in step with.
type partner struct {
	ctx       context.Context
	stop      context.CancelFunc
	terms     *terms
	memory    *fovea.Memory
	name      string
	committed signal  // something was committed here
	shaken    signal  // what this machine wrote there may be gone
	changed   signal  // another machine has written there
	writers   writers // which
	problem   string  // the last one that was logged
}

func newPartner(ctx context.Context, t *terms, m *fovea.Memory, name string) *partner {
	p := &partner{terms: t, memory: m, name: name, committed: make(signal, 1), changed: make(signal, 1), shaken: make(signal, 1)}
	p.ctx, p.stop = context.WithCancel(ctx)
	return p
}

// run exchanges commits with the remote now, after commits here, when another machine has written
// there, and from time to time, until it is stopped. A remote that cannot be reached is tried again,
// less and less often.
func (p *partner) run() {
	watching := make(chan error, 1)
	var running sync.WaitGroup
	defer running.Wait()
	watch := func() {
		running.Go(func() {
			watching <- remotes.Watch(p.ctx, p.memory, p.terms.daemon.opts.Local.Places, &p.terms.daemon.seat, p.name, func(machine string) {
				p.writers.add(machine)
				p.changed.set()
			}, p.shaken.set)
		})
	}
	watch()
	isSlow := remotes.IsRepository(p.memory, p.name)
	retry, every := firstRetry, checkEvery
	p.writers.add("")
	for how := remotes.OpSync; ; {
		if how == remotes.OpSync && remotes.ScrubDue(p.memory, p.name) {
			how = remotes.OpScrub
		}
		err := p.exchange(how)
		if how = remotes.OpSync; err != nil {
			p.writers.add("")
		}
		if p.ctx.Err() != nil || p.terms.now.Load().config.Sync == config.SyncOnce && err == nil {
			return
		}
		next := every
		if err != nil {
			next, retry = retry, min(2*retry, lastRetry)
		} else {
			retry = firstRetry
		}
		pushed := time.Now()
		again := time.NewTimer(next/2 + rand.N(next/2+1))
		select {
		case <-p.ctx.Done():
		case <-again.C:
			p.writers.add("")
		case <-p.changed:
		case <-p.shaken:
			how = remotes.OpScrub
			p.delay(rand.N(firstRetry)) // not all machines at once
		case <-p.committed:
			how = remotes.OpPush
			wait := settle + rand.N(settle)
			if isSlow {
				wait = max(wait, pushEvery-time.Since(pushed))
			}
			if p.delay(wait) {
				how = remotes.OpSync
			}
		case err := <-watching:
			if every = pollEvery; !errors.Is(err, remotes.ErrUnwatched) { // the connection broke
				p.delay(next/2 + rand.N(next/2+1))
				watch()
			}
		}
		again.Stop()
	}
}

// delay waits, unless another machine writes meanwhile: it reports that.
func (p *partner) delay(d time.Duration) (isChanged bool) {
	over := time.NewTimer(d)
	defer over.Stop()
	select {
	case <-p.ctx.Done():
	case <-over.C:
	case <-p.changed:
		return true
	}
	return false
}

// exchange brings the memory and the remote in step by an operation. It logs a problem once, and that it
// is over.
func (p *partner) exchange(how api.Op[remotes.SyncRequest, *remotes.SyncResponse]) error {
	news, req := []signal{p.committed}, remotes.SyncRequest{Name: p.name} // what they tell of comes with this
	if how == remotes.OpSync {
		news, req.From = append(news, p.changed), p.writers.take()
	}
	for _, s := range news {
		select {
		case <-s:
		default:
		}
	}
	done, err := how.Call(p.ctx, api.WithSync(p.terms.call, api.SyncNone), req)
	log, problem := p.terms.daemon.opts.Log, ""
	if err == nil && done.Scrubbed != nil && len(done.Scrubbed.Damaged) > 0 {
		log.Warn("what this machine had written was gone or damaged, and was written again", "remote", p.name, "objects", len(done.Scrubbed.Damaged))
	}
	if err != nil {
		problem = advise(err).Error()
	} else if brought := done.Commits(); done.Pushed > 0 || brought > 0 {
		log.Info("in step", "remote", p.name, "sent", done.Pushed, "brought", brought)
	}
	switch {
	case p.ctx.Err() != nil || problem == p.problem:
	case problem == "":
		log.Info("the remote is met again", "remote", p.name)
	default:
		log.Warn("the remote cannot be met", "remote", p.name, "why", problem)
	}
	p.problem = problem
	return err
}
