// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api/exchange"
	"github.com/fovea-memory/fovea/internal/foreign"
	"github.com/fovea-memory/fovea/internal/scope"
)

// sources says of each kind of notes what it is, and where it lies.
var sources = []struct {
	kind                 foreign.Kind
	argument, of, sample string
}{
	{foreign.Claude, "FOLDER", "the memory that Claude Code has written in a project", "~/.claude/projects/-home-me-work/memory"},
	{foreign.BasicMemory, "FOLDER", "a project of basic-memory", "~/basic-memory"},
	{foreign.OKF, "FOLDER", "a folder in the Open Knowledge Format", "~/work/.okf"},
	{foreign.Markdown, "FOLDER", "a folder of Markdown, such as a vault of Obsidian", "~/vault"},
	{foreign.JSONLines, "FILE", "a file of JSON objects, one a line", "~/memories.jsonl"},
}

// maxProblems is how many problems of an import or export are printed.
const maxProblems = 10

// ImportCommands returns the verbs that take over notes of other programs, one for each kind.
func ImportCommands(s *Session) []*cobra.Command {
	var all []*cobra.Command
	for _, from := range sources {
		all = append(all, verbFor(s, &cobra.Command{
			Use:   string(from.kind) + " " + from.argument,
			Short: "Take over " + from.of,
			Long: `Take over ` + from.of + `.
Each note becomes Org below imports/, with an id of its own, so that links
between the notes lead to them here. All of it is one commit: "fovea revert"
takes it back.

Run it again at any time. Notes that changed there are brought up to date, but
for those that changed here as well or were removed here; these are named. What
could not be carried over is named, too.`,
			Example: "  fovea import " + string(from.kind) + " " + from.sample + "\n  fovea import " + string(from.kind) + " " + from.sample + " --dry-run",
			Args:    Args(1, 1, "a "+map[string]string{"FOLDER": "folder", "FILE": "file"}[from.argument]),
		}, exchange.OpImport, func(req *exchange.ImportRequest, a []string) (err error) {
			req.Kind = string(from.kind)
			req.Source, err = filepath.Abs(a[0])
			return err
		}, func(req *exchange.ImportRequest, done *exchange.Imported) { printImported(s, req, done) }))
	}
	return all
}

func printImported(s *Session, req *exchange.ImportRequest, done *exchange.Imported) {
	s.Out.Printf("%d added, %d updated, %d unchanged\n", done.Added, done.Updated, done.Unchanged)
	if req.DryRun {
		s.Report("nothing was written; run it without --dry-run to import")
	}
	if done.Seq > 0 {
		s.Report("commit %d; fovea revert %d takes it back", done.Seq, done.Seq)
	}
	for _, kept := range done.Kept {
		s.Report("kept as it is here: %s", OneLine(kept))
	}
	if n := len(done.Removed); n > 0 {
		s.Report("%s removed here and left out; --again brings them back", scope.Count(n, "note"))
	}
	reportLost(s, done.Problems)
}

// reportLost names what could not be carried over.
func reportLost(s *Session, problems []string) {
	for i, problem := range problems {
		if i == maxProblems {
			s.Report("and %d more; --json lists all", len(problems)-i)
			break
		}
		s.Report("%s", OneLine(problem))
	}
}

func exportCommand(s *Session) *cobra.Command {
	return verb(s, &cobra.Command{
		Long: `Export writes notes as another program reads them: claude (a memory folder of
Claude Code), basic-memory, okf (Open Knowledge Format) and markdown make a
folder, one Markdown file for each Org file; jsonl makes a file of JSON objects,
one a line, for each headline and file. The notes themselves stay as they are.

TARGET must be new, or from an earlier export, which is replaced.`,
		Example: `  fovea export markdown ~/notes-markdown
  fovea export jsonl notes.jsonl --query "tags:house"`,
		Args: Args(2, 2, "a kind and a target"),
	}, exchange.OpExport, func(req *exchange.ExportRequest, a []string) (err error) {
		req.Kind = a[0]
		req.To, err = filepath.Abs(a[1])
		return err
	}, func(done *exchange.Exported) {
		s.Out.Printf("%s: %s in %s\n", done.To, scope.Count(done.Notes, "note"), scope.Count(done.Files, "file"))
		reportLost(s, done.Problems)
	})
}
