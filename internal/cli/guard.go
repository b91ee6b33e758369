// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
)

func guardCommand(s *Session) *cobra.Command {
	c := &cobra.Command{
		Use:   "guard",
		Short: "Review what other programs changed in protected files",
		Long: `Protected files, such as skills, are compared with what their owner trusted each
time they are read. One that another program changed is locked down, or marked
as unreviewed, until its owner decides. The policy stands in the configuration.`,
		Example: `  fovea guard list
  fovea guard diff skills/plan.org
  fovea guard adopt skills/plan.org`,
	}
	return Group(c, verb(s, &cobra.Command{
		Use:     "list",
		Example: "  fovea guard list",
	}, api.OpGuard, nil, func(p *api.Protection) { printProtected(s.Out, p.Files) }), guardDiffCommand(s),
		decideCommand(s, "adopt", "Adopt makes what the file holds now the trusted text. --sha256 gives what guard\ndiff printed: a file that changed "+
			"since is refused.", api.OpGuardAdopt),
		decideCommand(s, "reject", "Reject writes the trusted bytes back, or removes a file that was never trusted.\nWhat the file held stays in history.",
			api.OpGuardReject),
		verb(s, &cobra.Command{
			Use:   "policy",
			Short: "Print the patterns that protect files",
			Long: `Policy prints each pattern behind its mode. The first group of patterns with one
that matches decides; a file that none matches is trusted.`,
			Example: "  fovea guard policy",
		}, api.OpGuard, nil, func(p *api.Protection) {
			for _, line := range p.Policy {
				s.Out.Printf("%s\n", line)
			}
		}))
}

func guardDiffCommand(s *Session) *cobra.Command {
	var brief bool
	c := verb(s, &cobra.Command{
		Use:   "diff PATH",
		Short: "Show what changed in a protected file, part by part",
		Example: `  fovea guard diff skills/plan.org
  fovea guard diff skills/plan.org --brief`,
		Args: Args(1, 1, "the path of a protected file"),
	}, api.OpGuardDiff, func(req *api.GuardDiffRequest, _ []string) error {
		req.Text = !brief
		return nil
	}, printer(s.Out, printGuardDiff))
	c.Flags().BoolVar(&brief, "brief", false, "leave out the changed lines")
	return c
}

func decideCommand(s *Session, name, long string, op api.Op[api.GuardRequest, *api.GuardDecision]) *cobra.Command {
	return verbFor(s, &cobra.Command{
		Use:     name + " PATH",
		Long:    long,
		Example: "  fovea guard " + name + " skills/plan.org",
		Args:    Args(1, 1, "the path of a protected file"),
	}, op, nil, func(req *api.GuardRequest, d *api.GuardDecision) {
		if d.Seq == 0 {
			s.Out.Printf("it has its trusted content; there was nothing to decide\n")
			return
		}
		s.Out.Printf("%sed %s; commit %d\n", name, req.Path, d.Seq)
	})
}

func printProtected(out *Stream, files []api.ProtectedFile) {
	for _, f := range files {
		reason := f.Reason
		if reason != "" {
			reason = "(" + reason + ")"
		}
		out.Row(Column(f.Mode, 8), Column(f.State, 10), Text(f.Path), Text(reason))
	}
	if len(files) == 0 {
		out.Printf("no file is protected\n")
	}
}

func printGuardDiff(out *Stream, d *api.GuardDiff) {
	out.Printf("%s: %s\nsha256   %s\ntrusted  %s\n", d.Path, d.State, cmp.Or(d.SHA256, "(none)"), cmp.Or(d.Trusted, "(none)"))
	for _, c := range d.Changes {
		out.Printf("\n%s %s: %s\n", c.What, c.Kind, cmp.Or(c.Where, "(the file itself)"))
		for line := range strings.Lines(c.Text) {
			fmt.Fprintln(out, "    "+bareLine(out, line))
		}
	}
}
