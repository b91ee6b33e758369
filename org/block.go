// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "strings"

// A Block is what the first line of a block says.
type Block struct {
	// Name is what stands behind #+begin_, as written: src, quote, or the name of a
	// special block; of a dynamic block what stands behind #+begin:.
	Name string
	// Language is that of source code, or the back-end of an export block.
	Language string
	// Switches are the flags of source code, such as -n, or what stands behind
	// #+begin_example.
	Switches string
	// Parameters are the header arguments of source code, those of a dynamic block,
	// or what stands behind the name of a special block.
	Parameters string
}

// Block returns what block i says in its first line; the zero value when i is no
// block.
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

// switchesLength returns the length of the switches that text begins with, each with
// the blanks before it: -i, -k, -r, -l "format", -n or +n with a number or without.
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
			if k := len(digits) - len(strings.TrimLeft(digits, "0123456789")); k > 0 {
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

// Value returns the text that element i holds and that is not Org: the lines of
// source code, of an example, export or comment block, without the commas that
// protect them; those of a comment or fixed-width area without their marks, and
// without the last line end; a LaTeX environment or diary expression as it is. It is
// "" for other types. Line ends are as they stand. It is a part of Source where that
// can be.
func (t *Tree) Value(i int) string {
	e := &t.Elements[i]
	end := trimBlankLines(t.Source, int(e.Body), int(e.End))
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

// innerLines returns the lines between the first and the last line of block i, which
// ends at the offset end.
func (t *Tree) innerLines(i, end int) string {
	first := lineAt(t.Source, int(t.Elements[i].Body), end)
	return t.Source[first.next:max(first.next, lineStart(t.Source, end-1))]
}

// withoutCommas removes one comma before each star or #+ that begins a line, blanks
// and other commas aside.
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

// withoutMarks removes from each line the blanks before the mark, the mark, and one
// blank behind it.
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
