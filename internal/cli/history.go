// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"strings"
	"time"

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
	}, api.OpLog, nil, printList(s, "nothing was committed yet", printer(s.Out, printCommit)))
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
	show := func(d *api.Difference) {
		if printDiff(s.Out, d) == 0 {
			s.Report("nothing changed")
		}
	}
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
	}, api.OpDiff, nil, show)
	run := ofSession(c, func(c *cobra.Command, session string) error {
		text, _ := c.Flags().GetBool("text")
		of, err := Call(s, c, agents.OpConversation, agents.ConversationRequest{Session: session, Changes: true, Text: text})
		if err != nil {
			return err
		}
		return s.Answer(of.Changes, func() { show(of.Changes) })
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
	printList(s, "no commit is of that session", func(k *agents.SessionCommit) {
		c := k.Commit
		if k.Scope != "memex" {
			c.Message = k.Scope + ": " + k.Message
		}
		printCommit(s.Out, &c)
	})(of)
}

func snapshotCommand(s *Session) *cobra.Command {
	c := verb(s, &cobra.Command{
		Long: `Snapshot keeps the present state. A named one is kept for good; without a name
it counts as one of the twenty automatic ones. "snapshot list" lists them,
newest first.`,
		Example: `  fovea snapshot before-move
  fovea snapshot list`,
		Args: Args(0, 1, "at most one name"),
	}, api.OpSnapshot, nil, printer(s.Out, printSnapshot))
	c.AddCommand(verb(s, &cobra.Command{
		Use:     "list",
		Example: "  fovea snapshot list --json",
	}, api.OpSnapshots, nil, printList(s, "no snapshots yet: one is made before each change", printer(s.Out, printSnapshot))))
	return c
}

func rollbackCommand(s *Session) *cobra.Command {
	return verb(s, &cobra.Command{
		Long: `Rollback makes an earlier state the present one as a new commit; what came
later stays in the history, and "fovea rollback 0" undoes it. MOMENT is a
snapshot's index (0 is the newest) or name, seq:N, a commit, a date, yesterday.
Files follow: all are checked first, and if one changed meanwhile or is open in
an editor, nothing is done. Files that the folder has lost come back, too;
"fovea rollback head" brings back nothing else.`,
		Example: `  fovea rollback 0
  fovea rollback before-move --dry-run
  fovea rollback 2026-11-01 --memory-only`,
		Args: Args(0, 1, "one moment"),
	}, api.OpRollback, func(req *api.RollbackRequest, _ []string) error {
		if req.To == "" {
			return Misusef(`rollback wants a moment: "fovea rollback 0" undoes the last change; ` +
				`"fovea snapshot list" and "fovea log" name others, and --dry-run shows what would change`)
		}
		return nil
	}, printer(s, printRollback))
}

func blameCommand(s *Session) *cobra.Command {
	return verb(s, &cobra.Command{
		Short: "Show who wrote each line of a node, and when",
		Long: `Blame prints a node's own text and before each line the number of the commit
that wrote it, the day, the author and the line's number in the file. It follows
renames and moves. A line that was removed and restored belongs to its first
author.`,
		Example: `  fovea blame "Pika at the vet"
  fovea blame projects/kaplja.org:12 --json`,
		Args: oneNode,
	}, api.OpBlame, nil, func(b *api.BlameResponse) {
		for _, l := range b.Lines {
			s.Out.Row(Number(s.Out, 5, l.Commit.Seq), Text(l.Commit.Time.Local().Format(time.DateOnly)),
				Column(l.Commit.Author, 8), Number(s.Out, 5, l.Line), Column(strings.TrimRight(l.Text, "\r\n"), Rest))
		}
		if len(b.Gone) > 0 {
			s.Report("%s", goneFrom(b.Gone))
		}
	})
}

// goneFrom lists the commits whose versions could not be compared.
func goneFrom(commits []api.Commit) string {
	const few = 5
	var numbers []string
	for _, c := range commits[:min(few, len(commits))] {
		numbers = append(numbers, fmt.Sprint(c.Seq))
	}
	if more := len(commits) - few; more > 0 {
		numbers = append(numbers, fmt.Sprintf("and %d more", more))
	}
	return "history no longer has its text from commit " + strings.Join(numbers, ", ") + ": those changes are shown as part of the next commit"
}

func checkpointCommand(s *Session) *cobra.Command {
	return verb(s, &cobra.Command{
		Short: "Write an image of the current state, and keep it",
		Long: `Checkpoint writes an image of the whole state, so that the next start replays
nothing, and keeps the state under a name; without one it is checkpoint- and the
day. Nothing that was committed depends on it: the journal has it already.

With --to ipfs the memory goes to the IPFS daemon of this machine, too, with all
its history and what came since the last time, and the CID is printed: whoever
has it and a key can "fovea restore" or "fovea clone" it. It is sealed where
the daemon is online, unless you give --plain.`,
		Example: `  fovea checkpoint
  fovea checkpoint before-move
  fovea checkpoint --to ipfs`,
		Args: Args(0, 1, "at most one name"),
	}, api.OpCheckpoint, nil, printer(s.Out, printCheckpoint))
}

func restoreCommand(s *Session) *cobra.Command {
	return verb(s, &cobra.Command{
		Use:   "restore [NAME | FILE...]",
		Short: "Bring lost files back, or go back to a checkpoint",
		Long: `Restore makes the state of a checkpoint, or of another named snapshot, the
present one as a new commit. Files follow as in "fovea rollback", and
"fovea rollback 0" undoes it.

With --missing it writes the files that the folder has lost and memory keeps;
with FILE those files, each in its newest version or as it was --at a moment.
All else stays as it is then.

With --source ipfs it is what a CID names, of this memory or of another one.`,
		Example: `  fovea restore --missing
  fovea restore inbox.org tasks.org --at 2026-11-01
  fovea restore before-move
  fovea restore --source ipfs --cid CID`,
		Args: Args(0, -1, "one name, or files"),
	}, api.OpRestore, func(req *api.RestoreRequest, a []string) error {
		if len(a) == 1 && req.At == "" {
			req.Name = a[0]
		} else {
			req.Files = a
		}
		if len(a) == 0 && !req.Missing && req.CID == "" && req.From == "" {
			return Misusef(`restore wants the name of a checkpoint ("fovea snapshot list" shows them), files, or --missing; ` +
				`--dry-run shows what would change`)
		}
		return nil
	}, func(done *api.RestoreResponse) {
		if done.Name != "" && done.Would == nil {
			s.Report("restored %s", done.Name)
		} else if done.Name == "" && len(done.RestoredFiles)+len(done.RemovedFiles) == 0 {
			s.Report("no file is missing; fovea restore FILE brings back one that was removed")
		}
		printRollback(s, &done.RollbackResponse)
	})
}
