// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/index"
	"github.com/fovea-memory/fovea/internal/scope"
)

// grepFormat is the value of --format for the FILE:LINE:COLUMN lines that editors parse.
const grepFormat = "grep"

// formatFlag adds --format to a verb that lists nodes.
func formatFlag(c *cobra.Command, format *string) {
	c.Flags().StringVar(format, "format", "", "`FORMAT` of the list: grep prints FILE:LINE:COLUMN: TEXT for editors")
	OneOf(c, "format", grepFormat)
}

// checkFormat refuses an unknown format, and --format together with --json.
func checkFormat(s *Session, format string) error {
	switch {
	case format != "" && format != grepFormat:
		return Misusef("--format is grep, not %q", format)
	case format != "" && s.JSON:
		return Misusef("choose one of --format and --json")
	}
	return nil
}

// finder returns the number of distinct query words in a line and the byte offset of the
// first.
type finder func(line string) (words, at int)

// printGrep prints for each node the line with the most query words, the headline if no line
// has any. It skips nodes that have no file.
func printGrep(s *Session, nodes []api.Node, find finder) {
	dir, _ := os.Getwd() // without it paths are absolute
	outside := 0
	for _, n := range nodes {
		if n.Line == 0 {
			outside++
			continue
		}
		number, at, text := bestLine(n.Content, find)
		text = strings.TrimRight(text, "\r\n")
		file := jumpPath(dir, filepath.Join(s.Memex(), filepath.FromSlash(n.Path)), text)
		fmt.Fprintf(s.Out, "%s:%d:%d: %s\n", OneLine(file), n.Line+number, screenColumn(text[:min(at, len(text))]), JoinLines(text))
	}
	if outside > 0 {
		s.Report("%s more without a file", scope.Count(outside, "node"))
	}
}

// bestLine returns the first of the lines with the most words: its number from 0, the offset
// of the first word in it, and its text.
func bestLine(content string, find finder) (number, at int, text string) {
	i, most := 0, 0
	for line := range strings.Lines(content) {
		words, where := find(line)
		if i == 0 || words > most {
			number, at, text, most = i, where, line, max(words, most)
		}
		i++
	}
	return number, at, text
}

// ambiguous matches a text that Emacs could read as a line number.
var ambiguous = regexp.MustCompile(`^[ \t]*[0-9]+[:.]`)

// jumpPath returns file relative to dir. Before text like ambiguous it adds ./ to a bare
// name: Emacs takes a word for a program's name if FILE:LINE seems to follow its colon.
func jumpPath(dir, file, text string) string {
	rel, err := filepath.Rel(dir, file)
	switch {
	case err != nil:
		return file
	case !strings.ContainsRune(rel, filepath.Separator) && ambiguous.MatchString(text):
		return "." + string(filepath.Separator) + rel
	}
	return rel
}

// screenColumn returns the column after a text as GNU programs count it: from 1, in screen
// cells, with tab stops every 8.
func screenColumn(before string) int {
	column := 0
	for i, part := range strings.Split(before, "\t") {
		if i > 0 {
			column += 8 - column%8
		}
		column += uniseg.StringWidth(part)
	}
	return column + 1
}

// sameWords returns a finder that matches words in any inflected form, as search does.
func sameWords(text string) finder {
	words := index.NewMatcher(text)
	return func(line string) (count, at int) {
		if count = words.Count(line); count > 0 {
			at = words.First(line)
		}
		return count, at
	}
}

// plainWord matches a text term of a query: no predicate, no operator.
var plainWord = regexp.MustCompile(`"([^"]+)"|[^\s"():!|,]+`)

// plainWords returns a finder for the text terms of a query; it ignores case.
func plainWords(text string) finder {
	var wanted []*regexp.Regexp
	for _, field := range strings.FieldsFunc(text, unicode.IsSpace) {
		if strings.ContainsAny(field, ":!") {
			continue
		}
		for _, m := range plainWord.FindAllStringSubmatch(field, -1) {
			if m[0] != "OR" {
				wanted = append(wanted, regexp.MustCompile("(?i)"+regexp.QuoteMeta(strings.Trim(m[0], `"`))))
			}
		}
	}
	return func(line string) (words, at int) {
		for _, w := range wanted {
			if found := w.FindStringIndex(line); found != nil {
				if words == 0 || found[0] < at {
					at = found[0]
				}
				words++
			}
		}
		return words, at
	}
}
