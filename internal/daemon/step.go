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
	lookRemotes = 2 * time.Second // for remotes that were added or removed
)

// inStep keeps the memory in step with its remotes until the daemon ends, as the configuration says.
func (t *terms) inStep(l *live) {
	ctx := l.ctx
	partners := map[string]*partner{}
	var running sync.WaitGroup
	defer running.Wait()
	look := time.NewTicker(lookRemotes)
	defer look.Stop()
	for ctx.Err() == nil {
		names, err := remotes.Names(l.memory)
		l.logError(err)
		wanted := map[string]bool{}
		for _, name := range names {
			wanted[name] = t.now.Load().config.Sync != config.SyncOff
			if partners[name] == nil && wanted[name] {
				p := &partner{terms: t, memory: l.memory, name: name, every: checkEvery,
					watching: make(chan error, 1), shaken: make(chan struct{}, 1), news: make(chan string, 64)}
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
		}
	}
}

// partner is a remote that the memory is kept in step with.
type partner struct {
	ctx       context.Context
	stop      context.CancelFunc
	terms     *terms
	memory    *fovea.Memory
	name      string
	feed      <-chan api.Event
	unfeed    func()
	watching  chan error // why the remote is no longer watched
	isWatched bool       // or never will be
	every     time.Duration
	shaken    chan struct{} // what this machine wrote there may be gone
	news      chan string   // machines that have written there, "" for any
	problem   string        // the last one that was logged
}

// run exchanges commits with the remote now, after commits here, when another machine has written
// there, and from time to time, until it is stopped. A remote that cannot be reached is tried again,
// less and less often.
func (p *partner) run() {
	var running sync.WaitGroup
	defer running.Wait()
	p.feed, p.unfeed = p.terms.daemon.opts.Feed.Subscribe()
	defer func() { p.unfeed() }()
	isSlow := remotes.IsRepository(p.memory, p.name)
	how, machines, retry := remotes.OpSync, []string(nil), firstRetry
	for p.ctx.Err() == nil {
		if how == remotes.OpSync && remotes.ScrubDue(p.memory, p.name) {
			how = remotes.OpScrub
		}
		if how != remotes.OpPull {
			p.isBehind(false) // what was committed goes with this
		}
		err := p.exchange(how, machines)
		isBehind, wait, quiet := p.isBehind(true), p.every, time.Duration(0) // merges brought only what is there, or went with this
		switch {
		case err != nil:
			wait, retry = retry, min(2*retry, lastRetry)
		case p.terms.now.Load().config.Sync == config.SyncOnce:
			return
		case !p.isWatched:
			p.isWatched = true
			running.Go(func() { p.watching <- p.watch() })
			fallthrough
		default:
			retry = firstRetry
		}
		if isSlow {
			quiet = pushEvery
		}
		how, machines = p.next(wait, quiet, isBehind)
		if err != nil && how != remotes.OpScrub { // all may be needed
			how, machines = remotes.OpSync, nil
		}
	}
}

// next waits for the reason of the next exchange, and returns what that is.
func (p *partner) next(wait, quiet time.Duration, isBehind bool) (how api.Op[remotes.SyncRequest, *remotes.SyncResponse], machines []string) {
	again, now := time.NewTimer(wait/2+rand.N(wait/2+1)), time.Now()
	defer again.Stop()
	for !isBehind {
		select {
		case <-p.ctx.Done():
			return remotes.OpSync, nil
		case <-again.C:
			return remotes.OpSync, nil
		case machine := <-p.news:
			if machines = p.writers(machine); machines == nil {
				return remotes.OpSync, nil
			}
			return remotes.OpPull, machines
		case <-p.shaken:
			p.delay(rand.N(firstRetry)) // not all machines at once
			return remotes.OpScrub, nil
		case err := <-p.watching:
			if p.isWatched = errors.Is(err, remotes.ErrUnwatched); p.isWatched {
				p.every = pollEvery
			}
			p.delay(firstRetry) // the connection broke
			return remotes.OpSync, nil
		case e, ok := <-p.feed:
			isBehind = p.isNews(e, ok, false)
		}
	}
	p.delay(max(settle+rand.N(settle), quiet-time.Since(now)))
	return remotes.OpPush, nil
}

// isNews reports whether an event is a commit that the remote lacks, which merges may not be.
func (p *partner) isNews(e api.Event, ok, butMerges bool) bool {
	if !ok { // too late to be told everything
		p.feed, p.unfeed = p.terms.daemon.opts.Feed.Subscribe()
		return true
	}
	return e.Commit != nil && !(butMerges && e.Commit.Kind == graph.KindMerge)
}

// isBehind reports whether there was news since it was last looked for.
func (p *partner) isBehind(butMerges bool) (is bool) {
	for {
		select {
		case e, ok := <-p.feed:
			is = p.isNews(e, ok, butMerges) || is
		default:
			return is
		}
	}
}

// watch notes what happens at the remote.
func (p *partner) watch() error {
	return remotes.Watch(p.ctx, p.memory, p.terms.daemon.opts.Local.Places, p.name, func(machine string) {
		select {
		case p.news <- machine:
		case <-p.ctx.Done():
		}
	}, func() {
		select {
		case p.shaken <- struct{}{}:
		default:
		}
	})
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
	done, err := how.Call(p.ctx, api.WithSync(p.terms.call, api.SyncNone), remotes.SyncRequest{Name: p.name, From: machines})
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
