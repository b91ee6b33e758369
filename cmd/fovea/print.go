// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/rivo/uniseg"

	"github.com/fovea-memory/fovea/api"
)

// spaced matches a word with its leading space.
var spaced = regexp.MustCompile(`\s*\S+`)

// wrap breaks a text between words to fit wide cells. Further lines are indented; the first
// already is.
func wrap(text string, indent, wide int) string {
	var b strings.Builder
	used := indent
	for _, next := range spaced.FindAllString(strings.TrimSpace(text), -1) {
		if used > indent && used+uniseg.StringWidth(next) > wide {
			b.WriteString("\n" + strings.Repeat(" ", indent))
			next, used = strings.TrimSpace(next), indent
		}
		b.WriteString(next)
		used += uniseg.StringWidth(next)
	}
	return b.String()
}

// fold breaks each line wider than wide and indents its continuation by indent more.
func fold(text string, indent, wide int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if uniseg.StringWidth(line) > wide {
			before := len(line) - len(strings.TrimLeft(line, " "))
			lines[i] = line[:before] + wrap(line, before+indent, wide)
		}
	}
	return strings.Join(lines, "\n")
}

// fit cuts or pads visible text to a width in terminal cells.
func fit(s string, width int) string {
	if width <= 0 {
		return ""
	}
	if w := uniseg.StringWidth(s); w <= width {
		return s + strings.Repeat(" ", width-w)
	}
	var b strings.Builder
	used := 0
	for g := uniseg.NewGraphemes(s); g.Next(); {
		if used+g.Width() > width-1 {
			break
		}
		b.WriteString(g.Str())
		used += g.Width()
	}
	return b.String() + "…" + strings.Repeat(" ", width-1-used)
}

// short returns the first 16 characters of a digest, enough to name a commit.
func short(digest string) string { return digest[:min(len(digest), 16)] }

