// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/fovea-memory/fovea/internal/bound"
)

// progressAfter is the delay before progress is shown.
const progressAfter = time.Second

// drawing shows progress at a terminal: a bar if the total is known, else a line that counts seconds. It writes to the
// file, because the stream would escape its cursor movements.
type drawing struct {
	mu     sync.Mutex
	begun  time.Time // start of the work that bar shows
	bar    *progressbar.ProgressBar
	line   bool
	warned bound.Map[string, bool] // recent warnings
}

// watched reports whether progress is wanted and standard error is a terminal.
func (c *Console) watched() bool { return !c.Quiet && c.Err.IsTerminal() }

// Working shows the seconds of a long operation until done is called.
func (c *Console) Working() (done func()) {
	if !c.watched() {
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
				c.Clear()
				return
			case <-tick.C:
				c.drawn.count(time.Since(begun))
			}
		}
	}()
	return func() { close(stop); <-gone }
}

func (d *drawing) count(since time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.bar == nil {
		fmt.Fprintf(os.Stderr, "\r\x1b[Kfovea: working, %d s", int(since.Seconds()))
		d.line = true
	}
}

// Progress draws a bar for long work at a terminal.
func (c *Console) Progress(done, total int) {
	if !c.watched() {
		return
	}
	d := &c.drawn
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.begun.IsZero() {
		d.begun = time.Now()
	}
	if d.bar == nil {
		if time.Since(d.begun) < progressAfter || done == total {
			return
		}
		d.wipe()
		d.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(os.Stderr), progressbar.OptionSetDescription("reading"),
			progressbar.OptionShowCount(), progressbar.OptionSetWidth(30), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(true))
	}
	_ = d.bar.Set(done)
	if done == total {
		d.wipe()
	}
}

// Clear removes the progress from the terminal.
func (c *Console) Clear() {
	c.drawn.mu.Lock()
	defer c.drawn.mu.Unlock()
	c.drawn.wipe()
}

// wipe is Clear for callers that hold d.mu.
func (d *drawing) wipe() {
	if d.bar != nil {
		_ = d.bar.Clear()
		d.bar = nil
	}
	if d.line {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
		d.line = false
	}
}
