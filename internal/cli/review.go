// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api/agents"
)

func reviewCommand(s *Session) *cobra.Command {
	c := &cobra.Command{
		Use:   "review",
		Short: "Decide on what agents propose",
		Long: `Where the configuration sets an agent or a folder to review, a change by an
agent is kept as a proposal: that agent sees it, nobody else does, and no file
changes until the owner accepts it. The commit then names both.`,
		Example: `  fovea review list
  fovea review diff 3f0c…
  fovea review accept 3f0c…
  fovea review reject 3f0c… --reason "That is not what we agreed on."`,
	}
	return Group(c, verb(s, &cobra.Command{
		Use: "list", Short: "List the proposals that wait, oldest first", Example: "  fovea review list", Args: NoArguments,
	}, agents.OpReview, nil, printList(s, "no proposals wait", func(p *agents.Proposal) {
		printWide(s.Out, p.Title+"  "+p.Path, Column(p.ID, 36), Column(p.Agent, 10), Column(p.Op, 8))
	})), reviewDiffCommand(s), verb(s, &cobra.Command{
		Use: "accept PROPOSAL", Short: "Carry out a proposal, in the name of its agent",
		Long: "Accept carries a proposal out. If what it replaces or takes has changed since it\n" +
			"was proposed, nothing is done. What you have edited is done in your name.",
		Example: "  fovea review accept 3f0c…", Args: oneProposal,
	}, agents.OpReviewAccept, nil, printer(s, printEdit)), verb(s, &cobra.Command{
		Use: "edit PROPOSAL", Short: "Change the title or the text that a proposal sets", Example: "  fovea review edit 3f0c… --body @letter.txt", Args: oneProposal,
	}, agents.OpReviewEdit, nil, func(p *agents.Proposal) { s.Out.Text(p.Change) }), reviewRejectCommand(s), verb(s, &cobra.Command{
		Use: "withdraw PROPOSAL", Short: "Take back an agent's own proposal", Example: "  fovea review withdraw 3f0c… --agent ada", Args: oneProposal,
	}, agents.OpReviewWithdraw, nil, func(p *agents.Proposal) { s.Out.Printf("withdrawn  %s\n", p.ID) }))
}

// oneProposal are the arguments of the verbs that are about a proposal.
var oneProposal = Args(1, 1, "the id of a proposal; fovea review list shows them")

func reviewDiffCommand(s *Session) *cobra.Command {
	return verb(s, &cobra.Command{
		Use: "diff PROPOSAL", Short: "Show what a proposal would change", Example: "  fovea review diff 3f0c…", Args: oneProposal,
	}, agents.OpReview, nil, func(all []agents.Proposal) {
		for i := range all {
			p := &all[i]
			s.Out.Text(p.Agent + ": " + p.Op + " " + p.Title + "  " + strings.TrimPrefix(p.From+" -> "+p.Path, " -> ") + "\n")
			s.Out.Text(p.Change)
		}
	})
}

func reviewRejectCommand(s *Session) *cobra.Command {
	reason := ""
	var c *cobra.Command
	c = verbFor(s, &cobra.Command{
		Use: "reject PROPOSAL", Short: "Drop a proposal; history keeps it", Example: "  fovea review reject 3f0c… --reason \"Ask Lukas first.\"", Args: oneProposal,
	}, agents.OpReviewReject, func(req *agents.ReviewDecision, _ []string) (err error) {
		req.Reason, err = givenText(c.Context(), s, reason)
		return err
	}, func(req *agents.ReviewDecision, p *agents.Proposal) {
		did := "rejected"
		if req.DryRun {
			did = "would reject"
		}
		s.Out.Printf("%s  %s\n", did, p.ID)
	})
	c.Flags().StringVar(&reason, "reason", "", "`TEXT` that the agent gets as a message "+textUsage)
	return c
}
