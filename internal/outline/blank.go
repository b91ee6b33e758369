// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"bytes"
	"regexp"
	"strings"
)

const (
	maxAside      = 1 << 16                   // maximum bytes of a comment or literal; the text after that counts as code
	beforeOperand = " \t\r\n=(,:;!&|?{}[+~>-" // the bytes after which an operand may come, such as a regular expression
)

// blank returns the code of src, with the same length: comments and here-documents are replaced by blanks, and
// literals by underscores, including the line ends within them.
func blank(g *grammar, src []byte) []byte {
	code := bytes.Clone(src)
	for i := 0; i < len(src); {
		n := bytes.IndexAny(src[i:], g.starts)
		if n < 0 {
			break
		}
		i += n
		text := src[i:min(len(src), i+maxAside)]
		m := g.asides.FindSubmatchIndex(text)
		if m == nil && g.operands != nil && (i == 0 || strings.IndexByte(beforeOperand, src[i-1]) >= 0) {
			m = g.operands.FindSubmatchIndex(text)
		}
		if m == nil {
			i++
			continue
		}
		end := i + m[1]
		if m[2] >= 0 {
			erase(code[i:end])
		} else {
			copy(code[i:end], bytes.Repeat([]byte("_"), end-i))
		}
		for word := 4; word < len(m); word += 2 {
			if m[word] >= 0 {
				end += hereDocument(code[end:], text[m[word]:m[word+1]])
			}
		}
		i = end
	}
	return code
}

// erase replaces code by blanks, except line ends.
func erase(code []byte) {
	for i, c := range code {
		if c != '\n' {
			code[i] = ' '
		}
	}
}

// hereDocument erases the text up to a line with only word, and returns its length.
func hereDocument(code, word []byte) int {
	end := 0
	for line := range bytes.Lines(code) {
		end += len(line)
		if rest, found := bytes.CutPrefix(bytes.TrimLeft(line, " \t"), word); found && end > len(line) && endOfHere.Match(rest) {
			break
		}
	}
	erase(code[:end])
	return end
}

// endOfHere matches what may follow the word that ends a here-document.
var endOfHere = regexp.MustCompile(`^[);,\]]*\s*$`)

// Forms of comments and literals. To keep the time linear in the source, each form must match any text after its first bytes, or
// examine only a few bytes.
const (
	slashes = `//[^\n]*|/\*.*?(?:\*/|\z)`
	hash    = `#[^\n]*`
	quotes  = `"(?:[^"\\\n]|\\.)*"?` // of a string within a line
	apostro = `'(?:[^'\\\n]|\\.)*'?`
	double  = `"(?:[^"\\]|\\.)*"?` // of a string of any number of lines
	single  = `'(?:[^'\\]|\\.)*'?`
	triple  = `"""(?:\\.|[^\\])*?(?:"""|\z)`
	char    = `'(?:\\[^\n][^'\n]{0,8}|[^'\\\n])'`
	here    = `["'\\]?([A-Za-z_][\w.-]*)["']?` // the word that ends a here-document
)

// asides compiles the forms of comments and of literals.
func asides(comments, literals string) *regexp.Regexp {
	return regexp.MustCompile(`^(?s:(` + comments + `)|` + literals + `)`)
}
