// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"context"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/vector"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/options"
)

// Models make the vectors and summaries of a memex and its scopes, and rerank its hits.
type Models struct {
	Vectors   *Vectors   // nil without an embedder
	Reranker  *Reranker  // nil for none
	Summaries *Summaries // nil for none
}

// Open sets up the models that the options name. states returns what readers may see.
func (m *Models) Open(o *options.Open, in vfs.FS, states func(context.Context) []*graph.State) {
	if o.Reranker != nil {
		m.Reranker = NewReranker(*o.Reranker, o.Now)
	}
	if of := o.Summarizer; of != nil {
		var err error
		if m.Summaries, err = NewSummaries(*of, o.Now); err != nil { // nothing else depends on it
			o.Log.Warn("no model makes summaries", "error", err)
		}
	}
	if o.Embedder == nil {
		return
	}
	folder, err := vfs.Sub(in, vector.Folder)
	if err != nil { // nothing else depends on vectors
		o.Log.Warn("no vectors are kept", "error", err)
		return
	}
	m.Vectors = New(Options{
		Connect: o.Embedder, States: states, Folder: folder, All: o.RemoteSeesAll, Log: o.Log,
	})
}

// Changed must be called after each commit of a scope.
func (m *Models) Changed(chain.Commit) {
	if m.Vectors != nil {
		m.Vectors.Changed()
	}
}

// Forget removes all summaries and vectors, also those of an embedder that is no longer
// configured.
func (m *Models) Forget(in vfs.FS) error {
	m.Summaries.Forget()
	if m.Vectors != nil {
		return m.Vectors.Forget()
	}
	folder, err := vfs.Sub(in, vector.Folder)
	if err != nil {
		return err
	}
	return RemoveAll(folder)
}

// Status describes the embedder, and returns how many nodes have no vector yet.
func (m *Models) Status() (embedder string, pending int) {
	if m.Vectors == nil {
		return "", 0
	}
	s := m.Vectors.Status()
	return s.String(), s.Pending
}

// Close ends all work in the background.
func (m *Models) Close() error {
	m.Summaries.Close()
	if m.Vectors == nil {
		return nil
	}
	return m.Vectors.Close()
}
