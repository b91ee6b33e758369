// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/view"
)

// WeakSimilarity is the similarity of the best hit below which a search has probably failed. Over LoCoMo it
// holds for 5 % of the questions whose answer is among the first ten hits, and for 75 % of those about another conversation.
const WeakSimilarity = 0.25

// SuggestRequest asks for suggestions after a search that found little.
type SuggestRequest struct {
	Text    string `json:"text,omitempty" jsonschema:"the question"`
	Notes   int    `json:"notes,omitempty" jsonschema:"the maximum number of newest notes; 0 means none"`
	Excerpt int    `json:"excerpt,omitempty" jsonschema:"with how the own text of each note begins, at most so many characters; 0 means without"`
}

// Suggestions are known words and the newest notes.
type Suggestions struct {
	Words []Suggestion `json:"words" jsonschema:"words of the question that no note has"`
	Notes []Node       `json:"notes" jsonschema:"the newest notes by the calling agent, for the owner by anybody"`
}

// Suggestion is a word of a question that no note has, with known words similar to it.
type Suggestion = view.Suggestion

// suggest does not read the folder: the search before it did.
func suggest(ctx context.Context, l *Local, req SuggestRequest) (*Suggestions, error) {
	if err := checkList("suggest", req.Notes, req.Excerpt); err != nil {
		return nil, err
	}
	v, err := guardedView(ctx, l)
	if err != nil {
		return nil, err
	}
	release, err := l.limit.Acquire(ctx)
	if err != nil {
		return nil, fault.Wrap("suggest", "", fault.Other, err)
	}
	defer release()
	out := &Suggestions{Words: list(v.Suggest(req.Text)), Notes: []Node{}}
	if req.Notes > 0 {
		by := ""
		if a := author.ActorOf(ctx).Author; a.Kind == author.Agent {
			by = a.String() // as remember writes it
		}
		newest := v.Newest(by, req.Notes)
		out.Notes = listAll(v, newest)
		for i, n := range newest {
			out.Notes[i] = out.Notes[i].withText(n, false, req.Excerpt)
		}
	}
	return out, nil
}
