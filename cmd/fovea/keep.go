// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
)

func statusCommand(s *session) *cobra.Command {
	var req api.StatusRequest
	c := &cobra.Command{
		Use:   "status",
		Short: "Say how the memory is",
		Example: `  fovea status
  fovea status --diagnostics`,
		Args: args(0, 0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			return ask(s, c, api.Service.Status, req, func(st *api.Status) {
				printStatus(&s.out, st)
			})
		},
	}
	c.Flags().BoolVar(&req.Diagnostics, "diagnostics", false, "list what is odd in the files")
	return c
}

func ingestCommand(s *session) *cobra.Command {
	var req api.IngestRequest
	c := &cobra.Command{
		Use:   "ingest",
		Short: "Read what changed in the folder, and say what was committed",
		Long: `Ingest reads what changed and prints a line for each commit as it becomes
durable, then the status. Other verbs do the same silently.`,
		Example: `  fovea ingest
  fovea ingest --accept-deletions --json`,
		Args: args(0, 0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			req.Progress = s.progress
			req.Committed = func(k api.Commit) {
				s.clear()
				if s.json {
					_ = s.print(committed{k.Seq, k.Root, k.Documents})
				} else {
					fmt.Fprintf(&s.out, "commit %d  %s  %s\n", k.Seq, k.Message, short(k.Root))
				}
			}
			return ask(s, c, api.Service.Ingest, req, func(st *api.Status) {
				printStatus(&s.out, st)
			})
		},
	}
	c.Flags().BoolVar(&req.AcceptDeletions, "accept-deletions", false, "drop documents even if more than half are gone")
	return c
}

// committed is the line printed for a durable commit.
type committed struct {
	Seq       uint64 `json:"seq"`
	Root      string `json:"root"`
	Documents int    `json:"documents"`
}
