// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/remotes"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/graph"
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
				p := &partner{terms: t, memory: l.memory, name: name, committed: make(signal, 1), shaken: make(signal, 1), news: make(chan string, 64)}
				p.ctx, p.stop = context.WithCancel(ctx)
				partners[name] = p
				running.Go(p.run)
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
				if !ok || e.Commit != nil && (e.Commit.Kind != graph.KindMerge || !p.isPulling.Load()) {
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

func (s signal) clear() {
	select {
	case <-s:
	default:
	}
}

// partner is a remote that the memory is kept in step with.
type partner struct {
	ctx       context.Context
	stop      context.CancelFunc
	terms     *terms
	memory    *fovea.Memory
	name      string
	committed signal      // something was committed here
	shaken    signal      // what this machine wrote there may be gone
	news      chan string // machines that have written there, "" for any
	isPulling atomic.Bool // merges bring only what is there
	problem   string      // the last one that was logged
}

// run exchanges commits with the remote now, after commits here, when another machine has written
// there, and from time to time, until it is stopped. A remote that cannot be reached is tried again,
// less and less often.
func (p *partner) run() {
	watching, isWatched := make(chan error, 1), false
	var running sync.WaitGroup
	defer running.Wait()
	isSlow := remotes.IsRepository(p.memory, p.name)
	retry, every, machines := firstRetry, checkEvery, []string(nil)
	for how := remotes.OpSync; ; {
		if how == remotes.OpSync && remotes.ScrubDue(p.memory, p.name) {
			how = remotes.OpScrub
		}
		err := p.exchange(how, machines)
		if p.ctx.Err() != nil || p.terms.now.Load().config.Sync == config.SyncOnce && err == nil {
			return
		}
		next := every
		if err != nil {
			next, retry = retry, min(2*retry, lastRetry)
		} else if retry = firstRetry; !isWatched {
			isWatched = true
			running.Go(func() { watching <- p.watch() })
		}
		pushed, again := time.Now(), time.NewTimer(next/2+rand.N(next/2+1))
		how, machines = remotes.OpSync, nil
		select {
		case <-p.ctx.Done():
		case <-again.C:
		case machine := <-p.news:
			if machines = p.writers(machine); err == nil && machines != nil {
				how = remotes.OpPull
			}
		case <-p.shaken:
			how = remotes.OpScrub
			p.delay(rand.N(firstRetry)) // not all machines at once
		case <-p.committed:
			if wait := settle + rand.N(settle); isSlow {
				p.delay(max(wait, pushEvery-time.Since(pushed)))
			} else {
				p.delay(wait)
			}
			if err == nil { // else all may be needed
				how = remotes.OpPush
			}
		case err := <-watching:
			if isWatched = errors.Is(err, remotes.ErrUnwatched); isWatched { // it never will be
				every = pollEvery
			}
			p.delay(firstRetry) // the connection broke
		}
		again.Stop()
	}
}

// watch notes what happens at the remote.
func (p *partner) watch() error {
	return remotes.Watch(p.ctx, p.memory, p.terms.daemon.opts.Local.Places, p.name, func(machine string) {
		select {
		case p.news <- machine:
		case <-p.ctx.Done():
		}
	}, p.shaken.set)
}

// writers are the machines that have written, with one of them; none if all are to be asked.
func (p *partner) writers(machine string) []string {
	for all := map[string]bool{machine: true}; ; {
		select {
		case machine = <-p.news:
			all[machine] = true
			continue
		default:
		}
		if all[""] {
			return nil
		}
		return slices.Sorted(maps.Keys(all))
	}
}

// delay waits.
func (p *partner) delay(d time.Duration) {
	select {
	case <-p.ctx.Done():
	case <-time.After(d):
	}
}

// exchange brings the memory and the remote in step by an operation. It logs a problem once, and that it
// is over.
func (p *partner) exchange(how api.Op[remotes.SyncRequest, *remotes.SyncResponse], machines []string) error {
	if p.isPulling.Store(how == remotes.OpPull); how != remotes.OpPull {
		p.committed.clear() // it comes with this
	}
	done, err := how.Call(p.ctx, api.WithSync(p.terms.call, api.SyncNone), remotes.SyncRequest{Name: p.name, From: machines})
	p.isPulling.Store(false)
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
