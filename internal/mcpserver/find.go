// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/fovea-memory/fovea/api"
)

type contextInput struct {
	Focus    string `json:"focus,omitempty" jsonschema:"id, title, path or FILE:LINE it is about"`
	Question string `json:"question,omitempty"`
	Task     string `json:"task,omitempty"`
	Budget   int    `json:"budget,omitempty" jsonschema:"tokens, default 8000"`
}

// maxBudget is the largest window that a client gets, in tokens.
const maxBudget = 1_000_000

func contextTool(ctx context.Context, svc api.Service, in contextInput) (reply, error) {
	if in.Budget > maxBudget {
		return reply{}, misuse(fmt.Sprintf("budget is at most %d tokens", maxBudget))
	}
	w, err := api.OpContext.Call(ctx, svc, api.ContextRequest{Focus: in.Focus, Question: in.Question, Task: in.Task, Budget: in.Budget})
	if err != nil {
		return reply{}, err
	}
	return reply{text: fmt.Sprintf("%d of %d tokens, %d notes, %d left out.\n%s", w.Tokens, w.Budget, len(w.Parts), w.Omitted, whole(w.Text))}, nil
}

type recallInput struct {
	Query         string  `json:"query"`
	Mode          string  `json:"mode,omitempty" jsonschema:"lexical (default) or query"`
	Limit         int     `json:"limit,omitempty" jsonschema:"default 10"`
	MinSimilarity float64 `json:"min_similarity,omitempty" jsonschema:"0 to 1"`
}

// Limits of a list as a model gets it; more would flood its window.
const (
	defaultHits  = 10
	maxHits      = 200
	excerptRunes = 160
)

func recallTool(ctx context.Context, svc api.Service, in recallInput) (reply, error) {
	if in.Limit < 0 {
		return reply{}, misuse("limit is 0 or more")
	}
	limit := min(in.Limit, maxHits)
	if limit == 0 {
		limit = defaultHits
	}
	if in.Mode != "query" && strings.TrimSpace(in.Query) == "" {
		return reply{}, advice{misuse("query is empty"), "use words from the note, or call history with action log, which shows what was written last"}
	}
	switch in.Mode {
	case "", "lexical", "semantic", "hybrid", "query":
	default:
		return reply{}, misuse("mode is lexical or query")
	}
	if in.Mode == "query" {
		nodes, err := api.OpQuery.Call(ctx, svc, api.QueryRequest{Query: in.Query, Limit: limit + 1, Excerpt: excerptRunes})
		if err != nil {
			return reply{}, err
		}
		more := len(nodes) > limit
		nodes = nodes[:min(limit, len(nodes))]
		var b strings.Builder
		for i := range nodes {
			writeHit(&b, i, &nodes[i], "")
		}
		if len(nodes) == 0 && !strings.ContainsAny(in.Query, ":()") {
			return reply{text: "Nothing found: the query has no conditions, only words. Next: write conditions, such as todo:TODO deadline:to=+7, or use " +
				"mode lexical.\n"}, nil
		}
		return reply{text: found(len(nodes), more, "") + fenced(b.String())}, nil
	}
	return searchTool(ctx, svc, api.SearchRequest{Text: in.Query, Limit: limit, MinSimilarity: in.MinSimilarity}, in.Mode)
}

// searchTool answers the modes that rank by words. There are no vectors yet, and a
// client that asked for them is told.
func searchTool(ctx context.Context, svc api.Service, req api.SearchRequest, mode string) (reply, error) {
	note := ""
	if mode == "semantic" || mode == "hybrid" {
		note = " (no embedder is set up: mode " + mode + " answered lexically)"
	}
	req.Excerpt = excerptRunes
	hits, err := api.OpSearch.Call(ctx, svc, req)
	if err != nil {
		return reply{}, err
	}
	var b strings.Builder
	for i := range hits {
		writeHit(&b, i, &hits[i].Node, strconv.FormatFloat(hits[i].Similarity, 'f', 2, 64))
	}
	return reply{text: found(len(hits), false, note) + fenced(b.String())}, nil
}

func found(count int, more bool, note string) string {
	switch {
	case count == 0:
		return "Nothing found" + note + ". Try other or fewer words.\n"
	case more:
		return fmt.Sprintf("Found more than %d, the first ones%s:\n", count, note)
	}
	return fmt.Sprintf("Found %d%s.\n", count, note)
}

// writeHit writes one found note: title, where it is, how its text begins.
func writeHit(b *strings.Builder, i int, n *api.Node, similarity string) {
	fmt.Fprintf(b, "%d. %s\n", i+1, headline(n))
	fmt.Fprintf(b, "   id %s  %s:%d", n.ID, n.Path, n.Line)
	if similarity != "" {
		b.WriteString("  similarity " + similarity)
	}
	b.WriteByte('\n')
	if n.Excerpt != "" {
		b.WriteString("   " + n.Excerpt + "\n")
	}
}

// headline is a note's title as Org shows it, on one line.
func headline(n *api.Node) string {
	out := strings.Join(strings.Fields(n.Label()), " ")
	if n.Todo != "" {
		out = n.Todo + " " + out
	}
	if len(n.Tags) > 0 {
		out += " :" + strings.Join(n.Tags, ":") + ":"
	}
	return out
}
