// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package document

import (
	"errors"
	"regexp"
	"strings"
	"unicode/utf8"
)

var (
	errUTF16  = errors.New("the file is UTF-16, but Fovea writes UTF-8; save it as UTF-8 to edit it here")
	errCoding = errors.New("the file is not UTF-8, and the edit adds characters outside ASCII; save it as UTF-8, or write ASCII")
)

// codingLine matches the first line of a file if it declares an encoding for Emacs.
var codingLine = regexp.MustCompile(`^[^\n]*-\*-[^\n]*coding:[ \t]*([A-Za-z0-9-]+)[^\n]*-\*-`)

// CheckEncoding returns an error if an edit would mix encodings in a file. Invalid bytes
// that the file already has may stay.
func CheckEncoding(before, after string) error {
	switch {
	case IsUTF16(before):
		return errUTF16
	case IsUTF8(before):
		return nil
	}
	had, has := countBytes(before), countBytes(after)
	for c := utf8.RuneSelf; c < len(has); c++ {
		if has[c] > had[c] {
			return errCoding
		}
	}
	return nil
}

// IsUTF16 reports whether a text has a UTF-16 byte order mark, or NULs at only even or only
// odd offsets, starting with its first character.
func IsUTF16(text string) bool {
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
		return true
	}
	const most = 256
	head := text[:min(len(text), most)&^1]
	if len(head) < 4 || (head[0] == 0) == (head[1] == 0) {
		return false
	}
	nul := [2]int{}
	for i := range len(head) {
		if head[i] == 0 {
			nul[i%2]++
		}
	}
	return (nul[0] == 0) != (nul[1] == 0) && max(nul[0], nul[1]) >= len(head)/4
}

// IsUTF8 reports whether a text is valid UTF-8 and declares no other encoding.
func IsUTF8(text string) bool {
	if m := codingLine.FindStringSubmatch(text); m != nil {
		coding := strings.ToLower(m[1])
		if !strings.HasPrefix(coding, "utf-8") && coding != "us-ascii" && !strings.HasPrefix(coding, "undecided") {
			return false
		}
	}
	return utf8.ValidString(text)
}

func countBytes(text string) (counts [256]int) {
	for i := range len(text) {
		counts[text[i]]++
	}
	return counts
}
