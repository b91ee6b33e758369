// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
)

// atUsage is the flag of verbs that read as of a moment.
const atUsage = "as it was at this `MOMENT`: snapshot, seq:N, commit or date"

func searchCommand(s *session) *cobra.Command {
	var req api.SearchRequest
	var format string
	c := &cobra.Command{
		Use:   "search WORDS",
		Short: "Rank nodes by words",
		Long: `Search prints the nodes that say most of the words, best first. The number is
the score as a share of the best one. Headings count more than text; --query
narrows what is looked at. --format grep prints the line of each that has most
of the words, for an editor to jump to.`,
		Example: `  fovea search battery life of the gauge
  fovea search rivets --query 'tags:project' --limit 3 --json
  fovea search rivets --format grep`,
		Args: args(1, -1, "words to search for"),
		RunE: func(c *cobra.Command, a []string) error {
			req.Text, req.Content = strings.Join(a, " "), format != ""
			if err := s.checkFormat(format); err != nil {
				return err
			}
			return ask(s, c, api.OpSearch, req, func(hits []api.Hit) {
				if format == "" {
					printHits(s.out, hits)
				} else {
					s.printGrep(nodesOf(hits), sameWords(req.Text))
				}
				if len(hits) == 0 {
					s.say("nothing was found")
				}
			})
		},
	}
	f := c.Flags()
	f.StringVar(&req.At, "at", "", atUsage)
	f.IntVar(&req.Limit, "limit", 0, "at most `N` hits (default 10)")
	f.Float64Var(&req.MinSimilarity, "min-similarity", 0, "leave out hits below this `SHARE` of the best score (0 to 1)")
	f.StringVar(&req.Query, "query", "", "only nodes that match this `QUERY`")
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
	var req api.ShowRequest
	c := &cobra.Command{
		Use:   "show NODE",
		Short: "Print one node, now or as it was",
		Long: `Show prints what is known of one node, and its own text. NODE is an id or the
beginning of one, a title, a path, FILE:LINE, or FILE:+BYTE.`,
		Example: `  fovea show "Pika at the vet"
  fovea show projects/kaplja.org:12 --json
  fovea show "Pika at the vet" --at 2026-11-01`,
		Args: oneNode,
		RunE: func(c *cobra.Command, a []string) error {
			req.ID = a[0]
			return ask(s, c, api.OpShow, req, func(n *api.Shown) {
				printShown(s.out, n)
			})
		},
	}
	c.Flags().StringVar(&req.At, "at", "", atUsage+", or a digest of the node")
	return c
}
