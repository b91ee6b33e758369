// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "strings"

// A Block describes the first line of a block.
type Block struct {
	// Name is the text after #+begin_ as written: src, quote, or the name of a
	// special block. For a dynamic block it is the word after #+begin:.
	Name string
	// Language is the language of source code, or the back-end of an export block.
	Language string
	// Switches are the flags of source code, such as -n, or the text after
	// #+begin_example.
	Switches string
	// Parameters are the header arguments of source code, the arguments of a dynamic
	// block, or the text after the name of a special block.
	Parameters string
}

// Block returns the description of block i, or the zero value if i is not a block.
func (t *Tree) Block(i int) Block {
	kind := t.Elements[i].Type
	switch kind {
	case TypeSrcBlock, TypeExampleBlock, TypeExportBlock, TypeCommentBlock, TypeQuoteBlock, TypeCenterBlock, TypeVerseBlock, TypeSpecialBlock:
	case TypeDynamicBlock:
		name, rest := cutBlank(trimBlanksLeft(t.firstLine(i, kind)[len("#+begin:"):]))
		return Block{Name: name, Parameters: trimBlanks(rest)}
	default:
		return Block{}
	}
	name, rest := cutBlank(t.firstLine(i, kind)[len("#+begin_"):])
	b := Block{Name: name}
	rest = trimBlanks(rest)
	switch kind {
	case TypeSrcBlock:
		b.Language, rest = cutBlank(rest)
		n := switchesLength(rest)
		b.Switches, b.Parameters = trimBlanks(rest[:n]), trimBlanks(rest[n:])
	case TypeExampleBlock:
		b.Switches = rest
	case TypeExportBlock:
		b.Language, _ = cutBlank(rest)
	default:
		b.Parameters = rest
	}
	return b
}

// switchesLength returns the length of the switches at the start of text, including
// the blanks before each of them: -i, -k, -r, -l "format", and -n or +n with an
// optional number.
func switchesLength(text string) int {
	end := 0
	for {
		rest := trimBlanksLeft(text[end:])
		n := len(text[end:]) - len(rest)
		if n == 0 || len(rest) < 2 || rest[0] != '-' && rest[0] != '+' {
			return end
		}
		n += 2
		switch c := rest[1]; {
		case c == 'n':
			digits := trimBlanksLeft(rest[2:])
			if _, k := number(digits); k > 0 {
				n += len(rest[2:]) - len(digits) + k
			}
		case rest[0] == '+':
			return end
		case c == 'l':
			format := trimBlanksLeft(rest[2:])
			if !strings.HasPrefix(format, `"`) {
				return end
			}
			k := strings.IndexByte(format[1:], '"')
			if k < 0 {
				return end
			}
			n += len(rest[2:]) - len(format) + k + 2
		case c != 'i' && c != 'k' && c != 'r':
			return end
		}
		end += n
	}
}

// Value returns the text of element i that is not Org: the lines of a source,
// example, export or comment block without protective commas; the lines of a comment
// or fixed-width area without their markers and without the last line end; a LaTeX
// environment or diary expression as written. It returns "" for other types. Line
// ends are kept. The result is a substring of Source if possible.
func (t *Tree) Value(i int) string {
	e := &t.Elements[i]
	end := endOfText(t.Source, int(e.Body), int(e.End))
	switch e.Type {
	case TypeSrcBlock, TypeExampleBlock, TypeExportBlock:
		return withoutCommas(t.innerLines(i, end))
	case TypeCommentBlock:
		return t.innerLines(i, end)
	case TypeComment:
		return withoutMarks(t.Source[e.Body:end], '#')
	case TypeFixedWidth:
		return withoutMarks(t.Source[e.Body:end], ':')
	case TypeLatexEnvironment:
		return t.Source[e.Body:end]
	case TypeDiarySexp:
		return t.firstLine(i, TypeDiarySexp)
	}
	return ""
}

// innerLines returns the lines between the first and last line of block i, which ends
// at the offset end.
func (t *Tree) innerLines(i, end int) string {
	first := lineAt(t.Source, int(t.Elements[i].Body), end)
	return t.Source[first.next:max(first.next, lineStart(t.Source, end-1))]
}

// withoutCommas removes one comma before a star or #+ at the start of each line,
// after blanks and other commas.
func withoutCommas(text string) string {
	if !strings.Contains(text, ",*") && !strings.Contains(text, ",#+") {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for line := range strings.Lines(text) {
		rest := strings.TrimLeft(trimBlanksLeft(line), ",")
		margin := len(line) - len(rest)
		if margin > 0 && line[margin-1] == ',' && (strings.HasPrefix(rest, "*") || strings.HasPrefix(rest, "#+")) {
			b.WriteString(line[:margin-1])
			line = rest
		}
		b.WriteString(line)
	}
	return b.String()
}

// withoutMarks removes from each line the leading blanks, the marker, and one blank
// after it.
func withoutMarks(text string, mark byte) string {
	var b strings.Builder
	b.Grow(len(text))
	for line := range strings.Lines(text) {
		line = trimBlanksLeft(line)
		if line != "" && line[0] == mark {
			line = strings.TrimPrefix(line[1:], " ")
		}
		b.WriteString(line)
	}
	return strings.TrimSuffix(strings.TrimSuffix(b.String(), "\n"), "\r")
}
