// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// maxReranked is how many documents one call of a reranker takes.
const maxReranked = 1000

// Reranker says how well documents answer a query. It is safe for concurrent use.
type Reranker interface {
	// Rerank returns a score for each document, in their order; a greater one is
	// better, and only scores of one call are comparable. It waits as long as ctx
	// allows, at most the timeout of the configuration. Errors: ErrUnavailable,
	// ErrProtocol, ErrRefused, and that of ctx.
	Rerank(ctx context.Context, query string, documents []string) ([]float64, error)
	// Remote reports whether texts leave this computer.
	Remote() bool
}

// Reranking says which reranker a program uses.
type Reranking struct {
	// Connect opens the reranker, such as by OpenReranker. It may fail and is then called again.
	Connect func(context.Context) (Reranker, error)
	Timeout time.Duration // that a search waits for it; 0 is a default
	All     bool          // one on another computer may see every node, also without the property EMBED
}

// OpenReranker returns the reranker at c.URL. KindOpenAI is /v1/rerank, which llama.cpp,
// vLLM, Cohere and Jina have; KindTEI is /rerank of text-embeddings-inference; KindAuto
// tries both. It asks for the scores of two documents. Errors: ErrConfig, and those of
// Rerank.
func OpenReranker(ctx context.Context, c Config) (Reranker, error) {
	s, err := openReranker(ctx, c)
	return s, ofOpening(ctx, "open reranker", c, err)
}

func openReranker(ctx context.Context, c Config) (Reranker, error) {
	if c.Kind != KindOpenAI && c.Kind != KindTEI && c.Kind != KindAuto {
		return nil, fmt.Errorf("%w: there is no reranker of this kind; use openai, tei or auto", ErrConfig)
	}
	r, err := newRemote(c)
	if err != nil {
		return nil, err
	}
	var last error
	for _, kind := range []string{KindOpenAI, KindTEI} {
		if c.Kind != kind && c.Kind != KindAuto {
			continue
		}
		s := &rerankServer{remote: r, model: c.Model, tei: kind == KindTEI}
		_, last = s.rerank(ctx, probeTexts[0], probeTexts)
		if last == nil {
			return s, nil
		}
		if ctx.Err() != nil || errors.Is(last, ErrUnavailable) && !errors.Is(last, errNoPath) {
			break
		}
	}
	return nil, last
}

// rerankServer asks a server for scores.
type rerankServer struct {
	remote *remote
	model  string
	tei    bool
}

// Remote reports whether the server is another computer.
func (s *rerankServer) Remote() bool { return !s.remote.local() }

// Rerank asks for the scores, unless the server failed a short time ago.
func (s *rerankServer) Rerank(ctx context.Context, query string, documents []string) ([]float64, error) {
	if len(documents) == 0 {
		return nil, nil
	}
	if len(documents) > maxReranked {
		return nil, failed("rerank", s.model, fmt.Errorf("%w: %d documents, at most %d", ErrConfig, len(documents), maxReranked))
	}
	var scores []float64
	err := s.remote.guard(ctx, func() (err error) {
		scores, err = s.rerank(ctx, query, documents)
		return err
	})
	return scores, ofRequest(ctx, "rerank", s.model, err)
}

// score is the score of one document. Cohere and Jina call it relevance_score.
type score struct {
	Index     *int
	Score     *float64
	Relevance *float64 `json:"relevance_score"`
}

func (s *rerankServer) rerank(ctx context.Context, query string, documents []string) ([]float64, error) {
	var got []score
	var err error
	if s.tei {
		err = s.remote.call(ctx, "/rerank", map[string]any{"query": query, "texts": documents, "truncate": true}, &got)
	} else {
		body := map[string]any{"query": query, "documents": documents, "top_n": len(documents)}
		if s.model != "" {
			body["model"] = s.model
		}
		var list struct{ Results []score }
		err = s.remote.call(ctx, "/v1/rerank", body, &list)
		got = list.Results
	}
	if err != nil {
		return nil, err
	}
	return inOrder(got, len(documents))
}

// inOrder puts scores, which servers send best first, in the order of the n documents.
func inOrder(got []score, n int) ([]float64, error) {
	scores := make([]float64, n)
	for i := range scores {
		scores[i] = math.NaN()
	}
	for _, d := range got {
		value := d.Relevance
		if value == nil {
			value = d.Score
		}
		if d.Index == nil || value == nil || *d.Index < 0 || *d.Index >= n || !math.IsNaN(scores[*d.Index]) {
			return nil, fmt.Errorf("rerank: an index or a score is missing, repeated or out of range: %w", ErrProtocol)
		}
		scores[*d.Index] = *value
	}
	if len(got) != n {
		return nil, fmt.Errorf("rerank: %d scores for %d documents: %w", len(got), n, ErrProtocol)
	}
	return scores, nil
}
