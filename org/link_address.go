// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"net/url"
	"strings"
)

// linkTypes are the predefined link types of Org. Any other word before a colon is
// not a type: "note: this" is a title.
var linkTypes = map[string]bool{
	"attachment": true, "bbdb": true, "bibtex": true, "docview": true, "doi": true, "elisp": true, "eww": true,
	"file": true, "file+emacs": true, "file+sys": true, "ftp": true, "gnus": true, "help": true, "http": true, "https": true, "id": true,
	"info": true, "irc": true, "mailto": true, "mhe": true, "news": true, "rmail": true, "shell": true, "w3m": true,
}

const maxLinkTypeLength = len("attachment")

// isLinkType reports whether name, in any case, is a link type.
func isLinkType(name string) bool {
	return len(name) >= 2 && len(name) <= maxLinkTypeLength && linkTypes[strings.ToLower(name)]
}

// linkTypeStart returns the offset, at least limit, of the letters before the offset at
// that can be a link type.
func linkTypeStart(text string, limit, at int) int {
	start := at
	for start > limit && isAlphaByte(text[start-1]) && at-start < maxLinkTypeLength {
		start--
	}
	return start
}

// splitAddress splits an address into type and path.
func splitAddress(raw string) (kind, path string) {
	switch {
	case raw == "":
		return "fuzzy", raw
	case raw[0] == '#':
		return "custom-id", raw[1:]
	case raw[0] == '(' && raw[len(raw)-1] == ')':
		return "coderef", raw[1 : len(raw)-1]
	case isFileName(raw):
		return "file", raw
	}
	kind, path, ok := strings.Cut(raw, ":")
	if !ok || !isLinkType(kind) {
		return "fuzzy", raw
	}
	if kind = strings.ToLower(kind); strings.HasPrefix(kind, "file+") {
		kind = "file"
	}
	return kind, path
}

// setAddress sets the fields that depend on the address of l.
func (l *Link) setAddress() {
	l.Type, l.Path = splitAddress(l.Raw)
	if l.Type == "file" {
		l.Path, l.Search, _ = strings.Cut(l.Path, "::")
	}
}

// isFileName reports whether an address without a type is a file name.
func isFileName(raw string) bool {
	return raw[0] == '/' || raw == "~" || strings.HasPrefix(raw, "~/") || strings.HasPrefix(raw, "./") || strings.HasPrefix(raw, "../")
}

// resolveAddress returns the address in the brackets of a link: unescaped, on one
// line, and with abbreviations expanded.
func (d *Document) resolveAddress(raw string) string {
	raw = unescape(raw)
	if d == nil || d.LinkAbbreviations == nil {
		return raw
	}
	name, tag, _ := strings.Cut(raw, ":")
	value, ok := d.LinkAbbreviations[name]
	if !ok {
		return raw
	}
	tag = strings.TrimPrefix(tag, ":") // one colon or two
	switch {
	case strings.Contains(value, "%s"):
		return strings.Replace(value, "%s", tag, 1)
	case strings.Contains(value, "%h"):
		return strings.Replace(value, "%h", strings.ReplaceAll(url.QueryEscape(tag), "+", "%20"), 1)
	}
	return value + tag
}

// unescape removes the backslashes before brackets and at the end of an address,
// where two stand for one, and replaces line breaks by blanks.
func unescape(raw string) string {
	if !strings.ContainsAny(raw, "\\\n") {
		return raw
	}
	var b strings.Builder
	for i := 0; i < len(raw); {
		switch raw[i] {
		case '\\':
			n := i
			for n < len(raw) && raw[n] == '\\' {
				n++
			}
			count := n - i
			if n == len(raw) || raw[n] == '[' || raw[n] == ']' {
				count /= 2
			}
			b.WriteString(raw[i : i+count])
			i = n
		case ' ', '\t', '\r', '\n':
			n := i
			for n < len(raw) && (isBlank(raw[n]) || raw[n] == '\r' || raw[n] == '\n') {
				n++
			}
			if space := raw[i:n]; strings.Contains(space, "\n") {
				b.WriteByte(' ')
			} else {
				b.WriteString(space)
			}
			i = n
		default:
			b.WriteByte(raw[i])
			i++
		}
	}
	return b.String()
}
