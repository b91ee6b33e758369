// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package inert

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/org"
)

// zeroWidthSpace breaks up an active construct. It is Org's own means of making a construct plain
// text.
const zeroWidthSpace = "\u200b"

// neverRunHeader follows the language of a block of code, so that neither the file nor an
// ancestor of the note can cause it to be run, tangled or expanded.
const neverRunHeader = ":eval never :tangle no :noweb no"

var (
	codeWord   = regexp.MustCompile(`\S*[\[({]\S*`)
	codeInLine = regexp.MustCompile(`(?i)(src|call)_`)
	formula    = regexp.MustCompile(`(\|[ \t]*:?)=`)
	headlines  = regexp.MustCompile(`^\*+(?:\s|$)`)
	blockLine  = regexp.MustCompile(`(?i)^#\+(begin|end)_(quote|verse|center|example|src|comment)(?:[ \t]+(\S+)(?:[ \t].*)?)?[ \t]*$`)
	activeLine = regexp.MustCompile(`(?i)^(?:#\+|:\S+:|SCHEDULED:|DEADLINE:|CLOSED:|CLOCK:|\+-[-+])`)
)

// Text makes the body text of a note by an agent inert.
//
//   - Headlines are indented.
//   - Keywords, drawers, properties, planning lines, clocks and tables of table.el become
//     verbatim text, by a colon before them.
//   - So do lines that start or end a block of code without a counterpart, which Emacs
//     would look for outside the note.
//   - A block of code keeps its language if that is known, and is marked as never run.
//   - A zero-width space breaks up the constructs in the table constructs, formulas,
//     inline code, links of unsafe types, and TeX.
//   - Control characters, and characters that hide or reorder text or are invisible, become
//     U+FFFD, except those that scripts and emoji need, see isNeeded.
//
// All other text is unchanged, as is text that is already inert.
func Text(text string) string {
	lines := strings.Split(breakConstructs(text), "\n")
	for i, line := range lines {
		lines[i] = inertLine(line)
	}
	pairBlocks(lines)
	if start := strings.TrimLeft(lines[0], " \t"); foreignStart.MatchString(start) {
		lines[0] = ": " + start
	}
	return breakObjects("* x\n", strings.Join(lines, "\n"))
}

// Line is Text for a single line: a title or the value of a property.
func Line(text string) string {
	return breakObjects("* ", strings.TrimSpace(strings.ReplaceAll(breakConstructs(text), "\n", " ")))
}

// breakConstructs breaks up the constructs that are active anywhere in a text.
func breakConstructs(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n"), "\r", "\n")
	text, _ = showUnseen(text)
	lower := strings.ToLower(text)
	for i := range constructs {
		if constructs[i].mayContain(lower) {
			text = constructs[i].breakUp(text)
		}
	}
	if !strings.Contains(lower, "src_") && !strings.Contains(lower, "call_") {
		return text
	}
	return codeWord.ReplaceAllStringFunc(text, func(word string) string {
		return codeInLine.ReplaceAllString(word, "${1}"+zeroWidthSpace+"_")
	})
}

func inertLine(line string) string {
	start := strings.TrimLeft(line, " \t")
	if start == "" || !strings.ContainsRune("*#:+|scdSCD", rune(start[0])) && start[0] < utf8.RuneSelf {
		return line
	}
	block := blockLine.FindStringSubmatch(start)
	switch {
	case headlines.MatchString(line):
		return " " + line
	case block != nil && strings.EqualFold(block[1]+block[2], "beginsrc"):
		language := block[3]
		if !slices.Contains(languages, strings.ToLower(language)) {
			language = "text"
		}
		return "#+" + block[1] + "_" + block[2] + " " + language + " " + neverRunHeader
	case block != nil:
		return "#+" + block[1] + "_" + block[2]
	case activeLine.MatchString(start):
		return ": " + start
	case strings.HasPrefix(start, "|"):
		return formula.ReplaceAllString(line, "${1}"+zeroWidthSpace+"=")
	}
	return line
}

