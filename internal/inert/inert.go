// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package inert

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/org"
)

// apart is put between the characters of what would act: Org's own way to have
// something read as text. It has no width.
const apart = "\u200b"

// neverRuns is written behind the language of a block of code, so that neither the file
// nor an ancestor of the note can have it run, tangled or expanded.
const neverRuns = ":eval never :tangle no :noweb no"

var (
	codeWord   = regexp.MustCompile(`\S*[\[({]\S*`)
	codeInLine = regexp.MustCompile(`(?i)(src|call)_`)
	formula    = regexp.MustCompile(`(\|[ \t]*:?)=`)
	headlines  = regexp.MustCompile(`^\*+(?:\s|$)`)
	blockLine  = regexp.MustCompile(`(?i)^#\+(begin|end)_(quote|verse|center|example|src|comment)(?:[ \t]+(\S+)(?:[ \t].*)?)?[ \t]*$`)
	activeLine = regexp.MustCompile(`(?i)^(?:#\+|:\S+:|SCHEDULED:|DEADLINE:|CLOSED:|CLOCK:|\+-[-+])`)
)

// Text makes the text that an agent wrote for below a headline one that nothing in
// Emacs or Org acts on.
//
//   - What would be a headline is indented.
//   - A keyword, a drawer, a property, a planning line, a clock or a table of table.el
//     becomes verbatim text, with a colon before it.
//   - So does a line that begins or ends a block of code without another one that does the
//     other: Emacs would look for it below the note.
//   - A block of code keeps its language, if that is a known one, and is marked as one
//     that never runs.
//   - A character without width parts anything of the table constructs, a formula, code
//     inside a line, a link that leads nowhere for certain, and TeX that does more than
//     set type.
//   - Control characters, and those that hide or reorder text, become U+FFFD.
//
// Any other text stays as it is, and so does text that is inert already.
func Text(text string) string {
	lines := strings.Split(words(text), "\n")
	for i, line := range lines {
		lines[i] = oneLine(line)
	}
	pairBlocks(lines)
	if start := strings.TrimLeft(lines[0], " \t"); foreignStart.MatchString(start) {
		lines[0] = ": " + start
	}
	return partObjects("* x\n", strings.Join(lines, "\n"))
}

// Line is Text for a title or the value of a property, which is one line.
func Line(text string) string {
	return partObjects("* ", strings.TrimSpace(strings.ReplaceAll(words(text), "\n", " ")))
}

// words parts what acts wherever it stands in a text.
func words(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n"), "\r", "\n")
	text = strings.Map(func(r rune) rune {
		if unseen(r) {
			return '\uFFFD'
		}
		return r
	}, text)
	lower := strings.ToLower(text)
	for i := range constructs {
		if constructs[i].mayBe(lower) {
			text = constructs[i].part(text)
		}
	}
	if !strings.Contains(lower, "src_") && !strings.Contains(lower, "call_") {
		return text
	}
	return codeWord.ReplaceAllStringFunc(text, func(word string) string {
		return codeInLine.ReplaceAllString(word, "${1}"+apart+"_")
	})
}

// unseen reports a character that controls a terminal, ends a line for some programs
// only, reorders what is shown, or is not shown at all but is read by a model.
func unseen(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case unicode.IsControl(r), r == '\u2028', r == '\u2029':
		return true
	}
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' || r >= 0xE0000 && r <= 0xE007F
}

func oneLine(line string) string {
	start := strings.TrimLeft(line, " \t")
	if start == "" || !strings.ContainsRune("*#:+|scdSCD", rune(start[0])) && start[0] < utf8.RuneSelf {
		return line
	}
	block := blockLine.FindStringSubmatch(start)
	switch {
	case headlines.MatchString(line):
		return " " + line
	case block != nil && strings.EqualFold(block[1]+block[2], "beginsrc"):
		return "#+" + block[1] + "_" + block[2] + " " + language(block[3]) + " " + neverRuns
	case block != nil:
		return "#+" + block[1] + "_" + block[2]
	case activeLine.MatchString(start):
		return ": " + start
	case strings.HasPrefix(start, "|"):
		return formula.ReplaceAllString(line, "${1}"+apart+"=")
	}
	return line
}

// codeBlocks are the blocks whose lines are not read as Org.
var codeBlocks = map[string]bool{"src": true, "example": true, "comment": true}

// pairBlocks makes a line text that begins a block of code which does not end, or ends
// one that did not begin, and has a line inside one that would begin or end another read
// as a part of it.
func pairBlocks(lines []string) {
	last := map[string]int{} // where the last line is that ends a block
	for i, line := range lines {
		if verb, name := blockOf(line); verb == "end" {
			last[name] = i
		}
	}
	open := ""
	for i, line := range lines {
		verb, name := blockOf(line)
		switch {
		case open != "" && verb == "end" && name == open:
			open = ""
		case open != "" && verb != "":
			lines[i] = "," + strings.TrimLeft(line, " \t")
		case !codeBlocks[name]:
		case verb == "begin" && last[name] > i:
			open = name
		default:
			lines[i] = ": " + strings.TrimLeft(line, " \t")
		}
	}
}

// blockOf reads a line that begins or ends a block.
func blockOf(line string) (verb, name string) {
	if m := blockLine.FindStringSubmatch(strings.TrimLeft(line, " \t")); m != nil {
		return strings.ToLower(m[1]), strings.ToLower(m[2])
	}
	return "", ""
}

// mostPasses bounds how often a text is looked at: what was parted may have hidden
// something else.
const mostPasses = 8

// partObjects parts the links of a text, which stands behind head, that lead nowhere for
// certain, and TeX that does more than set type. Both are found by the parser, so that
// code stays as it is. An id is a link only in brackets: without them it is more often a
// word of the text.
func partObjects(head, text string) string {
	for range mostPasses {
		doc := org.Parse(head+text, nil)
		cuts := texCutsOf(doc)
		for l := range doc.Links(0) {
			switch {
			case l.Format == org.LinkBracket && badLink(l, nil) != "":
				cuts = append(cuts, cut{l.Start + 1, apart})
			case l.Format != org.LinkBracket && (l.Type == "id" || badLink(l, nil) != ""):
				cuts = append(cuts, cut{l.Start + strings.IndexByte(doc.Source[l.Start:], ':'), apart})
			}
		}
		if len(cuts) == 0 {
			return text
		}
		text = apply(cuts, head+text)[len(head):]
	}
	return allTeX.Replace(text)
}

// allTeX parts all that a fragment of TeX can begin with.
var allTeX = strings.NewReplacer(`\`, `\`+apart, "$", "$ ")

// apply makes cuts in a text.
func apply(cuts []cut, text string) string {
	slices.SortFunc(cuts, func(a, b cut) int { return cmp.Compare(a.at, b.at) })
	var b strings.Builder
	from := 0
	for _, c := range cuts {
		b.WriteString(text[from:c.at] + c.with)
		from = c.at
	}
	return b.String() + text[from:]
}
