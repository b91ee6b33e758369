// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
)

func skillCommand(s *session) *cobra.Command {
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
	return group(c,
		verb(s, &cobra.Command{
			Use: "list", Short: "List the skills, highest priority first", Example: "  fovea skill list", Args: noArguments,
		}, api.OpSkills, nil, func(_ *api.None, r *api.Skills) {
			printSkills(s.out, r)
			if n := len(r.Problems); n > 0 {
				s.say("%s: see fovea skill check", several(n, "problem"))
			}
		}),
		verb(s, &cobra.Command{
			Use: "show NAME", Short: "Print the source of a skill as it stands in its file", Example: "  fovea skill show state-persistence", Args: args(1, 1, "the name of a skill"),
		}, api.OpSkill, nil, func(_ *api.SkillRequest, r *api.SkillSource) { s.out.text(r.Source) }),
		skillTriggerCommand(s),
		&cobra.Command{
			Use: "check", Short: "Say what is wrong with the skills, and their order", Example: "  fovea skill check", Args: noArguments,
			RunE: func(c *cobra.Command, _ []string) error { return checkSkills(s, c) },
		},
	)
}

func checkSkills(s *session, c *cobra.Command) error {
	r, err := call(s, c, api.OpSkills, api.None{})
	if err != nil {
		return err
	}
	err = s.give(r, func() {
		printProblems(s.out, r.Problems)
		fmt.Fprintln(s.out, "order: "+oneLine(strings.Join(r.Order, ", ")))
	})
	if err == nil && len(r.Problems) > 0 {
		err = errors.New("not all skills are as they should be")
	}
	return err
}

func skillTriggerCommand(s *session) *cobra.Command {
	return verb(s, &cobra.Command{
		Use:   "trigger EVENT",
		Short: "Answer an event, and name the skills that answer to it",
		Long: `At heartbeat and manual-persist the built-in skill state-persistence makes a
checkpoint; where nothing changed, nothing is written. Other skills that answer
to the event are named; Fovea executes nothing in them.`,
		Example: "  fovea skill trigger heartbeat",
		Args:    args(1, 1, "the name of an event"),
	}, api.OpTrigger, nil, func(_ *api.TriggerRequest, r *api.Triggered) {
		if r.Checkpoint != nil {
			printCheckpoint(s.out, r.Checkpoint)
		}
		for _, name := range r.Skills {
			fmt.Fprintln(s.out, oneLine(name))
		}
	})
}

// printSkills prints each skill with its requirements and triggers, and its description on
// the next line.
func printSkills(out *stream, r *api.Skills) {
	for _, s := range r.Skills {
		about := s.Description
		switch {
		case s.Format == "locked":
			about = "(locked down; see fovea guard diff " + s.Path + ")"
		case s.Unreviewed:
			about = "(unreviewed) " + about
		}
		needs, on := strings.Join(s.Dependencies, ", "), strings.Join(s.Triggers, ", ")
		if !out.terminal() {
			out.row(number(out, 0, s.Priority), cell{text: s.Name}, cell{text: needs}, cell{text: on}, cell{text: about})
			continue
		}
		first := s.Name
		if needs != "" {
			first += "; needs " + needs
		}
		if on != "" {
			first += "; on " + on
		}
		fmt.Fprintf(out, "%4d  %s\n", s.Priority, wrap(visible(oneLine(first)), len("1234  "), out.wide))
		if about != "" {
			fmt.Fprintf(out, "      %s\n", wrap(visible(oneLine(about)), len("1234  "), out.wide))
		}
	}
}
