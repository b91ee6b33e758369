// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package verb

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/agents"
)

func logCommand(s *Session) *cobra.Command {
	c := verb(s, &cobra.Command{
		Long: `Log prints number, time, kind, author and message of each commit, and in
brackets how many nodes it changed; with NODE, those that changed that one, also
before it was renamed or moved.

With --session it prints what that conversation did: its commits, and the
windows and blocks of its own history.

With --since-last it prints what agents wrote since you last asked so, by agent
and session, and how many proposals wait. What was printed counts as seen. With
--json it does not, unless --seen is given.`,
		Example: `  fovea log --limit 5
  fovea log "Pika at the vet"
  fovea log --since-last
  fovea log --session 4f1c`,
		Args: Args(0, 1, "at most one node"),
	}, api.OpLog, nil, func(commits []api.Commit) {
		printCommits(s.Out, commits)
		if len(commits) == 0 {
			s.Report("nothing was committed yet")
		}
	})
	return withNews(s, ofSession(c, func(c *cobra.Command, session string) error {
		limit, _ := c.Flags().GetInt("limit")
		of, err := Call(s, c, agents.OpConversation, agents.ConversationRequest{Session: session})
		if err != nil {
			return err
		}
		if limit > 0 {
			of.Commits = of.Commits[:min(limit, len(of.Commits))]
		}
		return s.Answer(of.Commits, func() { printConversation(s, of.Commits) })
	}))
}

func diffCommand(s *Session) *cobra.Command {
	c := verb(s, &cobra.Command{
		Use:   "diff [FROM [TO]]",
		Short: "List what changed between two moments",
		Long: `Diff compares two moments: a snapshot's index or name, seq:N or a commit, a
date, or head. FROM defaults to snapshot 0, TO to head. For the changes of one
node see fovea log and fovea blame. With --session and no moments it lists what
the commits of that conversation changed, without what others did between them.`,
		Example: `  fovea diff
  fovea diff before-move head --text
  fovea diff 2026-11-01 --json`,
		Args: Args(0, 2, "at most two moments"),
	}, api.OpDiff, nil, func(d *api.Difference) {
		if printDiff(s.Out, d) == 0 {
			s.Report("nothing changed")
		}
	})
	run := ofSession(c, func(c *cobra.Command, session string) error {
		text, _ := c.Flags().GetBool("text")
		of, err := Call(s, c, agents.OpConversation, agents.ConversationRequest{Session: session, Changes: true, Text: text})
		if err != nil {
			return err
		}
		return s.Answer(of.Changes, func() {
			if printDiff(s.Out, of.Changes) == 0 {
				s.Report("nothing changed")
			}
		})
	}).RunE
	c.RunE = func(c *cobra.Command, a []string) error {
		err := run(c, a)
		if fovea.KindOf(err) == fovea.NotFound {
			err = fmt.Errorf("%w; for one node see fovea log NODE and fovea blame NODE", err)
		}
		return err
	}
	return c
}

// ofSession has a verb do another thing where --session is given and no argument.
func ofSession(c *cobra.Command, show func(c *cobra.Command, session string) error) *cobra.Command {
	run := c.RunE
	c.RunE = func(c *cobra.Command, a []string) error {
		if f := c.Flag("session"); f != nil && f.Changed && len(a) == 0 {
			return show(c, f.Value.String())
		}
		return run(c, a)
	}
	return c
}

// printConversation prints the commits of a session as log does; of those that are not in the
// history of the memex it says where they are.
func printConversation(s *Session, of []agents.SessionCommit) {
	commits := make([]api.Commit, len(of))
	for i, k := range of {
		if commits[i] = k.Commit; k.Scope != "memex" {
			commits[i].Message = k.Scope + ": " + k.Message
		}
	}
	printCommits(s.Out, commits)
	if len(commits) == 0 {
		s.Report("no commit is of that session")
	}
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

func rollbackCommand(s *Session) *cobra.Command {
	return verb(s, &cobra.Command{
		Long: `Rollback makes an earlier state the present one as a new commit; what came
later stays in the history, and "fovea rollback 0" undoes it. MOMENT is a
snapshot's index (0 is the newest) or name, seq:N, a commit, a date, yesterday.
Files follow: all are checked first, and one that changed meanwhile or is open
in an editor refuses the whole. Files that the folder has lost come back, too;
"fovea rollback head" brings back nothing else.`,
		Example: `  fovea rollback 0
  fovea rollback before-move --dry-run
  fovea rollback 2026-11-01 --memory-only`,
		Args: Args(0, 1, "one moment"),
	}, api.OpRollback, func(req *api.RollbackRequest, _ []string) error {
		if req.To == "" {
			return Misuse{errors.New(`rollback wants a moment: "fovea rollback 0" undoes the last change; ` +
				`"fovea snapshot list" and "fovea log" name others, and --dry-run shows what would change`)}
		}
		return nil
	}, printer(s, printRollback))
}
