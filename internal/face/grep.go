// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package face

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/index"
	"github.com/fovea-memory/fovea/internal/scope"
)

// finder returns the number of distinct query words in a line, and where the first begins.
type finder func(line string) (words, at int)

// showGrep shows the line with the most query words of each node with a file, else its headline.
func showGrep(p *Page, nodes []api.Node, find finder) {
	outside := 0
	for _, n := range nodes {
		if n.Line == 0 {
			outside++
			continue
		}
		number, at, text := bestLine(n.Content, find)
		text = strings.TrimRight(text, "\r\n")
		p.Text(fmt.Sprintf("%s:%d:%d: %s\n", OneLine(p.Grep(n.Path, text)), n.Line+number, screenColumn(text[:min(at, len(text))]), JoinLines(text)))
	}
	if outside > 0 {
		p.Note("%s more without a file", scope.Count(outside, "node"))
	}
}

// bestLine returns the first line with the most words: its number from 0, the offset of its first match, its text.
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

// screenColumn returns the column after a text as GNU programs count it: from 1, in cells, tab stops every 8.
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
