// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package verb

import (
	"errors"

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
	var tree api.IngestTreeRequest
	var ast string
	c := verb(s, &cobra.Command{
		Short: "Read what changed in the folder, and say what was committed",
		Long: `Ingest reads what changed and prints a line for each commit as it becomes
durable, then the status. Other verbs do the same silently.

With --ast it takes in nodes that stand in no file, as JSON: type, properties,
contents, raw-content. They are remembered like any other, and reach a file by
refile. The AST of a whole file is an unsaved buffer: it lies over the file in
--session until the file is saved.`,
		Example: `  fovea ingest
  fovea ingest --accept-deletions --json
  echo '{"type":"headline","properties":{"TITLE":"Rain"}}' |
    fovea ingest --ast -`,
	}, api.OpIngest, func(req *api.IngestRequest, _ []string) error {
		if tree.Parent != "" {
			return Misuse{errors.New("--parent goes with --ast (see fovea ingest --help)")}
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
		if ast != "" {
			return ingestTree(s, c, ast, tree)
		}
		return run(c, a)
	}
	c.Flags().StringVar(&ast, "ast", "", "take in the AST in this `FILE`, - for standard input")
	c.Flags().StringVar(&tree.Parent, "parent", "", "with --ast: the `NODE` to hang it below")
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
