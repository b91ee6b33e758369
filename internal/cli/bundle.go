// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api/remotes"
	"github.com/fovea-memory/fovea/internal/scope"
)

func bundleCommand(s *Session) *cobra.Command {
	return Group(&cobra.Command{
		Use:   "bundle",
		Short: "Put the memory with all its history into one file, and back",
		Long: `A bundle is one file with all notes, all history, snapshots and names; sessions
stay on their machine. It is sealed for this machine, and for those of seal_for
in the configuration, unless you give --plain. "fovea clone FILE FOLDER" makes a
memory of it; read brings it into one that is there.`,
		Example: `  fovea bundle write ~/backup/notes.fovea
  fovea bundle verify ~/backup/notes.fovea
  fovea clone ~/backup/notes.fovea ~/notes`,
	}, bundleWriteCommand(s), bundleReadCommand(s))
}

func bundleWriteCommand(s *Session) *cobra.Command {
	return verb(s, &cobra.Command{
		Use: "write FILE", Short: "Write the memory with all its history into one file",
		Long: `Write makes the file, or replaces a bundle that is there. Keep the key of this
machine elsewhere, too ("fovea bundle key" says where it is): without it nobody
opens what was sealed for this machine alone.

With --since the file has only what came after that commit, for a receiver who
has all before; "fovea bundle verify" prints the commits that a bundle ends
with.`,
		Example: `  fovea bundle write ~/backup/notes.fovea
  fovea bundle write notes.car --plain`,
		Args: Args(1, 1, "a file"),
	}, remotes.OpBundleWrite, func(req *remotes.BundleRequest, a []string) (err error) {
		req.File, err = filepath.Abs(a[0])
		return err
	}, func(b *remotes.Bundle) {
		PrintBundle(s.Out, b.Scopes)
		how := "sealed"
		if !b.Sealed {
			how = "plain: whoever has it can read it"
		}
		s.Report("wrote %s: %d bytes of history, %s", b.File, b.Bytes, how)
	})
}

func bundleReadCommand(s *Session) *cobra.Command {
	return verb(s, &cobra.Command{
		Use: "read FILE", Short: "Bring in what a bundle has, as a commit that can be undone",
		Long: `Read merges what the bundle has into this memory, files included, all or none,
as "fovea merge" does. With --replace the newest state of the bundle, which may
be one of another memory, becomes the present one; what was there stays in
history.
"fovea rollback 0" undoes either.`,
		Example: `  fovea bundle read laptop.fovea --dry-run
  fovea bundle read yesterday.fovea --replace`,
		Args: Args(1, 1, "a file"),
	}, remotes.OpBundleRead, func(req *remotes.BundleReadRequest, a []string) (err error) {
		req.File, err = filepath.Abs(a[0])
		return err
	}, func(all []remotes.Brought) {
		printBrought(s, all)
	})
}

// PrintBundle prints what a bundle holds, a row for each scope.
func PrintBundle(out *Stream, all []remotes.BundleScope) {
	for _, b := range all {
		out.Row(Column(b.Name, 20), Text(scope.Count(int(b.Seq), "commit")+", ends with "+b.Head.String()))
	}
}

// printBrought prints what came into each scope.
func printBrought(s *Session, all []remotes.Brought) {
	for _, b := range all {
		if b.Seq > 0 {
			s.Out.Printf("%s: commit %d, root %s\n", OneLine(b.Scope), b.Seq, short(b.Root))
		}
		changed := "changed"
		if b.Would != nil {
			changed = "would change"
		}
		for _, f := range b.Files {
			s.Out.Printf("%s  %s\n", changed, f)
		}
		printFiles(s.Out, "left", b.Left)
		printConflicts(s.Out, b.Conflicts)
		if !printWould(s, b.Would) && b.Seq == 0 && len(b.Files) == 0 {
			s.Report("%s: nothing new", b.Scope)
		}
	}
}
