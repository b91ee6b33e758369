// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
)

func guardCommand(s *session) *cobra.Command {
	c := &cobra.Command{
		Use:   "guard",
		Short: "Say what others changed in protected files, and decide",
		Long: `Protected files, such as skills, are compared with what their owner trusted each
time they are read. One that another program changed is locked down, or marked
as unreviewed, until its owner decides. The policy stands in the configuration.`,
		Example: `  fovea guard list
  fovea guard diff skills/plan.org
  fovea guard adopt skills/plan.org`,
	}
	return group(c, guardListCommand(s), guardDiffCommand(s),
		decideCommand(s, "adopt", "Trust a protected file as it is",
			"Adopt makes what the file holds now the trusted text. --sha256 gives what guard\ndiff printed: a file that changed since is refused.", api.OpGuardAdopt),
		decideCommand(s, "reject", "Put back what was trusted of a protected file",
			"Reject writes the trusted bytes back, or removes a file that was never trusted.\nWhat the file held stays in history.", api.OpGuardReject),
		guardPolicyCommand(s), guardAdoptKeyCommand(s))
}

func guardListCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the protected files and how each stands",
		Example: "  fovea guard list",
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			return ask(s, c, api.OpGuard, api.None{}, func(p *api.Protection) { printProtected(s.out, p.Files) })
		},
	}
}

func guardPolicyCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "policy",
		Short: "Print the patterns that protect files",
		Long: `Policy prints each pattern behind its mode. The first group of patterns with one
that matches decides; a file that none matches is trusted.`,
		Example: "  fovea guard policy",
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			return ask(s, c, api.OpGuard, api.None{}, func(p *api.Protection) {
				for _, line := range p.Policy {
					fmt.Fprintln(s.out, oneLine(line))
				}
			})
		},
	}
}

func guardDiffCommand(s *session) *cobra.Command {
	req := api.GuardDiffRequest{Text: true}
	var brief bool
	c := &cobra.Command{
		Use:   "diff PATH",
		Short: "Say what changed in a protected file, part by part",
		Example: `  fovea guard diff skills/plan.org
  fovea guard diff skills/plan.org --brief`,
		Args: args(1, 1, "the path of a protected file"),
		RunE: func(c *cobra.Command, a []string) error {
			req.Path, req.Text = a[0], !brief
			return ask(s, c, api.OpGuardDiff, req, func(d *api.GuardDiff) { printGuardDiff(s.out, d) })
		},
	}
	c.Flags().BoolVar(&brief, "brief", false, "without the lines that changed")
	return c
}

func decideCommand(s *session, verb, short, long string, op api.Op[api.GuardRequest, *api.GuardDecision]) *cobra.Command {
	var req api.GuardRequest
	c := &cobra.Command{
		Use:     verb + " PATH",
		Short:   short,
		Long:    long,
		Example: "  fovea guard " + verb + " skills/plan.org",
		Args:    args(1, 1, "the path of a protected file"),
		RunE: func(c *cobra.Command, a []string) error {
			req.Path = a[0]
			return ask(s, c, op, req, func(d *api.GuardDecision) {
				if d.Seq == 0 {
					fmt.Fprintln(s.out, "it is as trusted; there was nothing to decide")
					return
				}
				fmt.Fprintf(s.out, "%sed %s; commit %d\n", verb, oneLine(a[0]), d.Seq)
			})
		},
	}
	c.Flags().StringVar(&req.SHA256, "sha256", "", "only if the file holds what has this `DIGEST`")
	return c
}

func printProtected(out *stream, files []api.ProtectedFile) {
	for _, f := range files {
		reason := f.Reason
		if reason != "" {
			reason = "(" + reason + ")"
		}
		out.row(cell{f.Mode, 8}, cell{f.State, 10}, cell{text: f.Path}, cell{text: reason})
	}
	if len(files) == 0 {
		fmt.Fprintln(out, "no file is protected")
	}
}

func printGuardDiff(out *stream, d *api.GuardDiff) {
	fmt.Fprintf(out, "%s: %s\nsha256   %s\ntrusted  %s\n", oneLine(d.Path), d.State, orNone(d.SHA256), orNone(d.Trusted))
	for _, c := range d.Changes {
		where := c.Where
		if where == "" {
			where = "(the file itself)"
		}
		fmt.Fprintf(out, "\n%s %s: %s\n", c.What, c.Kind, oneLine(where))
		for line := range strings.Lines(c.Text) {
			fmt.Fprintln(out, "    "+bareLine(out, line))
		}
	}
}

func orNone(s string) string {
	if s == "" {
		return "(none)"
	}
	return s
}
