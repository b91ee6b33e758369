// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/agents"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/scope"
)

// maxPrinted is how many commits of a session are printed, the newest ones.
const maxPrinted = 12

// withNews adds to the verb log what agents wrote since the owner looked.
func withNews(s *Session, c *cobra.Command) *cobra.Command {
	var news struct {
		Since bool `flag:"--since-last what agents wrote since you last asked so"`
		Seen  bool `flag:"--seen with --since-last --json: it counts as seen"`
	}
	AddFlags(c.Flags(), &news)
	run := c.RunE
	c.RunE = func(c *cobra.Command, a []string) error {
		switch {
		case !news.Since && news.Seen:
			return Misusef("--seen goes with --since-last")
		case !news.Since:
			return run(c, a)
		case len(a) > 0, c.Flags().Changed("limit"):
			return Misusef("--since-last is about all that agents wrote; leave out NODE and --limit")
		}
		return showNews(s, c, news.Seen || !s.JSON)
	}
	return c
}

// showNews prints what agents wrote, and then notes that the owner has seen it.
func showNews(s *Session, c *cobra.Command, seen bool) error {
	news, err := Call(s, c, agents.OpNews, api.None{})
	if err == nil {
		err = s.Answer(news, func() { printNews(s, news) })
	}
	if err == nil {
		err = s.Out.Err() // what was not printed is not seen
	}
	if err == nil && seen {
		_, err = Call(s, c, agents.OpNewsSeen, agents.NewsSeenRequest{UpTo: news.UpTo})
	}
	return err
}

func printNews(s *Session, news *agents.News) {
	when := "so far"
	if !news.Since.IsZero() {
		when = "since " + moment(news.Since)
	}
	for i := range news.Sessions {
		of := &news.Sessions[i]
		s.Out.Row(Column(heading(of), Rest))
		if older := len(of.Commits) - maxPrinted; older > 0 {
			s.Out.Row(Text("  " + scope.Count(older, "older commit") + "; fovea log has all"))
		}
		for _, k := range of.Commits[max(0, len(of.Commits)-maxPrinted):] {
			s.Out.Row(Number(s.Out, 7, k.Seq), Text(moment(k.Time)), Column(k.Kind, 8),
				Column(fmt.Sprintf("%s (%d)", k.Message, k.Changes), Rest))
		}
	}
	for _, w := range news.Waiting {
		s.Out.Row(Text(fmt.Sprintf("%s since %s; fovea review list", scope.Count(w.Proposals, "proposal"), moment(w.Oldest))),
			Column(w.Agent, Rest))
	}
	if news.Earlier > 0 {
		s.Report("%d older commits were not looked at; fovea log has all", news.Earlier)
	}
	if len(news.Sessions) == 0 {
		s.Report("no agent wrote anything %s", when)
	}
}

// heading says whose commits follow.
func heading(of *agents.SessionNews) string {
	text := of.Agent
	if of.Session != "" {
		text += ", session " + of.Session
	}
	if project, ok := strings.CutPrefix(of.Scope, author.ProjectPrefix); ok {
		text += ", in project " + project
	}
	return text + ": " + scope.Count(len(of.Commits), "commit")
}
