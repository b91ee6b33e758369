// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fovea-memory/fovea/embed"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/query"
)

// Defaults and limits of a reranker.
const (
	rerankTimeout = 150 * time.Millisecond
	maxReranked   = 30
	maxDocument   = 2000             // bytes of a text that is sent
	reconnect     = 30 * time.Second // after a failure
	connecting    = 10 * time.Second // at most
)

var errConnecting = errors.New("the reranker has not answered yet")

// Reranker orders the best hits of a search by how well they answer the question according to
// a model. It is safe for concurrent use.
type Reranker struct {
	opts embed.Reranking
	now  func() time.Time

	mu    sync.Mutex
	last  *later[embed.Reranker] // the last attempt to connect, nil before the first
	retry time.Time              // when to connect again after it failed
}

// NewReranker returns a reranker that connects when it is first asked.
func NewReranker(opts embed.Reranking, now func() time.Time) *Reranker {
	opts.Timeout = cmp.Or(opts.Timeout, rerankTimeout)
	return &Reranker{opts: opts, now: now}
}

// Query is what to search for; see view.View.Search.
type Query struct {
	Mode          string // one of the modes; Lexical is not reranked
	Text          string
	Limit         int     // 0 means 10
	MinSimilarity float64 // that hits have at least
	Keep          query.Expr
	Now           time.Time
	Warn          func(error) // called with the reason if the reranker did not order the hits; may be nil
}

// Found is the result of a search.
type Found struct {
	Hits []view.Hit
	// Reranked is true if a reranker ordered the hits that it may see, false if it was late or
	// failed, and nil if none was asked. Scores are its scores by node id.
	Reranked *bool
	Scores   map[string]float64
}

// Explain returns the scores of a hit by arm, and that of the reranker.
func (f *Found) Explain(h view.Hit) map[string]float64 {
	scores := map[string]float64{}
	for _, c := range h.Arms {
		scores[c.Arm] = c.Score
	}
	if score, ok := f.Scores[h.ID]; ok {
		scores["rerank"] = score
	}
	return scores
}

// Search finds nodes and asks the reranker to order the first 30. r may be nil. If the
// reranker is late, refuses or fails, the order is that of the view. Errors: Invalid.
func (r *Reranker) Search(ctx context.Context, v *view.View, q Query) (Found, error) {
	limit, isReranked := cmp.Or(q.Limit, 10), r != nil && q.Mode != Lexical
	asked := limit
	if isReranked {
		asked = max(limit, maxReranked)
	}
	hits, err := v.Search(q.Text, asked, q.Keep, q.Now)
	if err != nil {
		return Found{}, err
	}
	found := Found{Hits: slices.DeleteFunc(hits, func(h view.Hit) bool { return h.Similarity < q.MinSimilarity })}
	if isReranked {
		found.Scores, err = r.order(ctx, v, q.Text, found.Hits[:min(len(found.Hits), maxReranked)])
		found.Reranked = new(err == nil)
		if err != nil && q.Warn != nil {
			q.Warn(fmt.Errorf("the hits are not reranked: %w", err))
		}
	}
	found.Hits = found.Hits[:min(len(found.Hits), limit)]
	return found, nil
}

// order puts hits in the order of the reranker. A hit that it may not see keeps its place.
func (r *Reranker) order(ctx context.Context, v *view.View, question string, hits []view.Hit) (map[string]float64, error) {
	ctx, stop := context.WithTimeout(ctx, r.opts.Timeout)
	defer stop()
	server, err := r.connected(ctx)
	if err != nil {
		return nil, err
	}
	var places []int
	var texts []string
	for i, h := range hits {
		if MayLeave(v.State, h.Node, r.opts.All || !server.Remote()) {
			text := Text(h.Node)
			places, texts = append(places, i), append(texts, strings.ToValidUTF8(text[:min(len(text), maxDocument)], ""))
		}
	}
	if len(places) < 2 {
		return nil, nil
	}
	scores, err := server.Rerank(ctx, question, texts)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("the reranker took longer than %s", r.opts.Timeout)
	}
	if err != nil {
		return nil, err
	}
	by := make(map[string]float64, len(scores))
	sent := make([]view.Hit, len(places))
	for i, place := range places {
		sent[i] = hits[place]
		by[sent[i].ID] = scores[i]
	}
	slices.SortStableFunc(sent, func(a, b view.Hit) int { return cmp.Compare(by[b.ID], by[a.ID]) })
	for i, place := range places {
		hits[place] = sent[i]
	}
	return by, nil
}

// connected returns the server. It connects in the background and waits for that as long as
// ctx allows.
func (r *Reranker) connected(ctx context.Context) (embed.Reranker, error) {
	r.mu.Lock()
	if r.last == nil || r.last.isDone() && r.last.err != nil && !r.now().Before(r.retry) {
		r.last = newLater[embed.Reranker]()
		go r.connect(r.last)
	}
	last := r.last
	r.mu.Unlock()
	if last.isDone() {
		return last.value, last.err
	}
	select {
	case <-last.done:
		return last.value, last.err
	case <-ctx.Done():
		return nil, errConnecting
	}
}

func (r *Reranker) connect(l *later[embed.Reranker]) {
	ctx, stop := context.WithTimeout(context.Background(), connecting)
	defer stop()
	l.value, l.err = r.opts.Connect(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.retry = r.now().Add(reconnect)
	close(l.done)
}
