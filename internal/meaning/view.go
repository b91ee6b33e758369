// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/recall"
	"github.com/fovea-memory/fovea/internal/vector"
	"github.com/fovea-memory/fovea/internal/view"
)

// Modes of a search.
const (
	Lexical  = "lexical"  // by words and metadata
	Semantic = "semantic" // only by vectors
	Hybrid   = "hybrid"   // by both
)

var (
	errNoEmbedder = errors.New("no embedder is set up; see fovea setup embed")
	errNoVectors  = errors.New("no node has a vector yet")
)

// askedTimeout is how long a request with a mode that needs vectors waits for the embedder.
const askedTimeout = 5 * time.Second

// Request is what nodes are ranked for.
type Request struct {
	Mode     string             // one of the modes, "" for Hybrid if the embedder answers in time
	Text     string             // "" for nodes that resemble the focus
	Focus    bool               // there is one
	Timeout  time.Duration      // of the embedder, if no mode is asked for; see Vectors.Question
	Fill     bool               // if a mode is asked for, make the missing vectors first
	Progress func(done, of int) // of that
	Warn     func(error)        // called with the reason if vectors are missing or not compared; may be nil
}

// View returns a view that ranks for a request by vectors too, or only by vectors. x may be
// nil. If vectors cannot be compared, the view ranks by words. Errors: Invalid for an unknown
// mode.
func View(ctx context.Context, x *Vectors, v *view.View, req Request) (*view.View, error) {
	timeout := req.Timeout
	switch req.Mode {
	case "":
		if x == nil || req.Text == "" && !req.Focus {
			return v, nil
		}
		if x.pace.Load() > int64(timeout) { // an embedder that was slower last time is not waited for
			timeout = 0
		}
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
	switch {
	case err == nil:
		return by, nil
	case req.Warn == nil:
	case req.Mode != "":
		req.Warn(fmt.Errorf("%s: %w", ByWords(req.Mode), err))
	default:
		req.Warn(fmt.Errorf("ranked without the arm %s: %w", recall.ArmMeaning, err))
	}
	return v, nil
}

// ByWords is the beginning of the warning that a mode is answered by words.
func ByWords(mode string) string { return "mode " + mode + " is answered by words" }

// rank returns a view that ranks for a request.
func (x *Vectors) rank(ctx context.Context, v *view.View, req Request, timeout time.Duration) (_ *view.View, err error) {
	if req.Fill && req.Mode != "" {
		if err := x.Fill(ctx, req.Progress); err != nil {
			return nil, err
		}
	}
	if e := x.connected(); e != nil && req.Mode == "" && e.store.View().Len() == 0 && e.waiting(v.State, x.wanted) == 0 {
		return v, nil // it may see nothing, and so no question
	}
	var q *vector.Query
	if req.Text != "" {
		if q, err = x.Question(ctx, req.Text, timeout); err != nil {
			return nil, err
		}
	}
	e := x.reach(ctx, timeout)
	if e == nil {
		return nil, cmp.Or(x.Status().Fault, errNoVectors)
	}
	if e.Model().Lexical && req.Mode != Semantic {
		return v, nil // it would count words twice; see the decision record on meaning
	}
	waiting, away, set := 0, e != x.connected(), e.store.View()
	if !away {
		waiting = e.waiting(v.State, x.wanted)
	}
	var lacks error
	switch {
	case set.Len() == 0 && waiting == 0 && req.Mode == "": // it may see nothing
		return v, nil
	case set.Len() == 0, away && q != nil: // the model of the question has gone
		return nil, errNoVectors
	case waiting > 0:
		lacks = fmt.Errorf("does not know all notes: %d have no vector", waiting)
	case away:
		lacks = fmt.Errorf("compares the vectors that are kept: %w", cmp.Or(x.Status().Fault, errLate))
	}
	if lacks != nil && req.Warn != nil {
		req.Warn(fmt.Errorf("the arm %s %w", recall.ArmMeaning, lacks))
	}
	m := recall.Meaning{Set: set, Query: q, Trust: x.trust(e), Only: req.Mode == Semantic}
	return v.ByMeaning(m, m.Only), nil
}
