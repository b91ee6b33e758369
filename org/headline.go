// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxNumericPriority is the largest number that Org accepts as a priority. The
// character codes of letters are above it.
const maxNumericPriority = 64

// starsAt returns the level of the headline at the offset at, the start of a line, or
// 0 if there is none. The stars must be followed by a space, not a tab.
func starsAt(src string, at int) int {
	i := at
	for i < len(src) && src[i] == '*' {
		i++
	}
	if i == len(src) || src[i] != ' ' {
		return 0
	}
	return i - at
}

// parseTitle parses the line of a headline after the stars: keyword, priority,
// COMMENT, title, tags. Everything but the title is optional.
func (p *parser) parseTitle(h *Headline, rest string) {
	h.Tags, rest = splitTags(rest)
	h.Archived = slices.Contains(h.Tags, "ARCHIVE")
	if p.ownIsDone != nil {
		own := Headline{}
		own.parseWords(trimBlanks(rest), p.ownIsDone)
		p.doc.ownTitles = append(p.doc.ownTitles, own.Title)
	}
	h.parseWords(trimBlanks(rest), p.isDone)
	h.Footnotes = h.Title == "Footnotes"
}

// parseWords parses the text of a headline between stars and tags. isDone maps every
// TODO keyword to whether it is a done keyword.
func (h *Headline) parseWords(text string, isDone map[string]bool) {
	// A keyword ends at a space, not at a tab.
	word, _, _ := strings.Cut(text, " ")
	if done, ok := isDone[word]; ok && word != "" {
		h.Todo, h.Done = word, done
		text = trimBlanksLeft(text[len(word):])
	}
	if n := priorityCookie(text); n > 0 {
		h.Priority = text[2 : n-1]
		text = trimBlanksLeft(text[n:])
	}
	if word, after := cutBlank(text); word == "COMMENT" {
		h.Commented = true
		text = trimBlanksLeft(after)
	}
	h.Title = text
}

// priorityCookie returns the length of the priority cookie at the start of text: [#X]
// with a letter, or with a number up to maxNumericPriority. It returns 0 if there is
// none.
func priorityCookie(text string) int {
	if !strings.HasPrefix(text, "[#") {
		return 0
	}
	end := strings.IndexByte(text[:min(len(text), len("[#64]"))], ']')
	switch {
	case end == len("[#A"):
		if isAlnumByte(text[2]) {
			return end + 1
		}
	case end == len("[#64"):
		if value, n := number(text[2:end]); n == end-2 && text[2] != '0' && value <= maxNumericPriority {
			return end + 1
		}
	}
	return 0
}

// splitTags removes the tags from the end of a headline: its last word, if that
// consists of tag characters between colons. Two adjacent colons enclose an empty
// tag, as in Org.
func splitTags(text string) (tags []string, rest string) {
	trimmed := trimBlanksRight(text)
	if len(trimmed) < 3 || trimmed[len(trimmed)-1] != ':' {
		return nil, text
	}
	start := strings.LastIndexAny(trimmed, " \t") + 1
	word := trimmed[start:]
	if start == 0 || len(word) < 3 || word[0] != ':' || !isTagGroup(word) {
		return nil, text
	}
	return strings.Split(word[1:len(word)-1], ":"), trimmed[:start]
}

// isTagGroup reports whether s consists of colons and tag characters.
func isTagGroup(s string) bool {
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case isAlnumByte(c), c == ':', c == '_', c == '@', c == '#', c == '%':
			i++
		case c < utf8.RuneSelf:
			return false
		default:
			// Emacs treats letters, marks, digits and letter-like numbers as
			// alphanumeric, but not other numbers such as superscripts.
			r, n := utf8.DecodeRuneInString(s[i:])
			if !unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Nl) {
				return false
			}
			i += n
		}
	}
	return true
}

// parts are the offsets of the parts of a headline's line. An absent part is empty
// and has the offset at which it would be inserted.
type parts struct {
	keyword, keywordEnd   int
	priority, priorityEnd int // the cookie
	title, titleEnd       int // after COMMENT, without trailing blanks
	comment               int // start of COMMENT, else of the title
	tags, tagsEnd         int // the word :a:b:
	lineEnd               int
}

// parts returns the parts of the line of headline i.
func (d *Document) parts(i int) parts { return d.Headlines[i].parts(d.Source) }

// parts returns the parts of the headline's line in src.
func (h *Headline) parts(src string) parts {
	var p parts
	p.lineEnd = lineAt(src, h.Start, h.SectionEnd).end
	blanks := func(at int) int { return p.lineEnd - len(trimBlanksLeft(src[at:p.lineEnd])) }
	p.tags, p.tagsEnd = p.lineEnd, p.lineEnd
	if len(h.Tags) > 0 {
		p.tagsEnd = h.Start + len(trimBlanksRight(src[h.Start:p.lineEnd]))
		p.tags = h.Start + strings.LastIndexAny(src[h.Start:p.tagsEnd], " \t") + 1
	}
	at := min(blanks(h.Start+h.Level), p.tags)
	p.keyword, p.keywordEnd = at, at+len(h.Todo)
	if h.Todo != "" {
		at = min(blanks(p.keywordEnd), p.tags)
	}
	p.priority, p.priorityEnd = at, at
	if h.Priority != "" {
		p.priorityEnd = at + len("[#]") + len(h.Priority)
		at = min(blanks(p.priorityEnd), p.tags)
	}
	p.comment = at
	if h.Commented {
		at = min(blanks(at+len("COMMENT")), p.tags)
	}
	p.title = at
	p.titleEnd = at + len(trimBlanksRight(src[at:p.tags]))
	return p
}
