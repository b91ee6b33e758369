// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package escape

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line makes text one line: control characters, newlines and separators become
// spaces, runs of spaces become one, and invalid UTF-8 becomes the replacement
// character.
func Line(text string) string {
	isPlain := func(r rune) bool {
		return r == ' ' || r < utf8.RuneSelf && r > ' ' && r != 0x7f
	}
	if strings.IndexFunc(text, func(r rune) bool { return !isPlain(r) }) >= 0 {
		text = strings.Map(func(r rune) rune {
			if unicode.IsControl(r) || unicode.IsSpace(r) || isBidi(r) {
				return ' '
			}
			return r
		}, strings.ToValidUTF8(text, "\uFFFD"))
	}
	if !strings.Contains(text, "  ") {
		return strings.TrimSpace(text)
	}
	return strings.Join(strings.Fields(text), " ")
}

// isBidi reports whether r is a bidirectional control, which reorders displayed text.
func isBidi(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

const ellipsis = "…"

// Truncate truncates text to n runes and appends an ellipsis.
func Truncate(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i] + ellipsis
		}
		n--
	}
	return text
}

// Body returns a body with Unix newlines, as valid UTF-8, without blank lines around
// it.
func Body(text string) string {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	if strings.Contains(text, "\r") {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	}
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	for {
		line, rest, ok := strings.Cut(text, "\n")
		if !ok || strings.TrimSpace(line) != "" {
			return text
		}
		text = rest
	}
}

// lineEnds are the characters besides the newline that some program takes for the end of
// a line: VT, FF, FS, GS, RS, NEL, LS and PS.
const lineEnds = "\v\f\x1c\x1d\x1e\u0085\u2028\u2029"

// Lines returns the lines of what Body returned, without common indentation and
// trailing white space. Each character that may end a line does.
func Lines(body string) []string {
	if strings.ContainsAny(body, lineEnds) {
		body = strings.Map(func(r rune) rune {
			if strings.ContainsRune(lineEnds, r) {
				return '\n'
			}
			return r
		}, body)
	}
	if body == "" {
		return nil
	}
	lines := strings.Split(body, "\n")
	indent, first := "", true
	for i, line := range lines {
		lines[i] = strings.TrimRightFunc(line, unicode.IsSpace)
		if lines[i] == "" {
			continue
		}
		own := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		if first {
			indent, first = own, false
		}
		for !strings.HasPrefix(own, indent) {
			indent = indent[:len(indent)-1]
		}
	}
	if indent != "" {
		for i := range lines {
			lines[i] = strings.TrimPrefix(lines[i], indent)
		}
	}
	return lines
}
