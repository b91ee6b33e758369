// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/scope"
)

// short returns the first 16 characters of a digest, enough to name a commit.
func short(digest string) string { return digest[:min(len(digest), 16)] }

// printList returns what prints each entry of a list by row; of an empty list it reports none.
func printList[T any](s *Session, none string, row func(*T)) func([]T) {
	return func(all []T) {
		for i := range all {
			row(&all[i])
		}
		if len(all) == 0 {
			s.Report("%s", none)
		}
	}
}

func printNode(out *Stream, n *api.Node) { out.Row(nodeCells(out, *n)...) }

// nodeCells returns a node's columns in a list: title and place. In a pipe, keyword and tags
// have their own columns.
func nodeCells(out *Stream, n api.Node) []Cell {
	title, tags := n.Label(), ""
	if len(n.Tags) > 0 {
		tags = ":" + strings.Join(n.Tags, ":") + ":"
	}
	where := Text(place(n.Path, n.Line))
	if !out.IsTerminal() {
		return []Cell{{Text: n.Todo}, {Text: title}, {Text: tags}, where}
	}
	if n.Todo != "" {
		title = n.Todo + " " + title
	}
	if tags != "" {
		title += "  " + tags
	}
	return []Cell{Column(title, Rest), where}
}

func printShown(out *Stream, n *api.Shown) {
	out.Printf("%s  (%s)\n", cmp.Or(n.Title, "(untitled)"), n.Type)
	out.Printf("id        %s\nversion   %s\ndigest    %s\nhandle    %s\n", n.ID, n.Version, n.Digest, n.Handle)
	out.Printf("where     %s\n", place(n.Path, n.Line))
	if n.Doubled != "" {
		out.Printf("doubled   %s\n", OneLine(n.Doubled))
	}
	if n.Missing != "" {
		out.Printf("missing   %s\n", n.Missing)
	}
	out.Printf("modified  %s\nchildren  %d\n", moment(n.Modified), len(n.Children))
	for i := range n.Backlinks {
		out.Printf("from      %s  (%s)\n", n.Backlinks[i].Label(), place(n.Backlinks[i].Path, n.Backlinks[i].Line))
	}
	if more := n.BacklinkCount - len(n.Backlinks); more > 0 {
		out.Printf("from      %d more\n", more)
	}
	out.Printf("\n")
	text := n.Content
	if exact, err := base64.StdEncoding.DecodeString(n.ContentBase64); err == nil && len(exact) > 0 {
		text = string(exact)
	}
	out.Text(text)
}

// moment formats a time for lists.
func moment(t time.Time) string { return t.Local().Format(time.DateTime) }

// place formats a node's location; a node without a file has no line.
func place(path string, line int) string {
	if line == 0 {
		return path
	}
	return fmt.Sprintf("%s:%d", path, line)
}

// bareLine strips the line ending. At a terminal a carriage return is shown: it may be the
// only change.
func bareLine(out *Stream, line string) string {
	text := strings.TrimSuffix(line, "\n")
	if bare, cr := strings.CutSuffix(text, "\r"); cr && out.IsTerminal() {
		return bare + "^M"
	}
	return text
}

func printStatus(out *Stream, s *api.Status) {
	out.Printf("memex      %s\nstate      %s\nroot       %s\n", s.Memex, s.StateDir, s.Root)
	embedder, baselines := s.Embedder, s.Baselines
	if s.PendingEmbeddings > 0 {
		embedder += fmt.Sprintf(", %d nodes wait", s.PendingEmbeddings)
	}
	if baselines != "" && baselines == s.Signature {
		baselines = "the same as the signature"
	}
	out.Printf("head       commit %d\nholds      %s in %s\n", s.Seq, scope.Count(s.Nodes, "node"), scope.Count(s.Documents, "document"))
	for _, row := range []struct {
		name  string
		value string
	}{
		{"missing", few(s.Missing, "; fovea restore --missing brings them back")},
		{"lockdown", strings.Join(s.Lockdown, ", ")}, {"unreviewed", strings.Join(s.Unreviewed, ", ")}, {"drift", strings.Join(s.Drift, ", ")},
		{"read-only", s.ReadOnly}, {"recovered", s.Recovered}, {"history", s.Large}, {"config", s.Configuration},
		{"embedder", embedder},
		{"signed by", s.SignedBy}, {"signature", s.Signature}, {"baselines", baselines},
	} {
		if row.value != "" {
			fmt.Fprintln(out, out.Fold(fmt.Sprintf("%-10s %s", row.name, OneLine(row.value)), len("signed by  ")))
		}
	}
	switch {
	case len(s.DiagnosticList) > 0:
		fmt.Fprintln(out)
		printDiagnostics(out, s.DiagnosticList)
	case s.Diagnostics > 0:
		out.Printf("problems   %d: see fovea status --diagnostics\n", s.Diagnostics)
	}
}

