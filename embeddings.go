// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"cmp"
	"context"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/meaning"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/vector"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/internal/view"
)

// embeddings are what models make of a memex and its scopes: vectors and summaries.
type embeddings struct {
	vectors  *meaning.Vectors   // nil without an embedder
	reranker *meaning.Reranker  // nil for none
	summary  *meaning.Summaries // nil for none
}

// open makes the vectors of a memex, if there is an embedder, its reranker, and what makes
// summaries. states are what readers may see.
func (e *embeddings) open(s *scope.Scope, states func(context.Context) []*graph.State) {
	if s.Options.Reranker != nil {
		e.reranker = meaning.NewReranker(*s.Options.Reranker, s.Options.Now)
	}
	if of := s.Options.Summarizer; of != nil {
		var err error
		if e.summary, err = meaning.NewSummaries(meaning.SummaryOptions{Summarizing: *of, Now: s.Options.Now}); err != nil { // nothing else depends on it
			s.Options.Log.Warn("no model makes summaries", "error", err)
		}
	}
	if s.Options.Embedder == nil {
		return
	}
	folder, err := vfs.Sub(s.FS, vector.Folder)
	if err != nil { // nothing else depends on vectors
		s.Options.Log.Warn("no vectors are kept", "error", err)
		return
	}
	e.vectors = meaning.New(meaning.Options{
		Connect: s.Options.Embedder, States: states, Folder: folder, All: s.Options.RemoteSeesAll, Log: s.Options.Log,
	})
}

// changed is told of each commit of a scope.
func (e *embeddings) changed(chain.Commit) {
	if e.vectors != nil {
		e.vectors.Changed()
	}
}

// forget removes all summaries and vectors, also those of an embedder that is no longer
// configured.
func (e *embeddings) forget(s *scope.Scope) error {
	e.summary.Forget()
	if e.vectors != nil {
		return e.vectors.Forget()
	}
	folder, err := vfs.Sub(s.FS, vector.Folder)
	if err != nil {
		return err
	}
	return meaning.RemoveAll(folder)
}

// status describes the embedder, and how many nodes wait for it.
func (e *embeddings) status() (embedder string, pending int) {
	if e.vectors == nil {
		return "", 0
	}
	s := e.vectors.Status()
	return s.String(), s.Pending
}

func (e *embeddings) close() error {
	e.summary.Close()
	if e.vectors == nil {
		return nil
	}
	return e.vectors.Close()
}

// ByMeaning returns a view of the same content that ranks for one question by the vectors of
// Options.Embedder: its Search and its Window of that question also find what says the same in
// other words. With only, it ranks by nothing else; without, vectors count beside words as far as
// the model has proved itself on the notes, and one that is Lexical adds nothing. It first makes
// the vectors that are missing, so the first call can take long. Errors: Unreachable (there is no
// embedder, no node has a vector, or the embedder fails, whose error is wrapped), and that of ctx.
func (m *Memory) ByMeaning(ctx context.Context, v View, question string, only bool) (View, error) {
	var why error
	req := meaning.Request{Mode: meaning.Hybrid, Text: question, Fill: true, Warn: func(err error) { why = err }}
	if only {
		req.Mode = meaning.Semantic
	}
	by, err := meaning.View(ctx, m.Meaning(), view.Of(v), req)
	if by != view.Of(v) { // it compares those that there are
		why = nil
	}
	if err = cmp.Or(ctx.Err(), err, why); err != nil {
		return nil, fail("search", "by meaning", Unreachable, err)
	}
	return by, nil
}
