// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package text

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

// First returns at most the first n characters of a text.
func First(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

// Page returns the first page of a text, at most size bytes: it ends after a line, or after a
// character if that line is long. The text must be valid UTF-8.
func Page(text string, size int) string {
	if len(text) <= size {
		return text
	}
	end := size
	for !utf8.RuneStart(text[end]) {
		end--
	}
	if line := strings.LastIndexByte(text[:end], '\n') + 1; line > size/2 {
		end = line
	}
	return text[:end]
}

// Truncate truncates text to n runes and appends an ellipsis.
func Truncate(text string, n int) string {
	if first := First(text, n); len(first) < len(text) {
		return first + ellipsis
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

// lineEnds are the characters, other than the newline, that some programs treat as the end
// of a line: VT, FF, FS, GS, RS, NEL, LS and PS.
const lineEnds = "\v\f\x1c\x1d\x1e\u0085\u2028\u2029"

// hasLineEnd reports whether a valid text has one of lineEnds. It searches for their first bytes.
func hasLineEnd(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\n' || c == 0xc2 || c == 0xe2 {
			if r, _ := utf8.DecodeRuneInString(text[i:]); strings.ContainsRune(lineEnds, r) {
				return true
			}
		}
	}
	return false
}

// Lines returns the lines of a result of Body, without common indentation and trailing
// white space. Each of lineEnds also ends a line.
func Lines(body string) []string {
	if hasLineEnd(body) {
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

// IsKey reports whether a text can be the key of a property.
func IsKey(key string) bool {
	return key != "" && strings.IndexFunc(key, func(r rune) bool {
		return r == ':' || r == utf8.RuneError || unicode.IsSpace(r) || unicode.IsControl(r)
	}) < 0
}

// Keyword returns a todo keyword, or "" if the text cannot be one.
func Keyword(todo string) string {
	if strings.IndexFunc(todo, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != '_' && !unicode.IsDigit(r) }) >= 0 {
		return ""
	}
	return todo
}

// Priority returns a priority, or "" if the text cannot be one.
func Priority(p string) string {
	if len(p) == 0 || len(p) > 2 || strings.IndexFunc(p, func(r rune) bool {
		return r >= utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) >= 0 {
		return ""
	}
	return p
}

// IsTag reports whether a text can be a tag.
func IsTag(text string) bool {
	return text != "" && strings.IndexFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_@#%", r)
	}) < 0
}

// Markdown escapes all markup in a text.
func Markdown(text string) string {
	if !strings.ContainsAny(text, markdownSpecials) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune(markdownSpecials, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

const markdownSpecials = "\\`*_[]<>#&!|~"

// Fence returns the shortest run of at least three backticks that does not occur in a text.
func Fence(text string) string {
	longest, run := 2, 0
	for i := range len(text) {
		if run++; text[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	return strings.Repeat("`", longest+1)
}

// WriteCode writes lines as code: in a fence if that is shorter and no line contains a fence,
// else indented. After a paragraph an indented block needs a blank line.
func WriteCode(b *strings.Builder, lines []string, afterParagraph bool) {
	const minFenced, fence = 4, "```"
	text := strings.Join(lines, "\n")
	switch {
	case len(lines) == 0:
	case len(lines) >= minFenced && !strings.Contains(text, fence):
		b.WriteString(fence + "\n" + text + "\n" + fence + "\n")
	default:
		if afterParagraph {
			b.WriteByte('\n')
		}
		for _, line := range lines {
			if line != "" {
				b.WriteString("    " + line)
			}
			b.WriteByte('\n')
		}
	}
}
