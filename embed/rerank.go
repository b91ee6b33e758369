// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// maxReranked is the maximum number of documents of one call of a reranker.
const maxReranked = 1000

// Reranker scores how well documents answer a query. It is safe for concurrent use.
type Reranker interface {
	// Rerank returns a score for each document, in their order. Higher is better, and
	// only scores of one call are comparable. It waits as long as ctx
	// allows, at most the timeout of the configuration. Errors: ErrUnavailable,
	// ErrProtocol, ErrRefused, and that of ctx.
	Rerank(ctx context.Context, query string, documents []string) ([]float64, error)
	// Remote reports whether texts leave this computer.
	Remote() bool
}

// Reranking configures the reranker of a program.
type Reranking struct {
	// Connect opens the reranker, for example with OpenReranker. After an error it is called again.
	Connect func(context.Context) (Reranker, error)
	Timeout time.Duration // how long a search waits for it; 0 is a default
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
	// Ollama has no reranker. OpenAI's form goes first, since such a server may also have TEI's path.
	return firstShape(ctx, c, slices.Backward(shapes[1:]), func(r *remote, sh shape) (Reranker, error) {
		s := &rerankServer{remote: r, model: c.Model, call: sh.rerank}
		_, err := s.call.scores(ctx, r, c.Model, probeTexts[0], probeTexts)
		return s, err
	})
}

// rerankServer asks a server for scores.
type rerankServer struct {
	remote *remote
	model  string
	call   call
}

// Remote reports whether the server is on another computer.
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
		scores, err = s.call.scores(ctx, s.remote, s.model, query, documents)
		return err
	})
	return scores, ofRequest(ctx, "rerank", s.model, err)
}
