// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"strings"
	"unicode"

	"github.com/fovea-memory/fovea/internal/text"
)

// maxEntityBlanks is the maximum number of blanks in the entity \_ followed by
// blanks.
const maxEntityBlanks = 20

// backslash parses entities, LaTeX fragments and line breaks.
func (p *objectParser) backslash(c *contents, at int) int {
	text := p.text[:c.end]
	if at+1 >= len(text) {
		return 0
	}
	switch next := text[at+1]; {
	case next == '\\':
		return p.lineBreak(c, at)
	case next == '(':
		return p.enclosed(c, TypeLatexFragment, at, at+2, closeParen, `\)`)
	case next == '[':
		return p.enclosed(c, TypeLatexFragment, at, at+2, closeSquare, `\]`)
	case next == '_':
		stop := at + 2
		for stop < len(text) && text[stop] == ' ' {
			stop++
		}
		if n := stop - at - 2; n > 0 && n <= maxEntityBlanks {
			return p.leaf(c, TypeEntity, at, stop)
		}
	case isAlphaByte(next):
		if n := entityLength(text[at:]); n > 0 {
			return p.leaf(c, TypeEntity, at, at+n)
		}
		return p.leaf(c, TypeLatexFragment, at, at+commandLength(text[at:]))
	}
	return 0
}

// lineBreak parses two backslashes at the end of a line.
func (p *objectParser) lineBreak(c *contents, at int) int {
	if !c.allowed.has(TypeLineBreak) || at > c.start && p.text[at-1] == '\\' {
		return 0
	}
	stop := at + 2
	for stop < c.end && isBlank(p.text[stop]) {
		stop++
	}
	if !endsLine(p.text, stop, c.end) {
		return 0
	}
	if stop < c.end && p.text[stop] == '\r' {
		stop++
	}
	stop = min(stop+1, c.end)
	p.endElement(p.beginElement(TypeLineBreak, at), stop)
	return stop
}

// commandLength returns the length of the LaTeX command at the start of s: letters, a
// star, and arguments in brackets, on one line and without nested brackets.
func commandLength(s string) int {
	n := 1
	for n < len(s) && isAlphaByte(s[n]) {
		n++
	}
	if n < len(s) && s[n] == '*' {
		n++
	}
	for n < len(s) {
		var stop int
		switch s[n] {
		case '[':
			if stop = strings.IndexAny(s[n+1:], "[]{}\n"); stop < 0 || s[n+1+stop] != ']' {
				return n
			}
		case '{':
			if stop = strings.IndexAny(s[n+1:], "{}\n"); stop < 0 || s[n+1+stop] != '}' {
				return n
			}
		default:
			return n
		}
		n += stop + 2
	}
	return n
}

// dollar parses the fragments $$text$$, $text$ and $c$.
func (p *objectParser) dollar(c *contents, at int) int {
	text := p.text[:c.end]
	if strings.HasPrefix(text[at:], "$$") {
		return p.enclosed(c, TypeLatexFragment, at, at+2, closeDollars, "$$")
	}
	if at+2 >= len(text) || at > c.start && text[at-1] == '$' || strings.IndexByte(" \t\r\n.,;", text[at+1]) >= 0 {
		return 0
	}
	end := p.find(closeDollar, "$", at+1)
	if end >= c.end || strings.IndexByte(" \t\r\n.,", text[end-1]) >= 0 || !endsFragment(text, end+1) {
		return 0
	}
	return p.leaf(c, TypeLatexFragment, at, end+1)
}

// endsFragment reports whether a fragment between dollars may end before the offset
// at: before white space, punctuation, a control character, a bracket, or the end.
// Emacs treats direction and joining marks as punctuation, but not most symbols.
func endsFragment(text string, at int) bool {
	if at == len(text) {
		return true
	}
	switch r := runeAt(text, at); {
	case r < 0x80:
		return isSpace(r) || r < ' ' || r == 0x7f || isPunctuation(r) && strings.IndexByte(`-+*/_=|~\&%$`, byte(r)) < 0
	case r >= 0x200c && r <= 0x200f:
		return true
	default:
		return isSpace(r) || unicode.IsPunct(r)
	}
}

