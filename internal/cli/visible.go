// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
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

// hidden reports whether a terminal would act on a character or show nothing for it:
// control, bidirectional formatting and invisible characters, but not line feed and tab.
// Joiners and variation selectors are hidden; revealer passes them where their neighbours
// use them.
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

// A spelling appends the visible form of a hidden character. A byte that is not UTF-8 is
// passed as a negative number.
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

func reveal(text string, spell spelling) string {
	v := revealer{spell: spell}
	return string(v.end(v.next(make([]byte, 0, len(text)), []byte(text))))
}

// revealer is a writer that spells out hidden characters and turns CR LF into LF. Writes may
// split characters: an undecided end waits for the next write or for Flush. It is safe for
// concurrent use, and the output of one write stays together.
type revealer struct {
	to    io.Writer
	spell spelling

	mu   sync.Mutex
	last rune   // last character passed unchanged, 0 if none
	held []byte // undecided end: part of a character, CR, or a joiner
}

func (v *revealer) Write(b []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, err := v.to.Write(v.next(nil, b)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Flush writes the held bytes.
func (v *revealer) Flush() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.held) == 0 {
		return nil
	}
	_, err := v.to.Write(v.end(nil))
	return err
}

// end appends the held bytes at the end of the input.
func (v *revealer) end(dst []byte) []byte {
	for len(v.held) > 0 {
		r, size := first(v.held)
		dst, v.held = v.show(dst, r), v.held[size:]
	}
	return dst
}

// next appends the visible form of the input and holds back an undecided end.
func (v *revealer) next(dst, b []byte) []byte {
	b = append(v.held, b...)
	v.held = nil
	for len(b) > 0 {
		if !utf8.FullRune(b) {
			v.held = b
			break
		}
		r, size := first(b)
		rest := b[size:]
		if r == '\r' || r == zeroWidthJoiner || r == zeroWidthNonJoiner {
			if !utf8.FullRune(rest) {
				v.held = b
				break
			}
			follows, _ := first(rest)
			switch {
			case r == '\r' && follows == '\n':
			case r != '\r' && joins(v.last) && joins(follows) && !hidden(follows):
				dst, v.last = append(dst, b[:size]...), r
			default:
				dst = v.show(dst, r)
			}
		} else {
			dst = v.one(dst, r, b[:size])
		}
		b = rest
	}
	return dst
}

// one appends a character that needs no lookahead. Each visible character may be followed by
// one variation selector.
func (v *revealer) one(dst []byte, r rune, bytes []byte) []byte {
	selects := unicode.Is(unicode.Variation_Selector, r) && v.last > ' ' && !hidden(v.last)
	if r < 0 || hidden(r) && !selects {
		return v.show(dst, r)
	}
	v.last = r
	return append(dst, bytes...)
}

// show appends the visible form of a character.
func (v *revealer) show(dst []byte, r rune) []byte {
	v.last = 0
	return v.spell(dst, r)
}

// first returns the first character of b, or its first byte as a negative number if that is
// not UTF-8.
func first(b []byte) (r rune, size int) {
	r, size = utf8.DecodeRune(b)
	if r == utf8.RuneError && size <= 1 && len(b) > 0 {
		return -rune(b[0]), 1
	}
	return r, size
}

// spaced matches a word with its leading space.
var spaced = regexp.MustCompile(`\s*\S+`)

// Wrap breaks a text between words to fit wide cells. Further lines are indented; the first
// already is.
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
