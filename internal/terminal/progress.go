// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progressAfter is how long work runs before progress is shown.
const progressAfter = time.Second

// drawing is the progress shown at a terminal: a bar if the total is known, else a line that
// counts seconds. It writes to the file, not to the stream, which would escape its cursor
// movements.
type drawing struct {
	mu    sync.Mutex
	begun time.Time // start of the work that bar shows
	bar   *progressbar.ProgressBar
	line  bool
}

// watched reports whether progress is wanted and standard error is a terminal.
func (s *session) watched() bool { return !s.quiet && s.err.terminal() }

// working shows the seconds of a long operation until done is called.
func (s *session) working() (done func()) {
	if !s.watched() {
		return func() {}
	}
	stop, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		begun, tick := time.Now(), time.NewTicker(progressAfter)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				s.clear()
				return
			case <-tick.C:
				s.drawn.count(s.err.file, time.Since(begun))
			}
		}
	}()
	return func() { close(stop); <-gone }
}

func (d *drawing) count(to *os.File, since time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.bar == nil {
		fmt.Fprintf(to, "\r\x1b[Kfovea: working, %d s", int(since.Seconds()))
		d.line = true
	}
}

// progress draws a bar for long work at a terminal.
func (s *session) progress(done, total int) {
	if !s.watched() {
		return
	}
	d := &s.drawn
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.begun.IsZero() {
		d.begun = time.Now()
	}
	if d.bar == nil {
		if time.Since(d.begun) < progressAfter || done == total {
			return
		}
		d.wipe(s.err.file)
		d.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(s.err.file), progressbar.OptionSetDescription("reading"),
			progressbar.OptionShowCount(), progressbar.OptionSetWidth(30), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(true))
	}
	_ = d.bar.Set(done)
	if done == total {
		d.wipe(s.err.file)
	}
}

// clear removes the progress from the terminal.
func (s *session) clear() {
	s.drawn.mu.Lock()
	defer s.drawn.mu.Unlock()
	s.drawn.wipe(s.err.file)
}

// wipe is clear for callers that hold d.mu.
func (d *drawing) wipe(from *os.File) {
	if d.bar != nil {
		_ = d.bar.Clear()
		d.bar = nil
	}
	if d.line {
		fmt.Fprint(from, "\r\x1b[K")
		d.line = false
	}
}
