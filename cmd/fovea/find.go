// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
)

func searchCommand(s *session) *cobra.Command {
	var format string
	c := verbFor(s, &cobra.Command{
		Use: "search WORDS",
		Long: `Search prints the nodes that contain most of the words, best first. The number
is the score relative to the best one. Headings count more than text; --query
restricts the search. --format grep prints the line of each node with the most
words, for an editor to jump to.`,
		Example: `  fovea search battery life of the gauge
  fovea search rivets --query 'tags:project' --limit 3 --json
  fovea search rivets --format grep`,
		Args: args(1, -1, "words to search for"),
	}, api.OpSearch, func(req *api.SearchRequest, _ []string) error {
		req.Content = format != ""
		return checkFormat(s, format)
	}, func(req *api.SearchRequest, hits []api.Hit) {
		if format == "" {
			printHits(s.Out, hits)
		} else {
			printGrep(s, nodesOf(hits), sameWords(req.Text))
		}
		if len(hits) == 0 {
			s.Report("nothing was found")
		}
	})
	formatFlag(c, &format)
	return c
}

func nodesOf(hits []api.Hit) []api.Node {
	nodes := make([]api.Node, len(hits))
	for i, h := range hits {
		nodes[i] = h.Node
	}
	return nodes
}

func showCommand(s *session) *cobra.Command {
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