// literalBlocks are the blocks with content that is not parsed as Org.
var literalBlocks = map[string]bool{"src": true, "example": true, "comment": true}

// pairBlocks turns unpaired lines that start or end a block of code into text, and
// escapes such lines inside another block.
func pairBlocks(lines []string) {
	last := map[string]int{} // index of the last line that ends a block of that name
	for i, line := range lines {
		if verb, name := parseBlockLine(line); verb == "end" {
			last[name] = i
		}
	}
	open := ""
	for i, line := range lines {
		verb, name := parseBlockLine(line)
		switch {
		case open != "" && verb == "end" && name == open:
			open = ""
		case open != "" && verb != "":
			lines[i] = "," + strings.TrimLeft(line, " \t")
		case !literalBlocks[name]:
		case verb == "begin" && last[name] > i:
			open = name
		default:
			lines[i] = ": " + strings.TrimLeft(line, " \t")
		}
	}
}

// parseBlockLine parses a line that starts or ends a block.
func parseBlockLine(line string) (verb, name string) {
	if m := blockLine.FindStringSubmatch(strings.TrimLeft(line, " \t")); m != nil {
		return strings.ToLower(m[1]), strings.ToLower(m[2])
	}
	return "", ""
}

// maxPasses limits how often a text is parsed again: breaking up a construct may expose
// another one.
const maxPasses = 8

// breakObjects breaks up unsafe links and TeX in a text that follows head. The parser finds both,
// so code is unchanged. It always breaks up a plain id link without brackets, because such a text
// is rarely meant as a link.
func breakObjects(head, text string) string {
	for range maxPasses {
		doc := org.Parse(head+text, nil)
		cuts := headlineTeX(doc)
		for l := range doc.Links(0) {
			switch {
			case l.Format == org.LinkBracket && linkProblem(l, nil) != "":
				cuts = append(cuts, insertion{l.Start + 1, zeroWidthSpace})
			case l.Format != org.LinkBracket && (l.Type == "id" || linkProblem(l, nil) != ""):
				cuts = append(cuts, insertion{l.Start + strings.IndexByte(doc.Source[l.Start:], ':'), zeroWidthSpace})
			}
		}
		if len(cuts) == 0 {
			return text
		}
		text = insertAll(cuts, head+text)[len(head):]
	}
	return texEscaper.Replace(text)
}

// texEscaper breaks up every possible start of a TeX fragment.
var texEscaper = strings.NewReplacer(`\`, `\`+zeroWidthSpace, "$", "$ ")

// insertAll inserts texts at their offsets.
func insertAll(cuts []insertion, text string) string {
	slices.SortFunc(cuts, func(a, b insertion) int { return cmp.Compare(a.at, b.at) })
	var b strings.Builder
	from := 0
	for _, c := range cuts {
		b.WriteString(text[from:c.at] + c.text)
		from = c.at
	}
	return b.String() + text[from:]
}

// languages are the allowed languages of code blocks. Emacs calls the function
// LANGUAGE-mode to display a block, whatever it does: server-mode would open the editor
// to other programs.
var languages = strings.Fields(`ada asm awk bash bat bibtex c c# c++ clojure cmake cobol coffee conf cpp
		crystal csharp css csv cuda d dart diff dockerfile dot elisp elixir elm emacs-lisp erlang fish fortran fsharp
		gherkin go graphql groovy haskell hcl html http ini java javascript js json json5 jsonc jsx julia kotlin latex ledger
		less lisp lua make makefile markdown mermaid nginx nim nix objc ocaml octave org pascal perl php plantuml
		powershell proto protobuf puppet python python3 r racket raku rb ruby rust sass scala scheme scss sed
		sh shell solidity sparql sql sqlite swift systemverilog tcl terraform tex text toml tsx ts txt typescript
		verilog vhdl vim vue xml yaml yml zig zsh`)
