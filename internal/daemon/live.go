// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/corpus"
)

const (
	quiet    = 50 * time.Millisecond  // a burst of saves ends after this time without an event
	maxBurst = 500 * time.Millisecond // a longer burst is read before its end
	rescan   = 10 * time.Minute       // finds changes that no event reported
	pulse    = time.Minute            // between heartbeats of the memory, and ticks of the scavenger
	marksDir = "watch"                // in the state folder
)

// live is the open memory of a daemon, kept up to date with its folder by background work.
type live struct {
	ctx      context.Context // of the daemon: several requests may wait for one read
	memory   *fovea.Memory
	progress func(done, total int)
	log      *slog.Logger
	nudged   chan struct{} // see notices
	work     sync.WaitGroup
	end      func() error // ends the background work; the memory stays open

	root    *corpus.Root
	watcher *corpus.Watcher // nil if the folder cannot be watched

	turn  chan struct{} // held while the folder is read; guards done and begun
	done  uint64        // the watcher's position up to which the memory has read
	begun bool          // the memory has read the folder up to done

	ready     atomic.Bool
	scavenger scavenger // used by run only
}

// keepLive starts watching the folder of a memory.
func keepLive(ctx context.Context, m *fovea.Memory, opts *Options, conf *config.Config) *live {
	ctx, stop := context.WithCancel(ctx)
	l := &live{
		ctx: ctx, memory: m, progress: opts.Feed.Progress, log: opts.Log, nudged: make(chan struct{}, 1), turn: make(chan struct{}, 1),
	}
	if err := l.watch(conf); err != nil {
		l.log.Warn("cannot watch the folder; each request reads it", "memex", m.Dir(), "why", err)
	}
	l.end = sync.OnceValue(func() error {
		stop()
		l.work.Wait()
		if l.watcher == nil {
			return nil
		}
		return errors.Join(l.watcher.Close(), l.root.Close())
	})
	return l
}

func (l *live) watch(conf *config.Config) error {
	opts := &corpus.Options{SkillsDir: conf.SkillsDir, Opaque: conf.Opaque, Parses: conf.Formats().Owns}
	root, err := corpus.Open(l.memory.Dir(), opts)
	if err != nil {
		return err
	}
	marks := filepath.Join(conf.StateDir, marksDir)
	if err := os.MkdirAll(marks, 0o700); err != nil {
		return errors.Join(err, root.Close())
	}
	watcher, err := root.Watch(l.ctx, marks, l.holds)
	if err != nil {
		return errors.Join(err, root.Close())
	}
	l.root, l.watcher = root, watcher
	return nil
}

// holds reports whether a file is a document. Notes may refer to files of any name.
func (l *live) holds(path string) bool {
	for range l.memory.View().Document(path) {
		return true
	}
	return false
}

// sync returns when the memory holds everything saved before the call. It fails if the folder or
// one of the store's was moved or replaced.
func (l *live) sync(ctx context.Context) error {
	ground := l.memory.InPlace()
	if fovea.KindOf(ground) == fovea.Conflict {
		return ground
	}
	if l.watcher == nil || l.watcher.CatchUp() != nil {
		return cmp.Or(l.read(ctx, 0, true), ground)
	}
	return cmp.Or(l.read(ctx, l.watcher.Seen(), false), ground)
}

// read reads the folder unless the memory has everything up to seen. Concurrent callers wait
// for a running read.
func (l *live) read(ctx context.Context, seen uint64, always bool) error {
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-l.turn }()
	if l.begun && l.done >= seen && !always {
		return nil
	}
	news := corpus.Changes{Overflow: true}
	if l.watcher != nil {
		news = l.watcher.Drain()
	}
	if l.begun && !always && !news.Overflow && l.memory.Folder().Wrote(news.Created) {
		l.done = news.Seen
		return nil
	}
	l.begun = false
	err := l.memory.Ingest(l.ctx, &fovea.IngestOptions{Progress: l.progress})
	if _, guardErr := l.memory.Guard().View(l.ctx, nil); guardErr != nil { // reports changed protected files, even unread ones
		l.log.Warn("cannot compare protected files", "why", guardErr)
	}
	l.nudge()
	if err != nil {
		return err // the next caller tries again
	}
	l.done, l.begun = news.Seen, true
	l.ready.Store(true)
	return nil
}

// isReady returns an error while the memory cannot answer.
func (l *live) isReady() error {
	if l.ready.Load() {
		return nil
	}
	return fmt.Errorf("the folder is being read: %d documents so far", l.memory.Status().Documents)
}

// run reads the folder now, after each burst of events and every ten minutes. The event heartbeat
// makes the memory maintain itself.
func (l *live) run(beat func(context.Context) error) {
	l.logError(l.read(l.ctx, 0, true))
	var changed <-chan struct{}
	if l.watcher != nil {
		changed = l.watcher.Changed()
	}
	scans, beats := time.NewTicker(rescan), time.NewTicker(pulse)
	defer scans.Stop()
	defer beats.Stop()
	for {
		select {
		case <-l.ctx.Done():
			return
		case <-scans.C:
			l.logError(l.read(l.ctx, 0, true))
		case <-beats.C:
			l.logError(beat(l.ctx))
			l.scavenger.tick()
		case <-changed:
			l.burst(changed)
			l.logError(l.read(l.ctx, l.watcher.Seen(), false))
		}
	}
}

// burst waits for the end of a burst of events, at most maxBurst.
func (l *live) burst(changed <-chan struct{}) {
	silence, end := time.NewTimer(quiet), time.NewTimer(maxBurst)
	defer silence.Stop()
	defer end.Stop()
	for {
		select {
		case <-changed:
			silence.Reset(quiet)
			continue
		case <-silence.C:
		case <-end.C:
		case <-l.ctx.Done():
		}
		return
	}
}

// logError logs an error of background work.
func (l *live) logError(err error) {
	if err != nil && l.ctx.Err() == nil {
		l.log.Warn("in the background", "why", advise(err))
	}
}
