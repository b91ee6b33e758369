// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package verb

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
)

func logCommand(s *Session) *cobra.Command {
	c := verb(s, &cobra.Command{
		Long: `Log prints number, time, kind, author and message of each commit, and in
brackets how many nodes it changed; with NODE, those that changed that one, also
before it was renamed or moved.

With --since-last it prints what agents wrote since you last asked so, by agent
and session, and how many proposals wait. What was printed counts as seen. With
--json it does not, unless --seen is given.`,
		Example: `  fovea log --limit 5
  fovea log "Pika at the vet"
  fovea log --since-last`,
		Args: Args(0, 1, "at most one node"),
	}, api.OpLog, nil, func(commits []api.Commit) {
		printCommits(s.Out, commits)
		if len(commits) == 0 {
			s.Report("nothing was committed yet")
		}
	})
	return withNews(s, c)
}

func diffCommand(s *Session) *cobra.Command {
	c := verb(s, &cobra.Command{
		Use:   "diff [FROM [TO]]",
		Short: "List what changed between two moments",
		Long: `Diff compares two moments: a snapshot's index or name, seq:N or a commit, a
date, or head. FROM defaults to snapshot 0, TO to head. For the changes of one
node see fovea log and fovea blame.`,
		Example: `  fovea diff
  fovea diff before-move head --text
  fovea diff 2026-11-01 --json`,
		Args: Args(0, 2, "at most two moments"),
	}, api.OpDiff, nil, func(d *api.Difference) {
		if printDiff(s.Out, d) == 0 {
			s.Report("nothing changed")
		}
	})
	run := c.RunE
	c.RunE = func(c *cobra.Command, a []string) error {
		err := run(c, a)
		if fovea.KindOf(err) == fovea.NotFound {
			err = fmt.Errorf("%w; for one node see fovea log NODE and fovea blame NODE", err)
		}
		return err
	}
	return c
}

func snapshotCommand(s *Session) *cobra.Command {
	c := verb(s, &cobra.Command{
		Long: `Snapshot keeps the present state. A named one is kept for good; without a name
it counts as one of the twenty automatic ones. "snapshot list" lists them,
newest first.`,
		Example: `  fovea snapshot before-move
  fovea snapshot list`,
		Args: Args(0, 1, "at most one name"),
	}, api.OpSnapshot, nil, func(snap *api.Snapshot) {
		printSnapshots(s.Out, []api.Snapshot{*snap})
	})
	c.AddCommand(verb(s, &cobra.Command{
		Use:     "list",
		Example: "  fovea snapshot list --json",
	}, api.OpSnapshots, nil, func(list []api.Snapshot) {
		printSnapshots(s.Out, list)
		if len(list) == 0 {
			s.Report("no snapshots yet: one is made before each change")
		}
	}))
	return c
}

// reportWritten prints how many files a rollback wrote.
func reportWritten(s *Session, done *api.RollbackResponse) {
	switch n := len(done.RestoredFiles); n {
	case 0:
	case 1:
		s.Report("1 file written")
	default:
		s.Report("%d files written", n)
	}
}

func rollbackCommand(s *Session) *cobra.Command {
	return verb(s, &cobra.Command{
		Long: `Rollback makes an earlier state the present one as a new commit; what came
later stays in the history, and "fovea rollback 0" undoes it. MOMENT is a
snapshot's index (0, the default, is the newest) or name, seq:N or a commit, or
a date. Files follow: all are checked first, and one that changed meanwhile or
is open in an editor refuses the whole. Files that the folder has lost come back
as well; "fovea rollback head" brings back nothing else.`,
		Example: `  fovea rollback 0
  fovea rollback before-move
  fovea rollback 2026-11-01 --memory-only`,
		Args: Args(0, 1, "at most one moment"),
	}, api.OpRollback, nil, func(done *api.RollbackResponse) {
		printRollback(s.Out, done)
		reportWritten(s, done)
	})
}
