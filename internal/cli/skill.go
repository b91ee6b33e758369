// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/scope"
)

func skillCommand(s *Session) *cobra.Command {
	c := &cobra.Command{
		Use:   "skill",
		Short: "List skills, and show one",
		Long: `A skill is an Org file in the folder of skills, whose file drawer has
:SKILL_PRIORITY:, :SKILL_TRIGGERS: and :SKILL_DEPENDS:, or a folder there with a
file SKILL.md. Fovea executes nothing in it.`,
		Example: `  fovea skill list
  fovea skill show state-persistence
  fovea skill check`,
	}
	return Group(c,
		verb(s, &cobra.Command{
			Use: "list", Example: "  fovea skill list",
		}, api.OpSkills, nil, func(r *api.Skills) {
			printSkills(s.Out, r)
			if n := len(r.Problems); n > 0 {
				s.Report("%s: see fovea skill check", scope.Count(n, "problem"))
			}
		}),
		verb(s, &cobra.Command{
			Use: "show NAME", Short: "Print the source of a skill as it stands in its file", Example: "  fovea skill show state-persistence",
			Args: Args(1, 1, "the name of a skill"),
		}, api.OpSkill, nil, func(r *api.SkillSource) { s.Out.Text(r.Source) }),
		&cobra.Command{
			Use: "check", Short: "Show the problems of the skills, and their order", Example: "  fovea skill check", Args: NoArguments,
			RunE: func(c *cobra.Command, _ []string) error { return checkSkills(s, c) },
		},
	)
}

func checkSkills(s *Session, c *cobra.Command) error {
	r, err := Call(s, c, api.OpSkills, api.None{})
	if err != nil {
		return err
	}
	err = s.Answer(r, func() {
		printProblems(s.Out, r.Problems)
		fmt.Fprintln(s.Out, "order: "+OneLine(strings.Join(r.Order, ", ")))
	})
	if err == nil && len(r.Problems) > 0 {
		err = errors.New("not all skills are as they should be")
	}
	return err
}

// printSkills prints each skill with its requirements and triggers, and its description on
// the next line.
func printSkills(out *Stream, r *api.Skills) {
	for _, s := range r.Skills {
		about := s.Description
		switch {
		case s.Format == "locked":
			about = "(locked down; see fovea guard diff " + s.Path + ")"
		case s.Unreviewed:
			about = "(unreviewed) " + about
		}
		needs, on := strings.Join(s.Dependencies, ", "), strings.Join(s.Triggers, ", ")
		if !out.IsTerminal() {
			out.Row(Number(out, 0, s.Priority), Text(s.Name), Text(needs), Text(on), Text(about))
			continue
		}
		first := s.Name
		if needs != "" {
			first += "; needs " + needs
		}
		if on != "" {
			first += "; on " + on
		}
		fmt.Fprintf(out, "%4d  %s\n", s.Priority, Wrap(Visible(OneLine(first)), len("1234  "), out.Width()))
		if about != "" {
			fmt.Fprintf(out, "      %s\n", Wrap(Visible(OneLine(about)), len("1234  "), out.Width()))
		}
	}
}
