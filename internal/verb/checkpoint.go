// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package verb

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
)

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
			return Misuse{errors.New(`restore wants the name of a checkpoint ("fovea snapshot list" shows them), files, or --missing; ` +
				`--dry-run shows what would change`)}
		}
		return nil
	}, func(done *api.RestoreResponse) {
		if done.Name != "" && done.Would == nil {
			s.Report("restored %s", done.Name)
		} else if len(done.RestoredFiles)+len(done.RemovedFiles) == 0 {
			s.Report("no file is missing; fovea restore FILE brings back one that was removed")
		}
		printRollback(s, &done.RollbackResponse)
	})
}
