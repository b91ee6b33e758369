// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/window"
)

func contextCommand(s *Session) *cobra.Command {
	var c *cobra.Command
	c = verbFor(s, &cobra.Command{
		Short: "Print the best context for a model within a token budget",
		Long: `Context chooses, for what is being worked on, which nodes a model should see and
how closely (title, snippet, full), within a token budget that is never
exceeded. QUESTION is what --question says. The text goes to standard output;
--explain adds to standard error the reason for every part, and why the best of
the rest are left out; --json gives both as one object. With --session, what the
session was shown before is left out, unless it has changed since.`,
		Example: `  fovea context --focus "Move the gauge firmware off LoRa" --budget 2000
  fovea context "what did the vet say about Pika?" --explain
  fovea context --focus projects/vidra.org:40 --policy foveal --json`,
		Use:  "context [QUESTION]",
		Args: Args(0, -1, "a question"),
	}, api.OpContext, func(req *api.ContextRequest, a []string) error {
		if len(a) > 0 && req.Question != "" {
			return Misusef("the words %q are a question, too; leave out --question", strings.Join(a, " "))
		}
		req.Question = cmp.Or(req.Question, strings.Join(a, " "))
		if c.Flags().Changed("budget") && req.Budget < 1 {
			return Misusef("--budget is 1 or more tokens, not %d", req.Budget)
		}
		return nil
	}, func(req *api.ContextRequest, w *api.ContextResponse) {
		if w.Unmatched {
			s.Report("no note has a word of the question; what follows is not about it")
		}
		s.Out.Text(w.Text)
		if d := w.Since; d != nil {
			s.Report("since the window before: %d new, %d changed, %d gone, %d as they were", len(d.New), len(d.Changed), len(d.Gone), d.Unchanged)
			for _, id := range d.Changed {
				s.Report("changed: %s", id)
			}
			for _, id := range d.Gone {
				s.Report("gone: %s", id)
			}
		}
		if req.Policy == window.PolicyFoveal && req.Focus+req.Question+req.Task == "" {
			s.Report("the policy foveal shows what is around a focus or a question; name one with --focus NODE or --question TEXT, or leave out --policy")
		}
		if req.Explain {
			explain(s.Err, w)
		}
	})
	OneOf(c, "policy", "value", "shares", "foveal")
	OneOf(c, "format", "org", "markdown", "json")
	OneOf(c, "layout", "tree", "sticky")
	OneOf(c, "counter", "o200k", "estimate")
	return c
}

// explain prints the parts of a window with their reasons.
func explain(out *Stream, w *api.ContextResponse) {
	fmt.Fprintln(out, out.Fold(fmt.Sprintf("\n%d of %d tokens (%s), %d parts, %d nodes left out, %.1f %% of the bound, policy %s",
		w.Tokens, w.Budget, w.Counter, len(w.Parts), w.Omitted, 100*w.Bound, w.Policy), 2))
	for _, p := range w.Parts {
		out.Row(Number(out, 7, p.Tokens), Column(p.Level.String(), 7), Column(p.Title, Rest),
			Text(place(p.Path, p.Line)+": "+p.Reason))
		if p.Problem != "" {
			out.Row(Column("problem", 16), Text(place(p.Path, p.Line)+": "+p.Problem))
		}
	}
	for _, o := range w.OmittedTop {
		out.Row(Column("left out", 16), Column(o.Why, 12), Text(place(o.Path, o.Line)))
	}
}

func windowsCommand(s *Session) *cobra.Command {
	return verbFor(s, &cobra.Command{
		Long: `Windows lists the windows that an agent was given, newest first: number, time,
tokens, and what was asked. With a number, it renders that window again from
history, byte for byte as it was given. What was purged since, is locked down,
or came from a file outside history that has changed, has […] in its place, and
standard error names it.`,
		Example: `  fovea windows --agent ada
  fovea windows 17 --agent ada`,
		Args: Args(0, 1, "at most the number of a window"),
	}, api.OpWindows, nil, func(req *api.WindowsRequest, all []api.RecordedWindow) {
		if req.ID == "" {
			printList(s, "no windows are recorded of this agent in this session", func(w *api.RecordedWindow) {
				s.Out.Row(Number(s.Out, 6, int(w.ID)), Text(moment(w.Time)), Number(s.Out, 7, w.Tokens),
					Text(cmp.Or(w.Question, w.Task, w.Focus, "(no question)")))
			})(all)
			return
		}
		for i := range all {
			s.Out.Text(all[i].Content)
			for _, m := range all[i].Missing {
				s.Report("%s: %s is missing: %s", m.Path, m.ID, m.Why)
			}
			if !all[i].Exact {
				s.Report("this is not, byte for byte, what was given")
			}
		}
	})
}