// maxEntityLength is the length of the longest entity name.
const maxEntityLength = len("Leftrightarrow")

// entityNames are the names of Org's predefined entities.
var entityNames = text.WordSet(entityList)

// entityLength returns the length of the entity at the start of s, including a {}
// after it; 0 if the name is unknown or a letter follows it.
func entityLength(s string) int {
	n := 1
	for n < len(s) && isAlphaByte(s[n]) && n <= maxEntityLength {
		n++
	}
	// Some names end in digits and have a prefix that is a name too: \sup1.
	for digits := n; digits < min(len(s), n+3) && isDigit(s[digits]); {
		if digits++; entityNames[s[1:digits]] && !isAlphaAt(s, digits) {
			n = digits
			break
		}
	}
	if !entityNames[s[1:n]] || isAlphaAt(s, n) {
		return 0
	}
	if strings.HasPrefix(s[n:], "{}") {
		n += 2
	}
	return n
}

func isAlphaAt(s string, at int) bool { return at < len(s) && isAlpha(runeAt(s, at)) }

const entityList = `
AA AElig Aacute Acirc Agrave Alpha Amacr Aring Atilde Auml Beta Ccedil Chi Dagger Delta Diamond Downarrow ETH EUR Eacute Ecirc Egrave Epsilon Eta Euml
Gamma Gg Iacute Icirc Idot Igrave Iota Iuml Kappa Lambda Leftarrow Leftrightarrow Ll Mu Ntilde Nu OElig Oacute Ocirc Ograve Omega Omicron Oslash
Otilde Ouml Phi Pi Pr Prime Psi Rho Rightarrow S Scaron Sigma THORN Tau Theta USD Uacute Ucirc Ugrave Uparrow Upsilon Uuml Xi Yacute Yuml Zeta aacute
acirc acute acutex aelig agrave alefsym aleph alpha amacr amp ang angle approx arccos arcsin arctan arg aring asciicirc ast asymp atilde auml bdquo
because beta beth blacksmile brvbar bull bullet cap ccedil cdot cdots cedil cent check checkmark chi circ clubs clubsuit colon cong copy cos cosh cot
coth crarr csc cup curren dArr dag dagger dalet darr ddag deg delta det diamond diamondsuit diams dim div dollar dots downarrow eacute ecirc egrave
ell empty emptyset emsp ensp epsilon equal equiv eta eth euml euro exist exists exp fnof forall frac12 frac14 frac34 frasl frown frowny gamma gcd ge
geq gets gg ggg gimel gt hArr harr hbar hearts heartsuit hellip hom hookleftarrow iacute icirc iexcl igrave image imath in inf infin infty inodot int
iota iquest isin iuml jmath kappa ker lArr lambda land lang langle laquo larr lceil ldquo le leftarrow leftrightarrow leq lesseqgtr lessgtr lfloor lg
lim liminf limsup ll lll ln log lor lowast loz lrm lsaquo lsquo lt macr max mdash mho micro middot min minus mu nabla nbsp ndash ne neg neq nexist
nexists ni not notin nsub nsup ntilde nu oacute ocirc odot oelig ograve oline omega omicron oplus ordf ordm oslash otilde otimes ouml para parallel
partial permil perp phi pi piv plus plusmn pm pound prec preccurlyeq preceq prime prod prop propto psi quot rArr radic rang rangle raquo rarr rceil
rdquo real reg rfloor rho rightarrow rlm rsaquo rsquo sad sbquo scaron sdot sec sect setminus shy sigma sigmaf sim simeq sin sinh slash smile smiley
spades spadesuit star sub sube subset succ succcurlyeq succeq sum sup sup1 sup2 sup3 supe supset szlig tan tanh tau there4 therefore theta thetasym
thinsp thorn tilde times to trade triangleq uArr uacute uarr ucirc ugrave uml under uparrow upsih upsilon uuml varepsilon varphi varpi varsigma
vartheta vbar vee vert wedge weierp xi yacute yen yuml zeta zwj zwnj
`
