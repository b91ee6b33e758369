// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// The two characters that join letters or keep them apart, and that have a use in
// Arabic, in the scripts of India and in emoji.
const (
	zeroWidthNonJoiner = '\u200c'
	zeroWidthJoiner    = '\u200d'
)

// hidden reports whether a terminal would act on a character, or show nothing for it:
// control characters, those that change the direction of text, and invisible ones.
// Line feed and tab are not hidden. Joiners and variation selectors are; whether one
// has a use depends on its neighbours, see revealer.
func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || r >= ' ' && r < 0x7f:
		return false
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // Arabic signs of category Cf that are seen
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp,
		unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point)
}

// joins reports whether a joiner may stand beside a character: a letter or a mark of a
// script that has a use for it, or a symbol such as an emoji. Latin, Greek and
// Cyrillic letters have none.
func joins(r rune) bool {
	if unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic) {
		return false
	}
	return r >= 0x80 && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsSymbol(r))
}

// A spelling appends the form of a hidden character that is seen. A byte that is not
// UTF-8 comes as a negative number.
type spelling func(dst []byte, r rune) []byte

// spelled writes \x1b for ASCII and for bytes that are not UTF-8, \u{202e} for the rest.
func spelled(dst []byte, r rune) []byte {
	switch {
	case r < 0:
		return fmt.Appendf(dst, `\x%02x`, -r)
	case r < utf8.RuneSelf:
		return fmt.Appendf(dst, `\x%02x`, r)
	}
	return fmt.Appendf(dst, `\u{%x}`, r)
}

// spelledJSON writes the escapes that strings of JSON have, so that the value stays
// the same.
func spelledJSON(dst []byte, r rune) []byte {
	if r < 0 {
		r = utf8.RuneError
	}
	if high, low := utf16.EncodeRune(r); r > 0xffff {
		return fmt.Appendf(dst, `\u%04x\u%04x`, high, low)
	}
	return fmt.Appendf(dst, `\u%04x`, r)
}

// visible returns a text in which nothing is hidden.
func visible(text string) string { return reveal(text, spelled) }

func reveal(text string, spell spelling) string {
	v := revealer{spell: spell}
	return string(v.end(v.next(make([]byte, 0, len(text)), []byte(text))))
}

// revealer is a writer that makes visible what is hidden. CR LF becomes LF. Writes may
// end anywhere: what cannot be decided yet waits for the next write, or for Flush. It
// is safe for concurrent use; a write is not torn.
type revealer struct {
	to    io.Writer
	spell spelling

	mu   sync.Mutex
	last rune   // that was passed on as it is, 0 where none was
	held []byte // the end of what came: part of a character, CR, or a joiner
}

func (v *revealer) Write(b []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, err := v.to.Write(v.next(nil, b)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Flush writes what waits.
func (v *revealer) Flush() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.held) == 0 {
		return nil
	}
	_, err := v.to.Write(v.end(nil))
	return err
}

// end appends what waits: nothing more comes.
func (v *revealer) end(dst []byte) []byte {
	for len(v.held) > 0 {
		r, size := first(v.held)
		dst, v.held = v.show(dst, r), v.held[size:]
	}
	return dst
}

// next appends the visible form of what came, but for an end that must wait.
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

// one appends a character that needs no look ahead. One variation selector may stand
// behind each character that is seen.
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

// first is the first character of b, or its first byte as a negative number where that
// is not UTF-8.
func first(b []byte) (r rune, size int) {
	r, size = utf8.DecodeRune(b)
	if r == utf8.RuneError && size <= 1 && len(b) > 0 {
		return -rune(b[0]), 1
	}
	return r, size
}