// several returns a count and its noun.
func several(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func printNodes(out *stream, nodes []api.Node) {
	for _, n := range nodes {
		out.row(nodeCells(out, n)...)
	}
}

// nodeCells returns a node's columns in a list: title and place. In a pipe, keyword and tags
// have their own columns.
func nodeCells(out *stream, n api.Node) []cell {
	title, tags := n.Label(), ""
	if len(n.Tags) > 0 {
		tags = ":" + strings.Join(n.Tags, ":") + ":"
	}
	where := cell{text: place(n.Path, n.Line)}
	if !out.terminal() {
		return []cell{{text: n.Todo}, {text: title}, {text: tags}, where}
	}
	if n.Todo != "" {
		title = n.Todo + " " + title
	}
	if tags != "" {
		title += "  " + tags
	}
	return []cell{{title, rest}, where}
}

func printHits(out *stream, hits []api.Hit) {
	for _, h := range hits {
		out.row(append([]cell{{text: fmt.Sprintf("%.2f", h.Similarity)}}, nodeCells(out, h.Node)...)...)
	}
}

func printShown(out *stream, n *api.Shown) {
	fmt.Fprintf(out, "%s  (%s)\n", oneLine(cmp.Or(n.Title, "(untitled)")), n.Type)
	fmt.Fprintf(out, "id        %s\nversion   %s\ndigest    %s\n", oneLine(n.ID), n.Version, n.Digest)
	fmt.Fprintf(out, "where     %s\n", oneLine(place(n.Path, n.Line)))
	if n.Missing != "" {
		fmt.Fprintf(out, "missing   %s\n", oneLine(n.Missing))
	}
	fmt.Fprintf(out, "modified  %s\nchildren  %d\n\n", moment(n.Modified), len(n.Children))
	text := n.Content
	if exact, err := base64.StdEncoding.DecodeString(n.ContentBase64); err == nil && len(exact) > 0 {
		text = string(exact)
	}
	out.text(text)
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
func bareLine(out *stream, line string) string {
	text := strings.TrimSuffix(line, "\n")
	if bare, cr := strings.CutSuffix(text, "\r"); cr && out.terminal() {
		return bare + "^M"
	}
	return text
}

func printStatus(out *stream, s *api.Status) {
	fmt.Fprintf(out, "memex      %s\nstate      %s\nroot       %s\n", oneLine(s.Memex), oneLine(s.StateDir), s.Root)
	fmt.Fprintf(out, "head       commit %d\nholds      %d nodes in %d documents\n", s.Seq, s.Nodes, s.Documents)
	for _, row := range []struct {
		name  string
		value string
	}{
		{"missing", few(s.Missing, "; fovea restore --missing brings them back")},
		{"lockdown", strings.Join(s.Lockdown, ", ")}, {"unreviewed", strings.Join(s.Unreviewed, ", ")}, {"drift", strings.Join(s.Drift, ", ")}, {"read-only", s.ReadOnly}, {"recovered", s.Recovered}, {"history", s.Large},
		{"signed by", s.SignedBy}, {"signature", s.Signature}, {"baselines", s.Baselines}, {"relaxed", relaxed(s.RelaxedMs)},
	} {
		if row.value != "" {
			fmt.Fprintln(out, out.folded(fmt.Sprintf("%-10s %s", row.name, oneLine(row.value)), len("signed by  ")))
		}
	}
	switch {
	case len(s.DiagnosticList) > 0:
		fmt.Fprintln(out)
		printDiagnostics(out, s.DiagnosticList)
	case s.Diagnostics > 0:
		fmt.Fprintf(out, "odd        %d things: see fovea status --diagnostics\n", s.Diagnostics)
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

// relaxed describes what a memory that syncs late may lose, "" if it syncs at once.
func relaxed(ms int64) string {
	if ms == 0 {
		return ""
	}
	return fmt.Sprintf("a commit may be told %d ms before it is on the disk; power lost meanwhile loses it", ms)
}

func printProblems(out *stream, problems []api.Problem) {
	for _, p := range problems {
		fmt.Fprintln(out, out.folded(oneLine(fmt.Sprintf("%s: %s: %s", place(p.Where, p.Line), p.Kind, p.Detail)), 4))
	}
}

// printDiagnostics is printProblems with one record per problem in a pipe.
func printDiagnostics(out *stream, problems []api.Problem) {
	if out.terminal() {
		printProblems(out, problems)
		return
	}
	for _, p := range problems {
		out.row(cell{text: place(p.Where, p.Line)}, cell{text: p.Kind}, cell{text: p.Detail})
	}
}

func printCommits(out *stream, commits []api.Commit) {
	for _, c := range commits {
		out.row(number(out, 5, c.Seq), cell{text: moment(c.Time)}, cell{c.Kind, 8}, cell{c.Author, 8},
			cell{fmt.Sprintf("%s (%d)", c.Message, c.Changes), rest})
	}
}

// number returns a right-aligned cell.
func number[N int | uint64](out *stream, wide int, n N) cell {
	if !out.terminal() {
		wide = 0
	}
	return cell{text: fmt.Sprintf("%*d", wide, n)}
}

func printSnapshots(out *stream, list []api.Snapshot) {
	for _, s := range list {
		out.row(number(out, 3, s.Index), cell{text: moment(s.Time)}, cell{fmt.Sprintf("commit %d", s.Seq), 13},
			cell{text: cmp.Or(s.Name, "(automatic)")})
	}
}

// printDiff prints a difference and returns the number of nodes in it.
func printDiff(out *stream, d *api.Difference) int {
	n := 0
	for _, g := range []struct {
		mark  string
		nodes []api.Changed
	}{{"+", d.Added}, {"-", d.Removed}, {"~", d.Changed}, {">", d.Moved}} {
		for _, c := range g.nodes {
			n++
			title := cmp.Or(c.Title, "(untitled)")
			if out.terminal() {
				title = g.mark + " " + title
			}
			cells := []cell{{title, out.wide/2 + 2}, {text: c.Path}}
			if !out.terminal() {
				cells = append([]cell{{text: g.mark}}, cells...)
			}
			if c.Was != "" {
				cells = append(cells, cell{text: "was " + c.Was})
			}
			out.row(cells...)
			for line := range strings.Lines(c.Text) {
				fmt.Fprintln(out, "    "+bareLine(out, line))
			}
		}
	}
	for _, path := range d.Lockdown {
		n++
		fmt.Fprintf(out, "! a protected file changed, and its owner has not let that through  %s\n", oneLine(path))
	}
	return n
}

func printRollback(out *stream, r *api.RollbackResponse) {
	fmt.Fprintf(out, "at commit %d, root %s\n", r.Seq, short(r.Root))
	printFiles(out, "restored", r.RestoredFiles)
	printFiles(out, "removed", r.RemovedFiles)
	printFiles(out, "left", r.Drift)
}

// printFiles lists files after a label for what happened to them.
func printFiles(out *stream, became string, files []string) {
	for _, f := range files {
		fmt.Fprintf(out, "%-8s  %s\n", became, oneLine(f))
	}
}

func printCheckpoint(out *stream, c *api.Checkpoint) {
	fmt.Fprintf(out, "%s  commit %d, root %s\nholds  %d nodes in %d documents\nimage  %s\n",
		oneLine(c.Name), c.Seq, short(c.Root), c.Nodes, c.Documents, oneLine(c.Image))
}

func printVerify(out *stream, r *api.VerifyResponse) {
	verdict := "everything is as it should be"
	if !r.OK {
		verdict = "not everything is as it should be"
	}
	fmt.Fprintf(out, "%s: recomputed %d commits, blocks and nodes\n", verdict, r.Checked)
	printProblems(out, r.Problems)
}
