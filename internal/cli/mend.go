// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
)

func repairCommand(s *Session) *cobra.Command {
	return verb(s, &cobra.Command{
		Short: "Repair a damaged memory, and report what is lost",
		Long: `Repair moves damaged files into the folder quarantine, keeps every block and
commit that verifies, follows the chain of commits as far as it is intact, takes
lost blocks from images, and reads the folder. A commit records what could not
be recovered. The notes themselves are not touched.`,
		Example: `  fovea repair --dry-run
  fovea repair`,
	}, api.OpRepair, nil, printer(s.Out, printRepair))
}

func printRepair(out *Stream, r *api.RepairResponse) {
	printProblems(out, r.Plan)
	switch {
	case len(r.Plan) == 0:
		out.Printf("nothing to repair\n")
	case r.Done:
		out.Printf("repaired; commit %d, %s\n", r.Seq, short(r.Root))
	default:
		out.Printf("nothing was done; without --dry-run this is repaired\n")
	}
}

func retainCommand(s *Session) *cobra.Command {
	return verbFor(s, &cobra.Command{
		Short: "Thin the history: drop old versions by their age",
		Long: `Retain keeps every moment of the history that is younger than --keep-all, the
last of each hour younger than --hourly, the last of each day younger than
--daily, the present one, and those with a snapshot. Content that only other
moments need is deleted for good; their commits stay in the log. Ages are
written as 12h, 7d, 4w or 1y; hours and days are those of UTC. History is kept
whole until this is run.`,
		Example: "  fovea retain --keep-all 7d --hourly 30d --daily 365d --dry-run",
	}, api.OpRetain, nil, func(req *api.RetainRequest, r *api.RetainResponse) {
		if req.DryRun {
			fmt.Fprint(s.Out, "would be: ")
		}
		s.Out.Printf("%d moments thinned, %d blocks dropped\n", r.Moments, r.Blocks)
	})
}

func purgeCommand(s *Session) *cobra.Command {
	return verbFor(s, &cobra.Command{
		Short: "Remove every version of nodes, or of a text, from history for good",
		Long: `Purge removes every version of the nodes, under all the ids they went by and
with what was forgotten together with them, or every version that holds a text,
from journal, packs, images and quarantine. It refuses while the notes still
hold it: edit or forget first. A text also leaves what Fovea recorded of agents
in all sessions: questions of windows, and blocks of what they did. The commits
stay, and "fovea verify" says which content was purged. The file system may keep
deleted bytes for a while, and so do backups of the state folder. The next push
takes it out of the remotes. Bundles that were handed out, and what is on IPFS,
keep it.`,
		Example: `  fovea purge 50de58fa-1866-4ce4-8bb3-15eb06edc9b4
  pass show old-key | fovea purge --text -
  fovea purge --text "the door code" --dry-run`,
		Args: Args(0, -1, "ids of nodes"),
	}, api.OpPurge, func(req *api.PurgeRequest, a []string) error {
		req.Text = strings.TrimRight(req.Text, "\r\n") // of a file or pipe, it ends in a newline
		if len(a) == 0 && req.Text == "" {
			return Misusef("purge wants ids of nodes, or --text (see fovea purge --help)")
		}
		return nil
	}, func(req *api.PurgeRequest, r *api.PurgeResponse) {
		if req.DryRun {
			fmt.Fprint(s.Out, "would be: ")
		}
		s.Out.Printf("%d versions purged\n", r.Versions)
		if len(r.Remotes) > 0 {
			s.Report("%s may hold it until \"fovea push\" rewrites this machine's part; other machines purge theirs", strings.Join(r.Remotes, ", "))
		}
		if len(r.IPFS) > 0 {
			s.Report("out of reach on IPFS, each may hold it; \"ipfs pin rm\" gives them up, copies elsewhere stay: %s", strings.Join(r.IPFS, " "))
		}
	})
}
