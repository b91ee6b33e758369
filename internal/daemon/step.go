// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"cmp"
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// The timing of a daemon that keeps its memory in step with remotes.
const (
	settle    = 50 * time.Millisecond // after a commit, to send a burst at once; up to twice that, at random
	spread    = time.Second           // within which machines sync, each at random, after a disturbance of the place
	pushEvery = time.Minute           // to a place that cannot be watched
	askEvery  = 30 * time.Second      // for each request of a sync, and between two attempts; up to twice that, at random
	requests  = 6                     // of a sync, without one for each other machine
)

// inStep returns a function that keeps the memory in step with its remotes as configured. It is called
// whenever the remotes or the configuration may have changed.
func (t *terms) inStep(l *live) func() {
	stop, before := func() {}, []string{}
	return func() {
		names, err := place.Names(l.memory.Histories().State)
		mode := t.now.Load().config.Sync
		now := append(slices.Clone(names), mode)
		if err != nil || slices.Equal(now, before) {
			l.logError(err)
			return
		}
		stop()
		before = now
		var ctx context.Context
		ctx, stop = context.WithCancel(l.ctx)
		for _, name := range names {
			p := &partner{terms: t, live: l, ctx: ctx, name: name, news: make(chan string, 64), from: map[string]bool{}, problems: map[string]string{}}
			l.logError(vfs.ReadJSON(l.memory.Histories().State, p.problemsFile(), &p.problems))
			if mode != config.SyncOff {
				l.work.Go(func() { t.daemon.kept(ctx, "keeping in step with "+name, p.run) })
			}
			if mode == config.SyncAlways {
				l.work.Go(func() { t.daemon.kept(ctx, "watching "+name, p.watch) })
			}
		}
	}
}

// partner is a remote with which the memory is kept in step.
type partner struct {
	terms *terms
	live  *live
	ctx   context.Context
	name  string
	news  chan string // machines that have written there, "" for any; closed if the place cannot be watched

	// Only run uses these:
	due, last, all time.Time         // of the next exchange, the last one, and the last one with all machines
	rest           time.Duration     // between two exchanges, at least
	from           map[string]bool   // machines from news that the next exchange reads
	isBehind       bool              // the remote lacks a commit
	merges         int               // merges by exchanges that the feed has not reported yet
	problem        string            // the last logged problem
	problems       map[string]string // the last logged problem of each other machine
}

// problemsFile has the reported problems of other machines, so that the next daemon does not repeat them.
func (p *partner) problemsFile() string { return place.Folder + "/" + p.name + "/problems.json" }

// run exchanges commits with the remote at first, after commits here, after other machines have written
// there, and every few minutes.
func (p *partner) run() {
	commits, leave := p.terms.daemon.opts.Feed.Subscribe()
	defer func() { leave() }()
	for p.ctx.Err() == nil {
		select {
		case <-p.ctx.Done():
		case machine, isWatched := <-p.news:
			if !isWatched {
				p.news, p.rest = nil, pushEvery
				continue
			}
			switch p.from[machine] = true; {
			case machine == "": // perhaps another server took over: not all machines at once
				p.soon(rand.N(spread))
			case len(p.news) == 0: // otherwise read them together
				p.soon(0)
			}
		case e, ok := <-commits:
			if !ok { // the feed dropped a slow subscriber
				commits, leave = p.terms.daemon.opts.Feed.Subscribe()
			}
			switch {
			case ok && e.Commit == nil:
			case ok && e.Commit.Kind == graph.KindMerge && p.merges > 0: // the remote has the merged commits
				p.merges--
			default:
				p.isBehind = true
				p.soon(settle + rand.N(settle))
			}
		case <-time.After(time.Until(p.due)):
			if p.exchange() && p.terms.now.Load().config.Sync == config.SyncOnce {
				return
			}
		}
	}
}

// soon makes the next exchange happen within some time, but not before the rest has passed.
func (p *partner) soon(wait time.Duration) {
	if at := time.Now().Add(max(wait, time.Until(p.last.Add(p.rest)))); at.Before(p.due) {
		p.due = at
	}
}

// exchange exchanges what is due, or everything if that is unknown. It reports success.
func (p *partner) exchange() bool {
	op, req := ops.OpSync, ops.SyncRequest{Name: p.name, From: slices.Sorted(maps.Keys(p.from))}
	switch {
	case p.problem == "" && ops.ScrubDue(p.live.memory, p.name):
		op, req.From = ops.OpScrub, nil
	case p.rest > 0 || p.from[""] || len(p.from) == 0 && !p.isBehind || time.Since(p.all) > 2*requests*askEvery:
		req.From, p.all = nil, time.Now()
	case len(p.from) == 0:
		op = ops.OpPush
	case !p.isBehind:
		op = ops.OpPull
	}
	clear(p.from)
	p.isBehind = false
	done, err := op.Call(p.ctx, api.WithSync(p.terms.call, api.SyncNone), req)
	wait, problem := askEvery, ""
	if err != nil {
		p.from[""], problem = true, advise(err).Error()
	} else {
		wait = askEvery * time.Duration(requests+len(done.Machines))
		brought, damaged := done.Commits(), len(done.Damaged)
		if p.merges += brought; done.Pushed > 0 || brought > 0 || damaged > 0 {
			p.live.log.Info("in step", "remote", p.name, "sent", done.Pushed, "brought", brought, "damaged there", damaged)
		}
		for _, m := range done.Machines {
			if p.problems[m.Name] != m.Problem {
				p.problems[m.Name] = m.Problem
				p.live.logError(vfs.WriteJSON(p.live.memory.Histories().State, p.problemsFile(), p.problems))
				p.live.log.Warn("keeping in step", "remote", p.name, "machine", m.Name, "problem", cmp.Or(m.Problem, "none any longer"))
				if m.Waits {
					p.live.alert(p.terms.daemon.opts.Alert, "what machine %q changed waits at the remote %s: %s\nThen: fovea pull %[3]s", m.Name, p.name, text.Line(m.Problem))
				}
			}
		}
	}
	if problem != p.problem && p.ctx.Err() == nil {
		p.live.log.Warn("keeping in step", "remote", p.name, "problem", cmp.Or(problem, "none any longer"))
	}
	p.problem, p.last = problem, time.Now()
	if p.due = p.last.Add(wait + rand.N(wait)); err == nil && ops.ScrubDue(p.live.memory, p.name) {
		p.soon(rand.N(spread)) // the scrub waits until a sync succeeds
	}
	return err == nil
}

// watch sends the machines that write to the remote to news, unless the place cannot be watched.
func (p *partner) watch() {
	for p.ctx.Err() == nil {
		if ops.Watch(p.ctx, p.live.memory, p.terms.daemon.opts.Local.Places, p.name, p.news) == nil {
			close(p.news)
			return
		}
		wait(p.ctx, askEvery)
	}
}
