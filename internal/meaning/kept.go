// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/fovea-memory/fovea/embed"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/vector"
	"github.com/fovea-memory/fovea/node"
)

// away replaces an embedder that does not answer. The vectors that it made can still be compared
// with that of a focus.
type away struct{ model embed.Model }

func (a away) Model() embed.Model { return a.model }

func (away) Embed(context.Context, embed.Purpose, []string) ([]embed.Result, error) {
	return nil, embed.ErrUnavailable
}

// reach returns the engine that is connected or connects within timeout, else the engine of
// the vectors used last, or nil.
func (x *Vectors) reach(ctx context.Context, timeout time.Duration) *engine {
	if x.connected() == nil && timeout > 0 {
		soon, cancel := context.WithTimeout(ctx, timeout)
		if inner, unlock, err := x.lock(soon); err == nil {
			_, err = x.connect(inner)
			if unlock(); ctx.Err() == nil { // a caller that gives up is no fault of the embedder
				x.failed(err)
			}
		}
		if soon.Err() != nil && ctx.Err() == nil {
			x.pace.late(timeout)
		}
		cancel()
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.engine != nil {
		return x.engine
	}
	if models, err := vector.Models(x.opts.Folder); x.kept == nil && err == nil && len(models) > 0 && x.open.Err() == nil {
		m := models[0]
		x.kept, _ = x.opts.engine(away{embed.Model{Fingerprint: m.Fingerprint, Dim: m.Dim}}) // unreadable vectors are missing ones
	}
	return x.kept
}

// pace is how long the embedder took for its last answer, in nanoseconds; 0 for no answer.
type pace struct{ atomic.Int64 }

// late records that the embedder has not answered in time.
func (p *pace) late(timeout time.Duration) { p.Store(max(p.Load(), int64(timeout)+1)) }

// counted is how many texts of a state have no vector yet.
type counted struct {
	state *graph.State
	set   *vector.Set
	texts int
}

// waiting returns how many texts of a state have no vector yet; wanted finds them. O(nodes), and
// O(1) until nodes or vectors change.
func (e *engine) waiting(s *graph.State, wanted func([]*graph.State, *engine) []*node.Node) int {
	set := e.store.View()
	c := e.counted.Load()
	if c == nil || c.state != s || c.set != set {
		c = &counted{s, set, len(wanted([]*graph.State{s}, e))}
		e.counted.Store(c)
	}
	return c.texts
}
