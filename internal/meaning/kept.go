// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"time"

	"github.com/fovea-memory/fovea/internal/embed"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/vector"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/merkle"
)

// modelFile describes the model that was used last, so that its vectors serve while its server
// does not answer: nodes are compared with their focus without it. It may be deleted, and one that is
// damaged counts for nothing.
const modelFile = "model.json"

// away stands for an embedder that is not connected.
type away struct{ model embed.Model }

func (a away) Model() embed.Model { return a.model }

func (away) Embed(context.Context, embed.Purpose, []string) ([]embed.Result, error) {
	return nil, embed.ErrUnavailable
}

// vectors returns the engine that is connected or, until one is, that of the model used last; nil
// if there is none.
func (x *Vectors) vectors() *engine {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.engine != nil || x.kept != nil || x.open.Err() != nil {
		return cmp.Or(x.engine, x.kept)
	}
	var m embed.Model
	text, err := x.opts.Folder.ReadFile(modelFile)
	if err != nil || json.Unmarshal(text, &m) != nil {
		return nil
	}
	for _, known := range x.known() {
		if known.Fingerprint == m.Fingerprint && known.Dim == m.Dim {
			x.kept, _ = x.openEngine(away{m})
		}
	}
	return x.kept
}

// keepModel writes which model was used last. x.mu is held.
func (x *Vectors) keepModel(m embed.Model) {
	text, err := json.Marshal(m)
	if before, readErr := x.opts.Folder.ReadFile(modelFile); err == nil && (readErr != nil || string(before) != string(text)) {
		err = vfs.WriteAtomic(x.opts.Folder, modelFile, text, 0o600)
	}
	if err != nil {
		x.opts.Log.Warn("the model of the vectors is not noted", "error", err)
	}
}

func removeModel(folder vfs.FS) error {
	if err := folder.Remove(modelFile); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// closeKept ends the use of the vectors of the model used last. x.mu is held.
func (x *Vectors) closeKept() {
	if x.kept != nil {
		_ = x.kept.store.Close() // nothing was written
	}
	x.kept = nil
}

// known returns the models of which there are vectors.
func (x *Vectors) known() (models []embed.Model) {
	files, err := vector.Files(x.opts.Folder)
	if err != nil {
		return nil
	}
	for _, f := range files {
		models = append(models, embed.Model{Fingerprint: f.Label, Dim: f.Dim})
	}
	return models
}

// reach connects to the embedder if it answers within timeout.
func (x *Vectors) reach(ctx context.Context, timeout time.Duration) {
	timeout = x.patience(timeout)
	if x.connected() != nil || timeout == 0 {
		return
	}
	start := time.Now()
	inner, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	inner, unlock, err := x.lock(inner)
	if err == nil {
		_, err = x.connect(inner)
		unlock()
	}
	if err != nil && time.Since(start) >= timeout {
		x.tooSlow(timeout)
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

// tooSlow notes that the embedder has not answered in time.
func (x *Vectors) tooSlow(timeout time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.latency = max(x.latency, timeout+1) // at least
}

// counted is how many nodes of a state wait for their vectors.
type counted struct {
	state   *graph.State
	set     *vector.Set
	waiting int
}

// waiting returns how many nodes of a view wait for their vectors. O(nodes), and O(1) until nodes
// or vectors change.
func (x *Vectors) waiting(v *view.View, e *engine) int {
	now := counted{state: view.StateOf(v), set: e.store.View()}
	x.mu.Lock()
	before := x.counted
	x.mu.Unlock()
	if before.state == now.state && before.set == now.set {
		return before.waiting
	}
	var digests []merkle.Digest
	for n := range now.state.All() {
		if _, ok := now.set.Row(n.Own); !ok && x.mayEmbed(now.state, n, e) && Text(n) != "" {
			digests = append(digests, n.Own)
		}
	}
	now.waiting = len(e.store.Missing(digests)) // a text that the embedder refuses does not wait
	x.mu.Lock()
	defer x.mu.Unlock()
	x.counted = now
	return now.waiting
}
