// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
)

func statusCommand(s *Session) *cobra.Command {
	return verb(s, &cobra.Command{
		Long: `Status prints where the memory is kept, what it holds, which commit is the
newest and who signed it, and everything that needs attention. With --all it
lists the stores of all memexes of this user, even of removed ones.`,
		Example: `  fovea status
  fovea status --all
  fovea status --diagnostics`,
	}, api.OpStatus, nil, printer(s.Out, printStatus))
}

func ingestCommand(s *Session) *cobra.Command {
	var tree struct {
		File   string `flag:"--ast take in the AST in this <FILE>, - for standard input"`
		Parent string `flag:"--parent with --ast: the <NODE> to hang it below"`
	}
	c := verb(s, &cobra.Command{
		Short: "Read what changed in the folder, and say what was committed",
		Long: `Ingest reads what changed and prints a line for each commit as it becomes
durable, then the status. Other verbs do the same silently.

With --ast it takes in nodes that stand in no file, as JSON: type, properties,
contents, raw-content. They are remembered like any other, and reach a file by
refile. The AST of a whole file is an unsaved buffer: it lies over the file in
--session until the file is saved. Its root names the file: by the ID of the
document, or by PATH or FILE, if it is of the type org-data.`,
		Example: `  fovea ingest
  fovea ingest --accept-deletions --json
  echo '{"type":"headline","properties":{"TITLE":"Rain"}}' |
    fovea ingest --ast -`,
	}, api.OpIngest, func(req *api.IngestRequest, _ []string) error {
		if tree.Parent != "" {
			return Misusef("--parent goes with --ast (see fovea ingest --help)")
		}
		req.Progress = s.Progress
		req.Committed = func(k api.Commit) {
			s.Clear()
			if s.JSON {
				_ = s.Out.JSON(committed{k.Seq, k.Root, k.Documents})
			} else {
				s.Out.Printf("commit %d  %s  %s\n", k.Seq, k.Message, short(k.Root))
			}
		}
		return nil
	}, printer(s.Out, printStatus))
	run := c.RunE
	c.RunE = func(c *cobra.Command, a []string) error {
		if tree.File != "" {
			return ingestTree(s, c, tree.File, api.IngestTreeRequest{Parent: tree.Parent})
		}
		return run(c, a)
	}
	AddFlags(c.Flags(), &tree)
	return c
}

// ingestTree ingests an AST from a file.
func ingestTree(s *Session, c *cobra.Command, file string, req api.IngestTreeRequest) error {
	text, err := ReadFile(c.Context(), file)
	if err != nil {
		return err
	}
	req.AST = []byte(text)
	return Ask(s, c, api.OpIngestTree, req, func(r *api.IngestTreeResponse) {
		if r.Seq == 0 {
			s.Report("nothing to change")
		}
		s.Out.Printf("commit %d  %s  %s\n", r.Seq, r.Scope, r.ID)
	})
}

// committed is the JSON printed for a durable commit.
type committed struct {
	Seq       uint64 `json:"seq"`
	Root      string `json:"root"`
	Documents int    `json:"documents"`
}

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
	}, api.OpDrift, func(req *api.DriftRequest, _ []string) error {
		req.Action = action
		return nil
	}, func(r *api.DriftResponse) {
		printDrift(s.Out, r, done)
		if len(r.Drift) == 0 {
			s.Report("no file differs from memory on purpose")
		}
	})
}

func printDrift(out *Stream, r *api.DriftResponse, done string) {
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
		out.Row(Column(done, len(restored)), Text(d.Path), Text(note))
	}
}

func eventCommand(s *Session) *cobra.Command {
	return verb(s, &cobra.Command{
		Use: "event NAME",
		Long: `Events are heartbeat, manual-persist, point-update, and all words that skills
have among their triggers. The skills that answer to the event are named; Fovea
executes nothing in them. The built-in skill state-persistence makes a
checkpoint at manual-persist, and at heartbeat an image, without a name, if much
was written since the last one. At point-update the windows of an agent get
another focus.`,
		Example: `  fovea event manual-persist
  fovea event point-update --focus plan.org:12 --agent ada`,
		Args: Args(1, 1, "the name of an event"),
	}, api.OpEvent, nil, func(r *api.EventResponse) {
		if r.Checkpoint != nil {
			printCheckpoint(s.Out, r.Checkpoint)
		}
		for _, name := range r.Skills {
			fmt.Fprintln(s.Out, OneLine(name))
		}
	})
}

func logsCommand(s *Session) *cobra.Command {
	return verb(s, &cobra.Command{
		Long: `The log is that of the daemon, with a line for each call of an agent and for
each call of yours that failed. An agent gets the lines about its own calls.
The newest 1,000 lines of each are kept, also when no daemon runs.`,
		Example: `  fovea logs --limit 50
  fovea logs --agent ada`,
	}, api.OpLogs, nil, func(r *api.LogsResponse) {
		for _, line := range r.Lines {
			fmt.Fprintln(s.Out, Visible(line))
		}
	})
}
