// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/document"
)

// opening is the element that a line opens; TypeNone is text.
type opening struct {
	kind    Type
	tableEl bool // table of table.el
	end     line // last line of a block, drawer or environment
}

// opening returns what line l opens between its start and limit. A block without an
// end before limit is text.
func (p *sectionParser) opening(l line, limit int) opening {
	text := trimBlanksLeft(l.text(p.src))
	if text == "" {
		return opening{}
	}
	margin := l.end - l.start - len(text)
	switch text[0] {
	case '#':
		return p.hashOpening(text, l, limit)
	case ':':
		return p.colonOpening(text, l, limit)
	case '\\':
		if name := environmentName(text); name != "" {
			return p.closedOpening(TypeLatexEnvironment, endKey{endEnvironment, document.Lower(name)}, l.start, limit)
		}
	case '|':
		return opening{kind: TypeTable}
	case 'C', 'c':
		if isClock(text) {
			return opening{kind: TypeClock}
		}
	case '[':
		if margin == 0 && footnoteLabel(text) > 0 {
			return opening{kind: TypeFootnoteDefinition}
		}
	case '%':
		if margin == 0 && strings.HasPrefix(text, "%%(") {
			return opening{kind: TypeDiarySexp}
		}
	case '-':
		if isRule(text) {
			return opening{kind: TypeHorizontalRule}
		}
	case '+':
		if isTableElRule(text) {
			return p.tableElOpening(l, limit)
		}
	}
	if bulletLength(text, margin) > 0 {
		return opening{kind: TypePlainList}
	}
	return opening{}
}

// endsParagraph reports whether a paragraph ends before line l. Some lines end a
// paragraph without opening an element, and some that open an element do not end the
// paragraph.
func (p *sectionParser) endsParagraph(l line, limit int) bool {
	text := l.text(p.src)
	o := p.opening(l, limit)
	switch text := trimBlanksLeft(text); {
	case text == "":
		return true
	case o.kind == TypeKeyword:
		key, _ := keyword(text)
		return !endsInBrackets(key) || strings.Count(key, "[") == 1 && isAffiliated(text)
	case o.kind != TypeNone:
		return true
	case text[0] == '+':
		return isTableElRule(text)
	case text[0] == '#':
		return isDynamic(text) || isAffiliated(text) // with blanks in the brackets it is not a keyword by itself
	}
	return text[0] == '*' && (len(text) == 1 || isBlank(text[1]))
}

// endsInBrackets reports whether a keyword's key is a name followed by text in
// brackets.
func endsInBrackets(key string) bool {
	return key[len(key)-1] == ']' && strings.IndexByte(key, '[') > 0
}

// hashOpening returns what a line starting with # opens.
func (p *sectionParser) hashOpening(text string, l line, limit int) opening {
	if isRunLine(TypeComment, text) {
		return opening{kind: TypeComment}
	}
	if !strings.HasPrefix(text, "#+") {
		return opening{}
	}
	if name := blockName(text); name != "" {
		return p.closedOpening(blockType(name), endKey{endBlock, document.Lower(name)}, l.next, limit)
	}
	if isDynamic(text) {
		return p.closedOpening(TypeDynamicBlock, endKey{endDynamic, ""}, l.next, limit)
	}
	switch key, _ := keyword(text); {
	case key == "":
		return opening{}
	case strings.EqualFold(key, "call"):
		return opening{kind: TypeBabelCall}
	}
	return opening{kind: TypeKeyword}
}

// colonOpening returns what a line starting with a colon opens.
func (p *sectionParser) colonOpening(text string, l line, limit int) opening {
	if isRunLine(TypeFixedWidth, text) {
		return opening{kind: TypeFixedWidth}
	}
	if drawerName(text) != "" {
		return p.closedOpening(TypeDrawer, endKey{endDrawer, ""}, l.next, limit)
	}
	return opening{}
}

// closedOpening returns an opening of type kind if its end is between from and limit.
func (p *sectionParser) closedOpening(kind Type, key endKey, from, limit int) opening {
	if end, ok := p.findEnd(key, from, limit); ok {
		return opening{kind: kind, end: end}
	}
	return opening{}
}

// blockTypes are the blocks that have a type of their own.
var blockTypes = [...]struct {
	name string
	kind Type
}{
	{"src", TypeSrcBlock}, {"example", TypeExampleBlock}, {"quote", TypeQuoteBlock}, {"export", TypeExportBlock},
	{"center", TypeCenterBlock}, {"verse", TypeVerseBlock}, {"comment", TypeCommentBlock},
}

func blockType(name string) Type {
	for _, b := range blockTypes {
		if equalFold(b.name, name) {
			return b.kind
		}
	}
	return TypeSpecialBlock
}

// blockName returns the name of the block that text starts, or "".
func blockName(text string) string {
	const begin = "#+begin_"
	if !hasPrefixFold(text, begin) {
		return ""
	}
	name, _ := cutBlank(text[len(begin):])
	return name
}

// isDynamic reports whether text starts a dynamic block.
func isDynamic(text string) bool {
	const begin = "#+begin:"
	return len(text) > len(begin) && hasPrefixFold(text, begin) && isBlank(text[len(begin)])
}

// keyword splits a line into the key of a keyword, as written, and its value. The key
// extends to the last colon of the first word.
func keyword(text string) (key, value string) {
	if !strings.HasPrefix(text, "#+") {
		return "", ""
	}
	word, _ := cutBlank(text[2:])
	colon := strings.LastIndexByte(word, ':')
	if colon < 1 {
		return "", ""
	}
	return word[:colon], trimBlanks(text[2+colon+1:])
}

// environmentName returns the name of the LaTeX environment that text starts, or "".
func environmentName(text string) string {
	rest, ok := strings.CutPrefix(text, `\begin{`)
	if !ok {
		return ""
	}
	name, _, ok := strings.Cut(rest, "}")
	if !ok || strings.ContainsFunc(name, func(r rune) bool { return r != '*' && (r >= utf8.RuneSelf || !isAlnumByte(byte(r))) }) {
		return ""
	}
	return name
}

// drawerName returns the name of the drawer that text starts, or "".
func drawerName(text string) string {
	text = trimBlanksRight(text)
	if len(text) < 3 || text[0] != ':' || text[len(text)-1] != ':' {
		return ""
	}
	name := text[1 : len(text)-1]
	if nameLength(name) < len(name) {
		return ""
	}
	return name
}

// nameLength returns the length of the name at the start of s.
func nameLength(s string) int {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if !isAlnumByte(c) && c != '-' && c != '_' {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if !unicode.In(r, unicode.L, unicode.M, unicode.N) {
			return i
		}
		i += n
	}
	return len(s)
}

// isRunLine reports whether text is a line of a comment or of a fixed-width area.
func isRunLine(kind Type, text string) bool {
	mark := byte('#')
	if kind == TypeFixedWidth {
		mark = ':'
	}
	text = trimBlanksLeft(text)
	return text != "" && text[0] == mark && (len(text) == 1 || text[1] == ' ')
}

// isRule reports whether text is a horizontal rule.
func isRule(text string) bool {
	text = trimBlanksRight(text)
	return len(text) >= 5 && strings.Trim(text, "-") == ""
}

// isTableElRule reports whether text is a rule of a table.el table: +--+---+.
func isTableElRule(text string) bool {
	text = trimBlanksRight(text)
	if !strings.HasPrefix(text, "+-") || text[len(text)-1] != '+' || strings.Contains(text, "++") {
		return false
	}
	return strings.Trim(text, "+-") == ""
}
