// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// TerminalControls is remembered text that would act on a terminal.
const TerminalControls = "\x1b[2J\x1b[H\x1b]0;owned\x07 \u009b31m \x7f \x00\x08\x0b \u202egpj.exe \u2066iso\u2069 \u200f\u061c " +
	"\u200bzero\ufeff \u2028\u2029 tag\U000e0041\U000e0042 pass\u200dword \xff\x9b1m \u00ad \u3164"

// ActingOnTerminal returns the characters of a text that may not reach a terminal.
func ActingOnTerminal(text string) (found []string) {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // an Arabic sign, which is seen
		case r == utf8.RuneError && size == 1, r == '\u3164', r == '\u200d' && strings.HasPrefix(text[i+size:], "word"),
			unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) && r != '\n' && r != '\t' && r != '\u200d' && r != '\u200c':
			found = append(found, fmt.Sprintf("%q behind %q", text[i:i+size], text[max(0, i-20):i]))
		}
		i += size
	}
	return found
}
