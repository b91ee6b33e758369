// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
)

func logCommand(s *session) *cobra.Command {
	var req api.LogRequest
	c := &cobra.Command{
		Use:   "log [NODE]",
		Short: "List what was committed, newest first",
		Long: `Log prints number, time, kind, author and message of each commit, and in
brackets how many nodes it changed; with NODE, those that changed that one, also
before it was renamed or moved.`,
		Example: `  fovea log --limit 5
  fovea log "Pika at the vet"`,
		Args: args(0, 1, "at most one node"),
		RunE: func(c *cobra.Command, a []string) error {
			if len(a) == 1 {
				req.ID = a[0]
			}
			return ask(s, c, api.OpLog, req, func(commits []api.Commit) {
				printCommits(s.out, commits)
				if len(commits) == 0 {
					s.say("nothing was committed yet")
				}
			})
		},
	}
	c.Flags().IntVar(&req.Limit, "limit", 0, "at most `N` commits (0: all)")
	return c
}

func diffCommand(s *session) *cobra.Command {
	var req api.DiffRequest
	c := &cobra.Command{
		Use:   "diff [FROM [TO]]",
		Short: "List what changed between two moments",
		Long: `Diff compares two moments: a snapshot's index or name, seq:N or a commit, a
date, or head. FROM defaults to snapshot 0, TO to head. What became of one node
say fovea log and fovea blame.`,
		Example: `  fovea diff
  fovea diff before-move head --text
  fovea diff 2026-11-01 --json`,
		Args: args(0, 2, "at most two moments"),
		RunE: func(c *cobra.Command, a []string) error {
			for i, to := range []*string{&req.From, &req.To} {
				if len(a) > i {
					*to = a[i]
				}
			}
			err := ask(s, c, api.OpDiff, req, func(d *api.Difference) {
				if printDiff(s.out, d) == 0 {
					s.say("nothing changed")
				}
			})
			if fovea.KindOf(err) == fovea.NotFound {
				err = fmt.Errorf("%w; for one node see fovea log NODE and fovea blame NODE", err)
			}
			return err
		},
	}
	c.Flags().BoolVar(&req.Text, "text", false, "show the lines that changed")
	return c
}

func snapshotCommand(s *session) *cobra.Command {
	c := &cobra.Command{
		Use:   "snapshot [NAME]",
		Short: "Keep the present state for a rollback, under a name",
		Long: `Snapshot keeps the present state. A named one is kept for good; without a name
it counts as one of the twenty automatic ones. "snapshot list" lists them,
newest first.`,
		Example: `  fovea snapshot before-move
  fovea snapshot list`,
		Args: args(0, 1, "at most one name"),
		RunE: func(c *cobra.Command, a []string) error {
			var req api.SnapshotRequest
			if len(a) == 1 {
				req.Name = a[0]
			}
			return ask(s, c, api.OpSnapshot, req, func(snap *api.Snapshot) {
				printSnapshots(s.out, []api.Snapshot{*snap})
			})
		},
	}
	c.AddCommand(&cobra.Command{
		Use:     "list",
		Short:   "List the snapshots, newest first",
		Example: "  fovea snapshot list --json",
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			return ask(s, c, api.OpSnapshots, api.None{}, func(list []api.Snapshot) {
				printSnapshots(s.out, list)
				if len(list) == 0 {
					s.say("no snapshots yet: one is made before each change")
				}
			})
		},
	})
	return c
}

// sayWritten says how many files a way back has written.
func (s *session) sayWritten(done *api.RollbackResponse) {
	switch n := len(done.RestoredFiles); n {
	case 0:
	case 1:
		s.say("1 file written")
	default:
		s.say("%d files written", n)
	}
}

func rollbackCommand(s *session) *cobra.Command {
	var req api.RollbackRequest
	c := &cobra.Command{
		Use:   "rollback [MOMENT]",
		Short: "Make an earlier state the present one, files included",
		Long: `Rollback makes an earlier state the present one as a new commit; what came
later stays in the history, and "fovea rollback 0" undoes it. MOMENT is a
snapshot's index (0, the default, is the newest) or name, seq:N or a commit, or
a date. Files follow: all are checked first, and one that changed meanwhile or
is open in an editor refuses the whole. Files that the folder has lost come back
as well; "fovea rollback head" brings back nothing else.`,
		Example: `  fovea rollback 0
  fovea rollback before-move
  fovea rollback 2026-11-01 --memory-only`,
		Args: args(0, 1, "at most one moment"),
		RunE: func(c *cobra.Command, a []string) error {
			if len(a) == 1 {
				req.To = a[0]
			}
			return ask(s, c, api.OpRollback, req, func(done *api.RollbackResponse) {
				printRollback(s.out, done)
				s.sayWritten(done)
			})
		},
	}
	f := c.Flags()
	f.BoolVar(&req.Skip, "skip", false, "leave out files that changed or are open, roll back the rest")
	f.BoolVar(&req.MemoryOnly, "memory-only", false, "leave the files alone and remember that they differ")
	return c
}
