// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
)

func feedbackCommand(s *Session) *cobra.Command {
	c := verb(s, &cobra.Command{
		Long: `Feedback says which of the notes that were shown for a question were useful: in
a window of an agent, named with --agent, or by a search of yours for the words
of --question. Search and windows learn from it how much each arm of the score
counts in each top folder. What was learned ranks from when it has helped with
questions that were held back, and no longer than it does.`,
		Example: `  fovea feedback dcayq 3rdnote --question "when does the plumber come"
  fovea feedback --cites @answer.md --agent ada
  fovea feedback --not dcayq --window 17 --agent ada
  fovea feedback status
  fovea feedback reset`,
		Args: Args(0, -1, "handles or ids of notes"),
	}, api.OpFeedback, nil, func(g *api.UsefulResponse) {
		if g.Seq == 0 {
			s.Report("nothing can be learned from that: the question does not find these notes")
			return
		}
		s.Out.Printf("%d useful, %d not, %d not mentioned; commit %d of the session %s\n", g.Useful, g.Not, g.Unsaid, g.Seq, g.Session)
	})
	c.AddCommand(verb(s, &cobra.Command{
		Use: "status", Short: "Say what was learned, and whether it ranks", Example: "  fovea feedback status", Args: NoArguments,
	}, api.OpFeedbackStatus, nil, func(st *api.LearnedStatus) {
		entries := "1 entry"
		if st.Entries != 1 {
			entries = fmt.Sprintf("%d entries", st.Entries)
		}
		s.Out.Printf("%s, %d by the owner; %d times useful, %d not\n", entries, st.Owner, st.Useful, st.Not)
		for i := range st.Regions {
			printRegion(s.Out, &st.Regions[i])
		}
	}), verb(s, &cobra.Command{
		Use: "reset", Short: "Forget all feedback; history keeps it", Example: "  fovea feedback reset", Args: NoArguments,
	}, api.OpFeedbackReset, nil, func(r *api.ResetResponse) {
		if r.Seq == 0 {
			s.Report("there is no feedback")
			return
		}
		s.Out.Printf("forgotten; commit %d of the session %s\n", r.Seq, r.Session)
	}))
	return c
}

// printRegion prints what was learned of a folder.
func printRegion(out *Stream, r *api.LearnedRegion) {
	state := "on"
	switch {
	case !r.On:
		state = "off: " + r.Why
	case r.Owner == 0:
		state = "on, taught by agents alone"
	}
	out.Row(Column(cmp.Or(r.Folder, "(no folder)"), 20), Text(state))
	out.Printf("  %d questions, %d held back: nDCG %+.3f, standard error %.3f\n", r.Events, r.Held, r.Gain, r.Error)
	for _, name := range slices.Sorted(maps.Keys(r.Weights)) {
		out.Row(Column("", 2), Column(name, 12), Text(fmt.Sprintf("%+.3f", r.Weights[name])))
	}
}
