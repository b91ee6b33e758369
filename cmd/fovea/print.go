// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
	"golang.org/x/term"

	"github.com/fovea-memory/fovea/api"
)

// columns is the width that help is laid out for, and lists where no terminal says
// another; narrowest is the least that lists are laid out for.
const columns, narrowest = 80, 60

// columns is the width to lay lists out for: the terminal's.
func (o *output) columns() int {
	if o.wide == 0 {
		o.wide = max(cmp.Or(width(os.Stdout), columns), narrowest)
	}
	return o.wide
}

// width is that of a terminal in cells, 0 where a file is none.
func width(f *os.File) int {
	wide, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return wide
}

// spaced is a word with the space before it.
var spaced = regexp.MustCompile(`\s*\S+`)

// wrap breaks a text between words so that it fits a width behind an indent, which
// the first line has already.
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

// fold breaks each line that is wider than wide, and indents what follows by so much
// more than the line is.
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

// folded is fold where a terminal is behind a file; elsewhere a line stays one.
func folded(f *os.File, text string, indent int) string {
	if wide := width(f); wide > 0 {
		return fold(text, indent, wide)
	}
	return text
}

// plain makes remembered text safe for a terminal: control characters, which
// could move the cursor or change colours, become spaces.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200d' {
			return ' '
		}
		return r
	}, s)
}

// plainLines is plain line by line: errors show titles and paths too.
func plainLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = plain(l)
	}
	return strings.Join(lines, "\n")
}

// fit cuts or pads text to a width in terminal cells.
func fit(s string, width int) string {
	s = plain(s)
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

// short is the beginning of a digest: enough to name a commit by.
func short(digest string) string { return digest[:min(len(digest), 16)] }

// several is how many there are of a thing.
func several(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func printNodes(out *output, nodes []api.Node) {
	for _, n := range nodes {
		fmt.Fprintln(out, nodeLine(n, out.columns()))
	}
}

// nodeLine shows a node in a line of the given width.
func nodeLine(n api.Node, width int) string {
	where := place(n.Path, n.Line)
	title := n.Label()
	if n.Todo != "" {
		title = n.Todo + " " + title
	}
	if len(n.Tags) > 0 {
		title += "  :" + strings.Join(n.Tags, ":") + ":"
	}
	room := width - uniseg.StringWidth(where) - 2
	if room < 24 {
		return plain(title) + "\n    " + where
	}
	return fit(title, room) + "  " + where
}

func printHits(out *output, hits []api.Hit) {
	for _, h := range hits {
		fmt.Fprintf(out, "%.2f  %s\n", h.Similarity, nodeLine(h.Node, out.columns()-6))
	}
}

func printShown(out io.Writer, n *api.Shown) {
	fmt.Fprintf(out, "%s  (%s)\n", plain(cmp.Or(n.Title, "(untitled)")), n.Type)
	fmt.Fprintf(out, "id        %s\nversion   %s\ndigest    %s\n", plain(n.ID), n.Version, n.Digest)
	fmt.Fprintf(out, "where     %s\n", place(n.Path, n.Line))
	if n.Missing != "" {
		fmt.Fprintf(out, "missing   %s\n", plain(n.Missing))
	}
	fmt.Fprintf(out, "modified  %s\nchildren  %d\n\n", n.Modified.Local().Format("2006-01-02 15:04:05"), len(n.Children))
	for line := range strings.Lines(n.Content) {
		fmt.Fprintln(out, strings.TrimRight(plainLine(line), " "))
	}
}

// place writes where a node stands: one that stands in no file has no line.
func place(path string, line int) string {
	if line == 0 {
		return plain(path)
	}
	return plain(fmt.Sprintf("%s:%d", path, line))
}

// plainLine is plain but keeps tabs.
func plainLine(line string) string {
	parts := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
	for i, p := range parts {
		parts[i] = plain(p)
	}
	return strings.Join(parts, "\t")
}

// diffLine is plainLine but shows a carriage return, which may be all that
// changed.
func diffLine(line string) string {
	text := strings.TrimSuffix(line, "\n")
	if bare, cr := strings.CutSuffix(text, "\r"); cr {
		return plainLine(bare) + "^M"
	}
	return plainLine(text)
}

func printStatus(out io.Writer, s *api.Status) {
	fmt.Fprintf(out, "memex      %s\nstate      %s\nroot       %s\n", plain(s.Memex), plain(s.StateDir), s.Root)
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
			fmt.Fprintln(out, folded(os.Stdout, fmt.Sprintf("%-10s %s", row.name, plain(row.value)), len("signed by  ")))
		}
	}
	switch {
	case len(s.DiagnosticList) > 0:
		fmt.Fprintln(out)
		printProblems(out, s.DiagnosticList)
	case s.Diagnostics > 0:
		fmt.Fprintf(out, "odd        %d things: see fovea status --diagnostics\n", s.Diagnostics)
	}
}

