// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package escape

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

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
