// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api/remotes"
	"github.com/fovea-memory/fovea/internal/config"
)

func mergeCommand(s *Session) *cobra.Command {
	return verbFor(s, &cobra.Command{
		Short: "Merge the changes of another copy of this memory",
		Long: `Merge brings in what another copy of this memory has done since both were one:
note by note and field by field, files included, all or none. COPY is the state
folder of the copy (see "fovea status") or, on this machine, its memex; run
"fovea ingest" there first. If both changed the same thing, one version wins and
the other is kept in the note as a conflict; see "fovea resolve". It is one
commit, and "fovea rollback 0" undoes it. Nothing is written into the copy.`,
		Example: `  fovea merge /media/stick/state --dry-run
  fovea merge ~/laptop/memex
  fovea query tags-local:conflict`,
		Args: Args(1, 1, "one state folder or memex"),
	}, remotes.OpMerge, func(req *remotes.MergeRequest, a []string) (err error) {
		if req.State, err = stateOf(a[0]); err != nil {
			return Misuse{err}
		}
		return nil
	}, func(req *remotes.MergeRequest, done *remotes.MergeResponse) {
		printMerge(s.Out, done, req)
		printWould(s, done.Would)
	})
}

// stateOf returns the state folder at path, or that of the memex at path.
func stateOf(path string) (string, error) {
	if config.HasMemory(path) {
		return filepath.Abs(path)
	}
	state, err := config.StateDirOfOther(path)
	if err != nil {
		return "", err
	}
	if !config.HasMemory(state) {
		return "", fmt.Errorf("merge: %s is neither a state folder nor a memex with a memory on this machine; fovea status prints the state folder of the copy", path)
	}
	return state, nil
}

func printMerge(out *Stream, r *remotes.MergeResponse, req *remotes.MergeRequest) {
	done := "merged  "
	switch {
	case req.DryRun && len(r.Files) == 0:
		out.Printf("no file would change\n")
	case req.DryRun:
		done = "would merge  "
	case r.Seq == 0:
		out.Printf("nothing new: this memory has all that the copy has\n")
	default:
		out.Printf("merged by commit %d, root %s\n", r.Seq, short(r.Root))
	}
	if req.MemoryOnly {
		done = "differs  "
	}
	for _, f := range r.Files {
		out.Printf("%s%s\n", done, f)
	}
	printFiles(out, "left", r.Left)
	printConflicts(out, r.Conflicts)
}
