// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/window"
)

func contextCommand(s *session) *cobra.Command {
	var req api.ContextRequest
	c := &cobra.Command{
		Use:   "context",
		Short: "Print the best context for a model within a token budget",
		Long: `Context chooses, for what is being worked on, which nodes a model should see and
how closely (title, snippet, full), within a token budget that is never
exceeded. The text goes to standard output; --explain adds to standard error
the reason for every part, --json gives both as one object.`,
		Example: `  fovea context --focus "Move the gauge firmware off LoRa" --budget 2000
  fovea context --question "what did the vet say about Pika?" --explain
  fovea context --focus projects/vidra.org:40 --policy foveal --json`,
		Args: args(0, 0, "no arguments, only flags such as --focus"),
		RunE: func(c *cobra.Command, _ []string) error {
			return ask(s, c, api.OpContext, req, func(w *api.ContextResponse) {
				s.out.text(w.Text)
				if req.Policy == window.PolicyFoveal && req.Focus == "" {
					s.say("the policy foveal shows what is around a focus; name one with --focus NODE, or leave out --policy")
				}
				if req.Explain {
					explain(s.err, w)
				}
			})
		},
	}
	f := c.Flags()
	f.StringVar(&req.Focus, "focus", "", "`NODE` being worked on: id, FILE:LINE, FILE:+BYTE, path or title")
	f.StringVar(&req.Question, "question", "", "`QUESTION` that the model is asked")
	f.StringVar(&req.Task, "task", "", "`TASK` that it is working on")
	f.IntVar(&req.Budget, "budget", 0, "`TOKENS` the window may have (default 8000)")
	f.StringVar(&req.Policy, "policy", "", "`POLICY` that chooses: value (default), foveal")
	f.StringVar(&req.Format, "format", "", "`FORMAT` of the text: org (default), markdown, json")
	f.StringVar(&req.Counter, "counter", "", "`COUNTER` of tokens: o200k (default, exact), estimate (over-counts)")
	f.Float64Var(&req.Threshold, "threshold", 0, "`SIMILARITY` from which foveal shows a neighbour in full (default 0.75)")
	f.StringVar(&req.At, "at", "", atUsage)
	f.BoolVar(&req.Degrade, "degrade", false, "show the focus at a lower level when it does not fit")
	f.BoolVar(&req.Explain, "explain", false, "say why each part is there")
	oneOf(c, "policy", "value", "foveal")
	oneOf(c, "format", "org", "markdown", "json")
	oneOf(c, "counter", "o200k", "estimate")
	return c
}

// explain lists the parts of a window with their reasons.
func explain(out *stream, w *api.ContextResponse) {
	fmt.Fprintln(out, out.folded(fmt.Sprintf("\n%d of %d tokens (%s), %d parts, %d nodes left out, %.1f %% of the bound, policy %s",
		w.Tokens, w.Budget, w.Counter, len(w.Parts), w.Omitted, 100*w.Bound, w.Policy), 2))
	for _, p := range w.Parts {
		out.row(number(out, 7, p.Tokens), cell{p.Level, 7}, cell{p.Title, 28}, cell{text: p.Reason})
	}
}
