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
	c := &cobra.Command{
		Use:   "search WORDS",
		Short: "Rank nodes by words",
		Long: `Search prints the nodes that say most of the words, best first. The number is
the score as a share of the best one. Headings count more than text; --query
narrows what is looked at.`,
		Example: `  fovea search battery life of the gauge
  fovea search rivets --query 'tags:project' --limit 3 --json`,
		Args: args(1, -1, "words to search for"),
		RunE: func(c *cobra.Command, a []string) error {
			req.Text = strings.Join(a, " ")
			return ask(s, c, api.Service.Search, req, func(hits []api.Hit) {
				printHits(s.out, hits)
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
	return c
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
			return ask(s, c, api.Service.Show, req, func(n *api.Shown) {
				printShown(s.out, n)
			})
		},
	}
	c.Flags().StringVar(&req.At, "at", "", atUsage+", or a digest of the node")
	return c
}