// few names up to three of the files and what to do about them; "" for none.
func few(files []string, next string) string {
	const most = 3
	switch n := len(files); {
	case n == 0:
		return ""
	case n > most:
		return fmt.Sprintf("%d files: %s and %d more%s", n, strings.Join(files[:most], ", "), n-most, next)
	}
	return strings.Join(files, ", ") + next
}

func printProblems(out *Stream, problems []api.Problem) {
	for _, p := range problems {
		fmt.Fprintln(out, out.Fold(OneLine(fmt.Sprintf("%s: %s: %s", place(p.Path, p.Line), p.Kind, p.Message)), 4))
	}
}

// printDiagnostics is printProblems with one record per problem in a pipe.
func printDiagnostics(out *Stream, problems []api.Problem) {
	if out.IsTerminal() {
		printProblems(out, problems)
		return
	}
	for _, p := range problems {
		out.Row(Text(place(p.Path, p.Line)), Text(p.Kind), Text(p.Message))
	}
}

func printCommit(out *Stream, c *api.Commit) {
	out.Row(Number(out, 5, c.Seq), Text(moment(c.Time)), Column(c.Kind, 8), Column(c.Author, 8),
		Column(fmt.Sprintf("%s (%d)", c.Message, c.Changes), Rest))
}

func printSnapshot(out *Stream, s *api.Snapshot) {
	out.Row(Number(out, 3, s.Index), Text(moment(s.Time)), Column(fmt.Sprintf("commit %d", s.Seq), 13),
		Text(cmp.Or(s.Name, "(automatic)")))
}

// printDiff prints a difference and returns the number of nodes in it.
func printDiff(out *Stream, d *api.Difference) int {
	n := 0
	for _, g := range []struct {
		mark  string
		nodes []api.Changed
	}{{"+", d.Added}, {"-", d.Removed}, {"~", d.Changed}, {">", d.Moved}} {
		for _, c := range g.nodes {
			n++
			title := cmp.Or(c.Title, "(untitled)")
			if out.IsTerminal() {
				title = g.mark + " " + title
			}
			cells := []Cell{Column(title, out.Width()/2+2), Text(c.Path)}
			if !out.IsTerminal() {
				cells = append([]Cell{{Text: g.mark}}, cells...)
			}
			if c.Was != "" && !out.IsTerminal() {
				cells = append(cells, Text("was "+c.Was))
			}
			out.Row(cells...)
			if c.Was != "" && out.IsTerminal() { // on a line of its own, since an id is never cut
				out.Row(Text("    was " + c.Was))
			}
			for line := range strings.Lines(c.Text) {
				fmt.Fprintln(out, "    "+bareLine(out, line))
			}
		}
	}
	for _, path := range d.Lockdown {
		n++
		out.Printf("! a protected file changed, and its owner has not accepted the change  %s\n", path)
	}
	return n
}

// printWould prints what a dry run would change, and that nothing was changed. It reports
// whether there was one.
func printWould(s *Session, d *api.Difference) bool {
	if d == nil {
		return false
	}
	s.Report("a dry run: nothing was changed; %s would change", scope.Count(printDiff(s.Out, d), "node"))
	return true
}

// printRollback prints what became of files, or would of a dry run.
func printRollback(s *Session, r *api.RollbackResponse) {
	restored, removed := "restored", "removed"
	if r.Would != nil {
		restored, removed = "would restore", "would remove"
	} else {
		s.Out.Printf("at commit %d, root %s\n", r.Seq, short(r.Root))
	}
	printFiles(s.Out, restored, r.RestoredFiles)
	printFiles(s.Out, removed, r.RemovedFiles)
	printFiles(s.Out, "left", r.Drift)
	printFiles(s.Out, "left", r.Left)
	if !printWould(s, r.Would) && len(r.RestoredFiles) > 0 {
		s.Report("%s written", scope.Count(len(r.RestoredFiles), "file"))
	}
}

// printFiles lists files after a label for what happened to them.
func printFiles(out *Stream, became string, files []string) {
	for _, f := range files {
		out.Printf("%-8s  %s\n", became, f)
	}
}

func printCheckpoint(out *Stream, c *api.Checkpoint) {
	out.Printf("%s  commit %d, root %s\nholds  %s in %s\nimage  %s\n",
		c.Name, c.Seq, short(c.Root), scope.Count(c.Nodes, "node"), scope.Count(c.Documents, "document"), c.Image)
	if c.CID == "" {
		return
	}
	how := "plain: whoever has the CID can read it"
	if c.Sealed {
		how = "sealed"
	}
	fmt.Fprintln(out, out.Fold(fmt.Sprintf("ipfs   %s (%s)", c.CID, how), len("ipfs   ")))
	if c.Archive != "" && c.Archive != c.CID {
		out.Printf("with all history  %s\n", c.Archive)
	}
}

func printVerify(out *Stream, r *api.VerifyResponse) {
	verdict := "everything is as it should be"
	if !r.OK {
		verdict = "not everything is as it should be"
	}
	out.Printf("%s: recomputed %d commits, blocks and nodes\n", verdict, r.Checked)
	printProblems(out, r.Problems)
}
