// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
)

func checkpointCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "checkpoint [NAME]",
		Short: "Write an image of the present state now, and keep it",
		Long: `Checkpoint writes an image of the whole state, so that the next start replays
nothing, and keeps the state under a name; without one it is checkpoint- and the
day. Nothing that was committed depends on it: the journal has it already.`,
		Example: `  fovea checkpoint
  fovea checkpoint before-move`,
		Args: args(0, 1, "at most one name"),
		RunE: func(c *cobra.Command, a []string) error {
			var req api.CheckpointRequest
			if len(a) == 1 {
				req.Name = a[0]
			}
			return ask(s, c, api.Service.Checkpoint, req, func(done *api.Checkpoint) {
				printCheckpoint(&s.out, done)
			})
		},
	}
}

func restoreCommand(s *session) *cobra.Command {
	var req api.RestoreRequest
	c := &cobra.Command{
		Use:   "restore [NAME]",
		Short: "Go back to a checkpoint, files included",
		Long: `Restore makes the state of a checkpoint, or of another named snapshot, the
present one as a new commit; without a name that of the newest commit which has
one. Files follow as in "fovea rollback", and "fovea rollback 0" undoes it.`,
		Example: `  fovea restore
  fovea restore --from local before-move`,
		Args: args(0, 1, "at most one name"),
		RunE: func(c *cobra.Command, a []string) error {
			if len(a) == 1 {
				req.Name = a[0]
			}
			return ask(s, c, api.Service.Restore, req, func(done *api.RestoreResponse) {
				s.say("restored %s", done.Name)
				printRollback(&s.out, &done.RollbackResponse)
			})
		},
	}
	f := c.Flags()
	f.StringVar(&req.From, "from", "local", "`PLACE` where the checkpoint is")
	f.BoolVar(&req.Skip, "skip", false, "leave out files that changed or are open, restore the rest")
	f.BoolVar(&req.MemoryOnly, "memory-only", false, "leave the files alone and remember that they differ")
	return c
}