// few names some of many files, and what to do about them; "" for none.
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

// relaxed says what a memory that syncs late may lose, "" for one that does not.
func relaxed(ms int64) string {
	if ms == 0 {
		return ""
	}
	return fmt.Sprintf("a commit may be told %d ms before it is on the disk; power lost meanwhile loses it", ms)
}

func printProblems(out io.Writer, problems []api.Problem) {
	for _, p := range problems {
		where := p.Where
		if p.Line > 0 {
			where = fmt.Sprintf("%s:%d", p.Where, p.Line)
		}
		fmt.Fprintln(out, folded(os.Stdout, fmt.Sprintf("%s: %s: %s", plain(where), p.Kind, plain(p.Detail)), 4))
	}
}

func printCommits(out *output, commits []api.Commit) {
	for _, c := range commits {
		row := fmt.Sprintf("%5d  %s  %s  %s  %s", c.Seq, c.Time.Local().Format("2006-01-02 15:04:05"),
			fit(c.Kind, 8), fit(c.Author, 8), fit(fmt.Sprintf("%s (%d)", c.Message, c.Changes), out.columns()-48))
		fmt.Fprintln(out, strings.TrimRight(row, " "))
	}
}

func printSnapshots(out io.Writer, list []api.Snapshot) {
	for _, s := range list {
		name := s.Name
		if name == "" {
			name = "(automatic)"
		}
		fmt.Fprintf(out, "%3d  %s  commit %-6d  %s\n", s.Index, s.Time.Local().Format("2006-01-02 15:04:05"), s.Seq, plain(name))
	}
}

// printDiff shows a difference and returns how many nodes it names.
func printDiff(out *output, d *api.Difference) int {
	n := 0
	for _, g := range []struct {
		mark  string
		nodes []api.Changed
	}{{"+", d.Added}, {"-", d.Removed}, {"~", d.Changed}, {">", d.Moved}} {
		for _, c := range g.nodes {
			n++
			was := ""
			if c.Was != "" {
				was = "  was " + plain(c.Was)
			}
			fmt.Fprintf(out, "%s %s  %s%s\n", g.mark, fit(cmp.Or(c.Title, "(untitled)"), out.columns()/2), plain(c.Path), was)
			for line := range strings.Lines(c.Text) {
				fmt.Fprintln(out, strings.TrimRight("    "+diffLine(line), " "))
			}
		}
	}
	return n
}

func printRollback(out io.Writer, r *api.RollbackResponse) {
	fmt.Fprintf(out, "at commit %d, root %s\n", r.Seq, short(r.Root))
	for _, f := range r.RestoredFiles {
		fmt.Fprintln(out, "restored  "+plain(f))
	}
	for _, f := range r.RemovedFiles {
		fmt.Fprintln(out, "removed   "+plain(f))
	}
	for _, f := range r.Drift {
		fmt.Fprintln(out, "left      "+plain(f))
	}
}

func printCheckpoint(out io.Writer, c *api.Checkpoint) {
	fmt.Fprintf(out, "%s  commit %d, root %s\nholds  %d nodes in %d documents\nimage  %s\n",
		plain(c.Name), c.Seq, short(c.Root), c.Nodes, c.Documents, plain(c.Image))
}

func printVerify(out io.Writer, r *api.VerifyResponse) {
	verdict := "everything is as it should be"
	if !r.OK {
		verdict = "not everything is as it should be"
	}
	fmt.Fprintf(out, "%s: recomputed %d commits, blocks and nodes\n", verdict, r.Checked)
	printProblems(out, r.Problems)
}
