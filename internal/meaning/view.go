// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/vector"
	"github.com/fovea-memory/fovea/internal/view"
)

// Modes of a search.
const (
	Lexical  = "lexical"  // by words and what is known of the nodes
	Semantic = "semantic" // by vectors alone
	Hybrid   = "hybrid"   // by both
)

var (
	errNoEmbedder = errors.New("no embedder is set up; see fovea setup embed")
	errNoVectors  = errors.New("no node has a vector yet")
)

// askedTimeout is how long a request that asks for vectors waits for the embedder.
const askedTimeout = 5 * time.Second

// Request is what nodes are ranked for.
type Request struct {
	Mode     string             // one of the modes, "" for Hybrid where the embedder answers in time
	Text     string             // "" for what resembles the focus
	Timeout  time.Duration      // of the embedder, if no mode is asked for; see Vectors.Question
	Fill     bool               // if a mode is asked for, make the missing vectors first
	Progress func(done, of int) // of that
	Warn     func(error)        // told why a mode that was asked for cannot be served; may be nil
}

// View returns a view that ranks for a request by vectors too, or by nothing else. x may be
// nil. Where the mode cannot be served, the view ranks by words. Errors: Invalid for a mode
// that there is not.
func View(ctx context.Context, x *Vectors, v *view.View, req Request) (*view.View, error) {
	timeout := req.Timeout
	switch req.Mode {
	case "":
	case Lexical:
		return v, nil
	case Semantic, Hybrid:
		timeout = askedTimeout
	default:
		err := fmt.Errorf("there is no mode %q; use %s, %s or %s", req.Mode, Lexical, Semantic, Hybrid)
		return nil, fault.Wrap("search", "", fault.Invalid, err)
	}
	by, err := v, errNoEmbedder
	if x != nil {
		by, err = x.rank(ctx, v, req, timeout)
	}
	if err == nil {
		return by, nil
	}
	if req.Mode != "" && req.Warn != nil {
		req.Warn(fmt.Errorf("%s: %w", ByWords(req.Mode), err))
	}
	return v, nil
}

// ByWords begins the warning that a mode is answered by words.
func ByWords(mode string) string { return "mode " + mode + " is answered by words" }

// rank returns a view that ranks for a request.
func (x *Vectors) rank(ctx context.Context, v *view.View, req Request, timeout time.Duration) (_ *view.View, err error) {
	if req.Fill && req.Mode != "" {
		if err := x.Fill(ctx, req.Progress); err != nil {
			return nil, err
		}
	}
	var q *vector.Query
	if req.Text != "" {
		if q, err = x.Question(ctx, req.Text, timeout); err != nil {
			return nil, err
		}
	}
	m, ok := x.Ranker(q)
	if !ok {
		return nil, errNoVectors
	}
	switch {
	case req.Mode == Semantic:
		m.Only = true
	case x.connected().Model().Lexical:
		return v, nil // it would count words twice; see the decision record on meaning
	}
	return v.ByMeaning(m, req.Mode == Semantic), nil
}
