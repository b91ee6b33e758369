// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"context"
	"slices"
	"time"

	"github.com/fovea-memory/fovea/internal/embed"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/vector"
)

// away stands for an embedder that does not answer, with the vectors that it made: nodes are
// compared with their focus without it.
type away struct{ model embed.Model }

func (a away) Model() embed.Model { return a.model }

func (away) Embed(context.Context, embed.Purpose, []string) ([]embed.Result, error) {
	return nil, embed.ErrUnavailable
}

// vectors returns the engine that is connected or, until one is, that of the vectors which were
// made last; nil if there is none.
func (x *Vectors) vectors() *engine {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.engine != nil {
		return x.engine
	}
	if models := x.models(); x.kept == nil && x.open.Err() == nil && len(models) > 0 {
		x.kept, _ = x.openEngine(away{models[0]}) // what cannot be read is no vectors
	}
	return x.kept
}

// closeKept ends the use of the vectors that were made last. x.mu is held.
func (x *Vectors) closeKept() {
	if x.kept != nil {
		_ = x.kept.store.Close() // nothing was written
	}
	x.kept = nil
}

// models returns the fingerprint and length of the models of which there are vectors, the one
// used last first.
func (x *Vectors) models() (models []embed.Model) {
	files, err := vector.Files(x.opts.Folder)
	if err != nil {
		return nil
	}
	slices.SortStableFunc(files, func(a, b vector.File) int { return b.Last.Compare(a.Last) })
	for _, f := range files {
		if f.Label != "" { // not damaged
			models = append(models, embed.Model{Fingerprint: f.Label, Dim: f.Dim})
		}
	}
	return models
}

// reach connects to the embedder if it answers within timeout.
func (x *Vectors) reach(ctx context.Context, timeout time.Duration) {
	if x.connected() != nil || timeout == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if inner, unlock, err := x.lock(ctx); err == nil {
		_, _ = x.connect(inner) // the fault is kept
		unlock()
	}
	if ctx.Err() != nil {
		x.late(timeout)
	}
}

// patience returns how long a request waits that did not ask for vectors: not at all for an
// embedder that last needed longer.
func (x *Vectors) patience(timeout time.Duration) time.Duration {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.latency > timeout {
		return 0
	}
	return timeout
}

// late notes that the embedder has not answered in time.
func (x *Vectors) late(timeout time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.latency = max(x.latency, timeout+1) // at least
}

// counted is how many texts of a state have no vector yet.
type counted struct {
	state *graph.State
	set   *vector.Set
	texts int
}

// waiting returns how many texts of a state wait for their vectors. O(nodes), and O(1) until nodes
// or vectors change.
func (x *Vectors) waiting(s *graph.State, e *engine) int {
	set := e.store.View()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.counted.state != s || x.counted.set != set {
		x.counted = counted{s, set, len(x.wanted([]*graph.State{s}, e))}
	}
	return x.counted.texts
}
