// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package verb

import (
	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api/care"
	"github.com/fovea-memory/fovea/internal/terminal"
)

func driftCommand(s *Session) *cobra.Command {
	c := driftAction(s, "list", "List the files that differ from memory on purpose", "differs")
	c.Use = "drift [FILE...]"
	c.Long = `Drift is what a rollback with --memory-only leaves: files that differ from
memory on purpose. So do the notes of other machines that this one ignores or
does not read, and the ignore files of others. It lasts until the file changes,
or until "drift adopt" takes what the file holds into memory, or "drift apply"
gives the file what memory has.`
	c.Example = `  fovea drift
  fovea drift apply notes.org
  fovea drift adopt --json`
	c.AddCommand(
		driftAction(s, "list", "List them, with both digests in JSON", "differs"),
		driftAction(s, "adopt", "Take the content of the files into memory; all files by default", "adopted"),
		driftAction(s, "apply", "Write the content of memory into the files; all files by default", restored),
	)
	return c
}

// restored labels a file that was reset to its content in memory.
const restored = "restored"

// driftAction returns a verb that resolves drift; done labels each file.
func driftAction(s *Session, action, short, done string) *cobra.Command {
	return verb(s, &cobra.Command{
		Use:     action + " [FILE...]",
		Short:   short,
		Example: "  fovea drift " + action,
		Args:    Args(0, -1, "files"),
	}, care.OpDrift, func(req *care.DriftRequest, _ []string) error {
		req.Action = action
		return nil
	}, func(r *care.DriftResponse) {
		printDrift(s.Out, r, done)
		if len(r.Drift) == 0 {
			s.Report("no file differs from memory on purpose")
		}
	})
}

func printDrift(out *terminal.Stream, r *care.DriftResponse, done string) {
	for _, d := range r.Drift {
		done, note := done, ""
		switch {
		case done == restored && d.Memory == "":
			done = "removed" // also if there was no such file
		case d.File == "":
			note = "(there is no such file)"
		case d.Memory == "":
			note = "(memory has no such document)"
		}
		out.Row(terminal.Column(done, len(restored)), terminal.Text(d.Path), terminal.Text(note))
	}
}
