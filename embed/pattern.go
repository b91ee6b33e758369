// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// pattern is a text or a regular expression of the file.
type pattern struct{ String, Regex *string }

// finder finds the matches of a pattern in linear time with Go's own engine. Go has no
// lookahead; cut implements the one that tokenizers use, for blanks before a word.
type finder struct {
	re     *regexp.Regexp
	blanks int // the group of blanks whose last blank belongs to the next word, or 0
}

const (
	lookahead   = `\s+(?!\S)|\s+`
	blanksGroup = "blanks"
)

// classes are the contents of Unicode's character classes, which other languages use for these letters.
var classes = map[byte]string{'s': `\s\v\x{85}\p{Z}`, 'd': `\p{Nd}`, 'w': `\p{L}\p{M}\p{N}\p{Pc}`}

func (p pattern) compile() (*finder, error) {
	source := ""
	switch {
	case p.Regex != nil:
		source = *p.Regex
	case p.String != nil:
		source = regexp.QuoteMeta(*p.String)
	}
	if source == "" {
		return nil, fmt.Errorf("an empty pattern: %w", errTokenizer)
	}
	translated := source
	if rest, ok := strings.CutSuffix(source, lookahead); ok {
		translated = rest + `(?P<` + blanksGroup + `>\s+)`
	}
	re, err := regexp.Compile(withClasses(translated))
	if err != nil {
		return nil, fmt.Errorf("pattern %.40q: %w", source, errUnknown)
	}
	return &finder{re, max(0, re.SubexpIndex(blanksGroup))}, nil
}

// withClasses writes \s, \d, \w and their opposites as Unicode classes.
func withClasses(source string) string {
	var b strings.Builder
	inClass := false
	for i := 0; i < len(source); i++ {
		c := source[i]
		if c != '\\' || i+1 == len(source) {
			inClass = c == '[' || inClass && c != ']'
			b.WriteByte(c)
			continue
		}
		i++
		class, ok := classes[source[i]|0x20]
		switch upper := source[i] < 'a'; {
		case ok && inClass && !upper:
			b.WriteString(class)
		case ok && !inClass && upper:
			b.WriteString("[^" + class + "]")
		case ok && !inClass:
			b.WriteString("[" + class + "]")
		default:
			b.WriteString(source[i-1 : i+1])
		}
	}
	return b.String()
}

// cut returns the matches of the pattern in word and the text between them.
func (f *finder) cut(word string) []piece {
	var pieces []piece
	last := 0
	for at := 0; at < len(word); {
		m := f.re.FindStringSubmatchIndex(word[at:])
		if m == nil {
			break
		}
		begin, end := at+m[0], at+m[1]
		if f.blanks > 0 && m[2*f.blanks] >= 0 && end < len(word) {
			_, size := utf8.DecodeLastRuneInString(word[begin:end])
			if end-begin > size {
				end -= size
			}
		}
		if begin == end {
			_, size := utf8.DecodeRuneInString(word[end:])
			at = end + max(1, size)
			continue
		}
		if begin > last {
			pieces = append(pieces, piece{word[last:begin], false})
		}
		pieces = append(pieces, piece{word[begin:end], true})
		at, last = end, end
	}
	if last < len(word) {
		pieces = append(pieces, piece{word[last:], false})
	}
	return pieces
}
