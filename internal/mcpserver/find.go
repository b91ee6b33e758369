// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/meaning"
	"github.com/fovea-memory/fovea/internal/minds"
	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/window/render"
)

// maxBudget is the largest window that a client gets, in tokens.
const maxBudget = 1_000_000

func contextTool(ctx context.Context, svc api.Service, req api.ContextRequest, _ extra) (reply, error) {
	if req.Budget > maxBudget {
		return reply{}, misuse(fmt.Sprintf("budget is at most %d tokens", maxBudget))
	}
	w, err := api.OpContext.Call(ctx, svc, req)
	if err != nil {
		return reply{}, err
	}
	head := fmt.Sprintf("%d of %d tokens, %d notes, %d left out. The word before a title is the id of its note.\n", w.Tokens, w.Budget, len(w.Parts), w.Omitted)
	if w.Unmatched {
		head = "No note has a word of the question; what follows is not about it.\n" + head
	}
	return reply{text: head + changedSince(w.Since) + whole(render.WithoutNotice(w.Text))}, nil
}

// maxSince is how many ids a window names of what changed.
const maxSince = 20

// changedSince says what changed since the window before, "" if nobody asked.
func changedSince(d *minds.Since) string {
	if d == nil {
		return ""
	}
	var out strings.Builder
	fmt.Fprintf(&out, "Since your last window: %d new, %d changed, %d gone.\n", len(d.New), len(d.Changed), len(d.Gone))
	for _, list := range []struct {
		name string
		ids  []string
	}{{"Changed", d.Changed}, {"Gone", d.Gone}} {
		if len(list.ids) > 0 {
			fmt.Fprintf(&out, "%s: %q\n", list.name, list.ids[:min(maxSince, len(list.ids))])
		}
	}
	return out.String()
}

// Limits of a list as a model gets it; more would flood its window.
const (
	defaultHits  = 10
	maxHits      = 200
	excerptRunes = 160
)

// listed returns the limit of a list for one of a request, of which 0 means usual.
func listed(limit, usual int) (int, error) {
	if limit < 0 {
		return 0, misuse("limit is 0 or more")
	}
	return min(cmp.Or(limit, usual), maxHits), nil
}

func recallTool(ctx context.Context, svc api.Service, req api.SearchRequest, in extra) (reply, error) {
	var err error
	if req.Limit, err = listed(req.Limit, defaultHits); err != nil {
		return reply{}, err
	}
	if in.Mode != "query" && strings.TrimSpace(req.Text) == "" {
		return newestNotes(ctx, svc, req.Limit)
	}
	switch {
	case req.Blocks, slices.Contains([]string{"", meaning.Lexical, meaning.Semantic, meaning.Hybrid}, in.Mode):
		return searchTool(ctx, svc, req, in.Mode)
	case in.Mode != "query":
		return reply{}, misuse("mode is lexical or query")
	}
	nodes, err := api.OpQuery.Call(ctx, svc, api.QueryRequest{Query: req.Text, Limit: req.Limit + 1, Excerpt: excerptRunes})
	if err != nil {
		return reply{}, err
	}
	more := len(nodes) > req.Limit
	nodes = nodes[:min(req.Limit, len(nodes))]
	var b strings.Builder
	for i := range nodes {
		writeHit(&b, i, &nodes[i], "")
	}
	if len(nodes) == 0 && !strings.ContainsAny(req.Text, ":()") {
		return reply{text: "Nothing found: the query has no conditions, only words. Next: write conditions, such as todo:TODO deadline:to=+7, or use " +
			"mode lexical.\n"}, nil
	}
	return reply{text: found(len(nodes), more, "") + fenced(b.String())}, nil
}

// searchTool answers the modes that rank. A client that asked for vectors is told why there
// are none.
func searchTool(ctx context.Context, svc api.Service, req api.SearchRequest, mode string) (reply, error) {
	req.Excerpt, req.Match, req.Mode = excerptRunes, excerptRunes, mode
	note := ""
	hits, err := api.OpSearch.Call(ctx, api.WithWarn(svc, func(err error) {
		if said := err.Error(); strings.HasPrefix(said, meaning.ByWords(mode)) {
			note = " (" + text.Line(said) + ")"
		}
	}), req)
	if err != nil {
		return reply{}, err
	}
	var b strings.Builder
	for i := range hits {
		h := &hits[i]
		if h.Match != "" {
			h.Line, h.Excerpt = cmp.Or(h.MatchLine, h.Line), h.Match
		}
		writeHit(&b, i, &h.Node, strconv.FormatFloat(h.Similarity, 'f', 2, 64))
	}
	isWeak := len(hits) == 0 || hits[0].Similarity < api.WeakSimilarity
	if isWeak && len(hits) > 0 {
		note += ", none of them close"
	}
	if !req.Blocks {
		offer := api.SuggestRequest{Text: req.Text}
		if isWeak {
			offer.Notes = maxOffered
		}
		more, err := api.OpSuggest.Call(ctx, api.WithSync(svc, api.SyncNone), offer)
		if err != nil {
			return reply{}, err
		}
		writeSuggestions(&b, more)
	}
	return reply{text: found(len(hits), false, note) + fenced(b.String())}, nil
}

// maxOffered is how many of its own notes an agent is offered where a search finds little.
const maxOffered = 5

// newestNotes answers recall without a question.
func newestNotes(ctx context.Context, svc api.Service, limit int) (reply, error) {
	newest, err := api.OpSuggest.Call(ctx, svc, api.SuggestRequest{Notes: limit, Excerpt: excerptRunes})
	if err != nil {
		return reply{}, err
	}
	if len(newest.Notes) == 0 {
		return reply{text: "You have written no notes yet. Next: use words to find those of others, or remember one.\n"}, nil
	}
	var b strings.Builder
	for i := range newest.Notes {
		writeHit(&b, i, &newest.Notes[i], "")
	}
	return reply{text: fmt.Sprintf("No question, so here are your newest notes, %d of them.\n", len(newest.Notes)) + fenced(b.String())}, nil
}

// writeSuggestions writes what may help where a search finds little.
func writeSuggestions(b *strings.Builder, s *api.Suggestions) {
	for _, w := range s.Words {
		fmt.Fprintf(b, "No note has the word %s. Did you mean %s?\n", w.Word, strings.Join(w.Known, ", "))
	}
	if len(s.Notes) > 0 {
		b.WriteString("Your newest notes:\n")
	}
	for i := range s.Notes {
		fmt.Fprintf(b, "- %s  id %s\n", headline(&s.Notes[i]), s.Notes[i].Handle)
	}
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
	fmt.Fprintf(b, "   id %s  %s:%d", n.Handle, n.Path, n.Line)
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
