// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/fovea-memory/fovea/token"
)

const (
	maxDim         = 8192
	maxBatch       = 32   // texts of a request
	maxBatchTokens = 8192 // tokens of a request, by the estimate
	maxHalvings    = 4    // of a part that is refused
	defaultTokens  = 480  // of a part, if the server names no limit
	maxPartTokens  = 2000 // of a part, even if the server allows more
	checkInterval  = time.Minute
	sameModel      = 0.99 // the least cosine of two vectors of one text by one model
)

// The texts of the probe. The first is sent again to see that the model is the same.
var probeTexts = []string{"Fovea asks whether this server works.", "A second and quite different sentence: the red dog sleeps below a tree."}

// server embeds through a server.
type server struct {
	remote *remote
	shape  shape
	config Config
	about  about
	model  Model
	limit  int                    // tokens of a part
	probed atomic.Pointer[probed] // nil: not probed in this run, because an earlier run did

	turns *turns
}

// probed is the result of a probe.
type probed struct {
	answering string // the name that the server gives itself, or ""
	counts    bool   // the server counts the tokens that it read
	sentinel  []float32
	checked   time.Time // when the model was last found to be the same
}

// Model returns the model that the probe found.
func (s *server) Model() Model { return s.model }

// Embed splits the texts, sends the parts in batches, and pools their vectors.
func (s *server) Embed(ctx context.Context, p Purpose, texts []string) ([]Result, error) {
	results, err := s.embed(ctx, p, texts)
	return results, ofRequest(ctx, "embed", s.model.Name, wrong(err))
}

func (s *server) embed(ctx context.Context, p Purpose, texts []string) ([]Result, error) {
	if err := s.check(ctx, p); err != nil {
		return nil, err
	}
	b := &batcher{server: s, purpose: p}
	results, parts := make([]Result, len(texts)), make([][]*part, len(texts))
	var all []*part
	for i, text := range texts {
		if strings.TrimSpace(text) == "" {
			results[i].Err = ErrEmpty
			continue
		}
		pieces, truncated := split(text, s.limit)
		for _, piece := range pieces {
			parts[i] = append(parts[i], &part{text: piece, truncated: truncated})
		}
		all = append(all, parts[i]...)
	}
	for len(all) > 0 {
		n := batchOf(all)
		if err := b.send(ctx, all[:n], 0); err != nil {
			return nil, err
		}
		all = all[n:]
	}
	for i := range results {
		if parts[i] != nil {
			results[i] = pool(parts[i])
		}
	}
	return results, nil
}

// batchOf returns how many of the parts go into the next request.
func batchOf(parts []*part) int {
	tokens := 0
	for i, p := range parts[:min(len(parts), maxBatch)] {
		if tokens += token.Estimate().Count(p.text); tokens > maxBatchTokens && i > 0 {
			return i
		}
	}
	return min(len(parts), maxBatch)
}

// ask sends one request and checks the answer as a whole, but not its vectors.
func (s *server) ask(ctx context.Context, p Purpose, texts []string) (answer, error) {
	done, err := s.turns.take(ctx, p)
	if err != nil {
		return answer{}, err
	}
	defer done()
	prefix := s.config.DocumentPrefix
	if p == Query {
		prefix = s.config.QueryPrefix
	}
	prefixed := make([]string, len(texts))
	for i, text := range texts {
		prefixed[i] = prefix + text
	}
	var got answer
	err = s.remote.guard(ctx, func() (err error) {
		got, err = s.shape.embed.vectors(ctx, s.remote, s.about.name, prefixed)
		return err
	})
	if err != nil {
		return answer{}, err
	}
	if found := s.probed.Load(); found != nil && found.answering != "" && got.model != found.answering {
		return answer{}, fmt.Errorf("%q answers instead of %q: %w", s.remote.quote([]byte(got.model)), found.answering, ErrModelChanged)
	}
	return got, nil
}

