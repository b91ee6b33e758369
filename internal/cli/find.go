// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
)

// matchCharacters is the maximum length of the line of a hit, more than a terminal shows.
const matchCharacters = 240

func searchCommand(s *Session) *cobra.Command {
	var format string
	var c *cobra.Command
	c = verbFor(s, &cobra.Command{
		Use: "search WORDS",
		Long: `Search prints the nodes that answer most of the question, best first. The number
is how much of it a node answers, 0 to 1. Headings count more than text; --query
restricts the search; --explain says what each arm of the score gave. Below
each node is the line of its text with the most of the words, and the place is
that line's. --format grep prints lines for an editor to jump to. For words that
no node has, similar ones are offered. --blocks searches the files of the
agent's blocks instead, by chunk; fovea show and block add take the id of such
a hit.`,
		Example: `  fovea search battery life of the gauge
  fovea search rivets --query 'tags:project' --limit 3 --json
  fovea search rivets --format grep
  fovea search refresh the token --blocks --agent ada`,
		Args: Args(1, -1, "words to search for"),
	}, api.OpSearch, func(req *api.SearchRequest, _ []string) error {
		if strings.TrimSpace(req.Text) == "" {
			return Misusef("search wants words to search for; fovea query lists notes without any")
		}
		req.Content = format != ""
		if format == "" {
			req.Match = matchCharacters
		}
		return checkFormat(s, format)
	}, func(req *api.SearchRequest, hits []api.Hit) {
		if format == "" {
			printHits(s.Out, hits)
		} else {
			printGrep(s, nodesOf(hits), sameWords(req.Text))
		}
		switch {
		case len(hits) == 0:
			s.Report("nothing was found")
		case hits[0].Similarity < api.WeakSimilarity:
			s.Report("no node has much of the question")
		}
		if req.At == "" && !req.Blocks {
			reportSuggestions(s, c, req.Text)
		}
	})
	formatFlag(c, &format)
	return c
}

// reportSuggestions offers known words for those of a question that no node has.
func reportSuggestions(s *Session, c *cobra.Command, question string) {
	found, err := Call(s, c, api.OpSuggest, api.SuggestRequest{Text: question})
	if err != nil {
		return // the answer is there; an older daemon has no suggestions
	}
	for _, w := range found.Words {
		s.Report("no node has the word %q; did you mean %s?", w.Word, strings.Join(w.Known, ", "))
	}
}

// printHits prints each hit with its best line, if it has one: at a terminal below it, in a
// pipe in two more columns.
func printHits(out *Stream, hits []api.Hit) {
	for _, h := range hits {
		similarity := fmt.Sprintf("%.2f", h.Similarity)
		n := h.Node
		if out.IsTerminal() && h.MatchLine > 0 {
			n.Line = h.MatchLine
		}
		cells := append([]Cell{{Text: similarity}}, nodeCells(out, n)...)
		if h.Match != "" && !out.IsTerminal() {
			cells = append(cells, Text(place(h.Path, h.MatchLine)), Text(h.Match))
		}
		out.Row(cells...)
		if h.Match != "" && out.IsTerminal() {
			out.Row(Column("", len(similarity)), Column(h.Match, Rest))
		}
		if len(h.Scores) > 0 {
			out.Row(Column("", len(similarity)), Text(explained(h)))
		}
	}
}

// explained says what each arm gave a hit, the greatest first.
func explained(h api.Hit) string {
	arms := slices.SortedFunc(maps.Keys(h.Scores), func(a, b string) int { return cmp.Or(cmp.Compare(h.Scores[b], h.Scores[a]), cmp.Compare(a, b)) })
	said := make([]string, len(arms))
	for i, arm := range arms {
		said[i] = fmt.Sprintf("%s %.2f", arm, h.Scores[arm])
	}
	text := fmt.Sprintf("score %.2f: %s; cosine %.2f", h.Score, strings.Join(said, ", "), h.Cosine)
	if h.Reranked != nil && !*h.Reranked {
		text += "; not reranked"
	}
	return text
}

func nodesOf(hits []api.Hit) []api.Node {
	nodes := make([]api.Node, len(hits))
	for i, h := range hits {
		nodes[i] = h.Node
	}
	return nodes
}

func showCommand(s *Session) *cobra.Command {
	return verb(s, &cobra.Command{
		Short: "Print one node, now or as it was",
		Long: `Show prints the properties of one node, and its own text. NODE is an id or the
beginning of one, a title, a path, FILE:LINE, or FILE:+BYTE.`,
		Example: `  fovea show "Pika at the vet"
  fovea show projects/kaplja.org:12 --json
  fovea show "Pika at the vet" --at 2026-11-01`,
		Args: oneNode,
	}, api.OpShow, nil, printer(s.Out, printShown))
}
