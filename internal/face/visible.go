// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package face

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Joiners connect letters or keep them apart. Arabic, Indic scripts and emoji use them.
const (
	zeroWidthNonJoiner = '\u200c'
	zeroWidthJoiner    = '\u200d'
)

// hidden reports whether a terminal would act on a character or show nothing for it: control, bidirectional formatting
// and invisible characters, but not line feed and tab. reveal keeps joiners and variation selectors that are in use.
func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || r >= ' ' && r < 0x7f:
		return false
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // visible Arabic signs of category Cf
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp,
		unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point)
}

// joins reports whether a joiner may stand next to a character: a letter or mark of a script
// that uses joiners, or a symbol such as an emoji. Latin, Greek and Cyrillic use none.
func joins(r rune) bool {
	if unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic) {
		return false
	}
	return r >= 0x80 && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsSymbol(r))
}

// A spelling appends the visible form of a hidden character; a byte that is not UTF-8 is a negative number.
type spelling func(dst []byte, r rune) []byte

// spelled appends \x1b for ASCII and invalid bytes, \u{202e} for other characters.
func spelled(dst []byte, r rune) []byte {
	switch {
	case r < 0:
		return fmt.Appendf(dst, `\x%02x`, -r)
	case r < utf8.RuneSelf:
		return fmt.Appendf(dst, `\x%02x`, r)
	}
	return fmt.Appendf(dst, `\u{%x}`, r)
}

// spelledJSON appends JSON escapes, which keep the value of a string.
func spelledJSON(dst []byte, r rune) []byte {
	if r < 0 {
		r = utf8.RuneError
	}
	if high, low := utf16.EncodeRune(r); r > 0xffff {
		return fmt.Appendf(dst, `\u%04x\u%04x`, high, low)
	}
	return fmt.Appendf(dst, `\u%04x`, r)
}

// Visible returns text with its hidden characters spelled out.
func Visible(text string) string { return reveal(text, spelled) }

// reveal turns CR LF into LF and writes hidden characters by spell. A visible one may have one variation selector.
func reveal(text string, spell spelling) string {
	out := make([]byte, 0, len(text))
	last := rune(0) // the character before, 0 if it was spelled out
	for text != "" {
		r, size := first(text)
		follows, _ := first(text[size:])
		isHidden := r < 0 || hidden(r)
		switch {
		case r == '\r' && follows == '\n':
		case (r == zeroWidthJoiner || r == zeroWidthNonJoiner) && joins(last) && joins(follows) && !hidden(follows),
			unicode.Is(unicode.Variation_Selector, r) && last > ' ' && !hidden(last), !isHidden:
			out, last = append(out, text[:size]...), r
		default:
			out, last = spell(out, r), 0
		}
		text = text[size:]
	}
	return string(out)
}

// first returns the first character of a text, 0 at the end; a byte that is not UTF-8 is a negative number.
func first(text string) (r rune, size int) {
	switch r, size = utf8.DecodeRuneInString(text); {
	case size == 0:
		return 0, 0
	case r == utf8.RuneError && size == 1:
		return -rune(text[0]), 1
	}
	return r, size
}

// spaced matches a word with its leading space.
var spaced = regexp.MustCompile(`\s*\S+`)

// Wrap breaks a text between words to fit wide cells. Further lines are indented; the first already is.
func Wrap(text string, indent, wide int) string {
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

// fold breaks each line wider than wide and indents its continuation by indent more.
func fold(text string, indent, wide int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if uniseg.StringWidth(line) > wide {
			before := len(line) - len(strings.TrimLeft(line, " "))
			lines[i] = line[:before] + Wrap(line, before+indent, wide)
		}
	}
	return strings.Join(lines, "\n")
}

// fit cuts or pads visible text to a width in terminal cells.
func fit(s string, width int) string {
	if width <= 0 {
		return ""
	}
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