// check verifies that the model is still the one that was opened, before documents at most
// once a minute, and after failures. It probes a server that was not probed in this run.
func (s *server) check(ctx context.Context, p Purpose) error {
	now, found := s.remote.now(), s.probed.Load()
	switch {
	case !s.remote.breaker.broken() && (p != Document || found != nil && now.Sub(found.checked) < checkInterval):
		return nil
	case found == nil:
		return s.probeAll(ctx)
	}
	got, err := s.ask(ctx, Document, probeTexts[:1])
	if err != nil {
		return err
	}
	a, err := s.shape.describe(ctx, s.remote, s.about.name)
	if err != nil {
		return err
	}
	vector, err := s.accept(got.vectors[0])
	if err != nil {
		return err
	}
	if !alike(vector, found.sentinel) || a.digest != s.about.digest {
		return ErrModelChanged
	}
	same := *found
	same.checked = now
	s.probed.Store(&same)
	return nil
}

// accept checks one vector, cuts it as configured, and scales it. Errors: ErrVector, which
// concerns only this vector, and ErrDimension.
func (s *server) accept(v []float32) ([]float32, error) {
	if len(v) == 0 {
		return nil, ErrVector
	}
	if cut := s.config.Dimensions; cut > 0 && cut < len(v) {
		v = v[:cut:cut]
	}
	if s.model.Dim != 0 && len(v) != s.model.Dim {
		return nil, fmt.Errorf("%d numbers, and %d before: %w", len(v), s.model.Dim, ErrDimension)
	}
	return v, unit(v)
}

// open probes a server, unless an earlier run found that its model works.
func (s *server) open(ctx context.Context) (Embedder, error) {
	c := s.config
	s.limit = cmp.Or(min(s.about.maxTokens*3/4, maxPartTokens), defaultTokens)
	longest := max(token.Estimate().Count(c.QueryPrefix), token.Estimate().Count(c.DocumentPrefix))
	if s.limit -= longest; s.limit < minHalf {
		return nil, fmt.Errorf("%w: the prefixes are longer than the texts that the model reads", ErrConfig)
	}
	for _, m := range c.Known {
		if s.model = s.modelOf(m.Dim); s.model.Fingerprint == m.Fingerprint {
			return s, nil
		}
	}
	s.model = Model{}
	if err := s.probeAll(ctx); err != nil {
		return nil, err
	}
	s.model = s.modelOf(len(s.probed.Load().sentinel))
	return s, nil
}

// modelOf returns the model of the server for vectors of length dim.
func (s *server) modelOf(dim int) Model {
	c := s.config
	return Model{
		Name: s.about.name, Kind: c.Kind, Dim: dim, Remote: !s.remote.local(),
		Fingerprint: fingerprint("server", "1", c.Kind, s.about.name, s.about.digest, fmt.Sprint(dim), c.QueryPrefix, c.DocumentPrefix, fmt.Sprint(s.limit)),
	}
}

// probeAll probes the server: two texts, then both in the other order.
func (s *server) probeAll(ctx context.Context) error {
	first, got, err := s.probe(ctx, probeTexts[0], probeTexts[1])
	if err != nil {
		return err
	}
	second, _, err := s.probe(ctx, probeTexts[1], probeTexts[0])
	if err != nil {
		return err
	}
	if !alike(first[0], second[1]) || !alike(first[1], second[0]) || alike(first[0], first[1]) {
		return fmt.Errorf("the vectors are not in the order of the texts, or all equal: %w", ErrProtocol)
	}
	s.probed.Store(&probed{got.model, got.tokens >= words(probeTexts...), first[0], s.remote.now()})
	return nil
}

// probe embeds two texts as documents.
func (s *server) probe(ctx context.Context, texts ...string) ([][]float32, answer, error) {
	got, err := s.ask(ctx, Document, texts)
	if err != nil {
		return nil, got, err
	}
	for i := range got.vectors {
		if got.vectors[i], err = s.accept(got.vectors[i]); err != nil {
			return nil, got, err
		}
		if n := len(got.vectors[i]); n > maxDim || n != len(got.vectors[0]) {
			return nil, got, fmt.Errorf("a vector of %d numbers; at most %d, and all the same: %w", n, maxDim, ErrProtocol)
		}
	}
	return got.vectors, got, nil
}

func alike(a, b []float32) bool {
	cosine, err := Cosine(a, b)
	return err == nil && cosine >= sameModel
}

// words is the minimum number of tokens that any model reads in texts.
func words(texts ...string) int {
	n := 0
	for _, text := range texts {
		n += len(strings.Fields(text))
	}
	return n
}
