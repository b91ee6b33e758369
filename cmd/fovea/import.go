// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/internal/cli"
	"github.com/fovea-memory/fovea/internal/servermemory"
)

func importGraphCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   serverMemory + " FILE",
		Short: "Take over the graph of the MCP server server-memory",
		Long: `Take over the graph that the MCP server server-memory keeps in FILE, one JSON
object per line; - is standard input. It becomes Org headlines in
agents/server-memory/. Lines that cannot be read are reported, and the exit code
is then 1, although all other lines were imported.`,
		Example: `  fovea import server-memory ~/memory.jsonl`,
		Args:    cli.Args(1, 1, "the file"),
		RunE: func(c *cobra.Command, a []string) error {
			text, err := cli.ReadFile(c.Context(), a[0])
			if err != nil {
				return err
			}
			g, bad := servermemory.ReadLines([]byte(text))
			store, err := openGraph(c.Context(), s, s.service)
			if err != nil {
				return err
			}
			done := s.Working()
			taken, err := store.Take(c.Context(), g)
			done()
			if err != nil {
				return err
			}
			if taken.Forgotten > 0 {
				s.Report("%d were forgotten earlier and left out; to restore them, add them to a file yourself", taken.Forgotten)
			}
			for _, b := range bad {
				s.Report("%s: %s", a[0], b)
			}
			err = s.Answer(taken, func() {
				s.Out.Printf("%d entities, %d relations; %d observations for entities that were there\n", taken.Entities, taken.Relations, taken.Observations)
			})
			if len(bad) > 0 {
				err = errors.Join(err, fmt.Errorf("%d lines could not be read", len(bad)))
			}
			return err
		},
	}
}
