// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"iter"
	"strings"
)

// A LinkFormat says how a link is written.
type LinkFormat uint8

// The formats of links.
const (
	LinkBracket LinkFormat = iota // [[address][description]]
	LinkAngle                     // <type:address>
	LinkPlain                     // type:address
	LinkRadio                     // the text of a radio target
)

// A Link is a link found by [Links] or [Tree.Link].
type Link struct {
	Format LinkFormat
	// Type is the part of the address before the colon (id, https, file and so
	// on), in lower case; "file" also for a path that begins with /, ./, ../ or ~;
	// "custom-id" for #name; "coderef" for (name); "fuzzy" for everything else,
	// which Org looks up as a target or a headline.
	Type string
	// Path is the address without the type and the search, unescaped.
	Path string
	// Search is what to look for in a file: what follows :: in its address.
	Search string
	// Raw is the address as written, with the type.
	Raw string
	// Description is the text shown, or "" when there is none.
	Description string
	// Start and End are the offsets, in the text given, of the whole link.
	Start, End int
}

// Links returns the links in text, which is the own text of a node or any part of a
// file, in order: bracket links [[address]] and [[address][description]], and plain
// id:name, with or without angle brackets. It leaves out source, example, export and comment blocks, LaTeX
// environments, comment and keyword lines, fixed-width lines, property drawers, and
// links in single verbatim markers. #+LINK abbreviations are not expanded.
//
// This is an approximation that needs no parse of elements and markup: it does not
// know, for one, that a link cannot reach over the end of a list item. It takes time
// in proportion to text. Strings are parts of text except where an address holds a
// backslash escape or a line break.
func Links(text string) iter.Seq[Link] {
	return func(yield func(Link) bool) {
		for start, end := range prose(text) {
			f := linkFinder{text: text[:end], at: start, bracket: -1, id: -1, middle: -1, close: -1}
			for {
				link, ok := f.next()
				if !ok {
					break
				}
				if !yield(link) {
					return
				}
			}
		}
	}
}

// prose returns the stretches of text, as start and end offsets, that may hold links
// and over whose ends no link can reach.
func prose(text string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		start := 0             // of the current stretch
		var unclosed blockKind // kinds not closed before the next headline
		drawer := false        // between :PROPERTIES: and the last property
		for at := 0; at < len(text); {
			l := lineAt(text, at, len(text))
			at = l.next
			line := trimBlanks(text[l.start:l.end])
			headline := starsAt(text, l.start) > 0
			if headline {
				unclosed = 0
			}
			drawer = isDrawerOpen(line) || drawer && isProperty(line)
			kind, name := blockStart(line)
			kind &^= unclosed | blockVerse
			if kind != 0 {
				if end := blockEnd(text, at, block{kind: kind, name: name}); end > 0 {
					at = end
				} else {
					unclosed |= kind
					kind = 0
				}
			}
			hidden := kind != 0 || drawer || line == "" || isHiddenLine(line)
			if !hidden && !headline && line[0] != '|' {
				continue
			}
			if start < l.start && !yield(start, l.start) {
				return
			}
			if !hidden && !yield(l.start, l.next) {
				return
			}
			start = at
		}
		if start < len(text) {
			yield(start, len(text))
		}
	}
}

func isProperty(line string) bool {
	_, _, ok := property(line)
	return ok
}

// isHiddenLine reports whether the trimmed line is a comment, a fixed-width line or
// a keyword. Captions are prose.
func isHiddenLine(line string) bool {
	switch {
	case line[0] == ':':
		return line == ":" || isBlank(line[1])
	case line[0] != '#':
		return false
	case line == "#" || isBlank(line[1]):
		return true
	}
	return line[1] == '+' && !hasPrefixFold(line, "#+caption") && strings.IndexByte(line, ':') > 0
}

// blockEnd returns the offset after the line that ends b, from the offset at on, or
// 0 when a headline or the end of text comes first.
func blockEnd(text string, at int, b block) int {
	for at < len(text) && starsAt(text, at) == 0 {
		l := lineAt(text, at, len(text))
		if b.endsAt(trimBlanksLeft(text[l.start:l.end])) {
			return l.next
		}
		at = l.next
	}
	return 0
}

// linkFinder finds the links of one stretch. The offsets below are those of the
// next occurrence; each only moves forward, so that the time stays linear.
type linkFinder struct {
	text    string // up to the end of the stretch
	at      int
	bracket int // of [[
	id      int // of id:
	middle  int // of an unescaped ][ or ]]
	close   int // of ]]
}

// seek moves the cached offset *at of pattern to at least from and returns it; the
// length of text when there is none.
func (f *linkFinder) seek(at *int, pattern string, from int) int {
	if *at < from {
		*at = len(f.text)
		if from < len(f.text) {
			if i := strings.Index(f.text[from:], pattern); i >= 0 {
				*at = from + i
			}
		}
	}
	return *at
}

// seekMiddle is seek for the end of an address.
func (f *linkFinder) seekMiddle(from int) int {
	for at := max(f.middle, from); f.middle < from; at++ {
		i := strings.IndexByte(f.text[min(at, len(f.text)):], ']')
		if i < 0 {
			f.middle = len(f.text)
			break
		}
		at += i
		if at+1 < len(f.text) && (f.text[at+1] == '[' || f.text[at+1] == ']') && backslashes(f.text[from:at])%2 == 0 {
			f.middle = at
		}
	}
	return f.middle
}

func (f *linkFinder) next() (Link, bool) {
	for {
		bracket, id := f.seek(&f.bracket, "[[", f.at), f.seek(&f.id, "id:", f.at)
		start := min(bracket, id)
		if start == len(f.text) {
			return Link{}, false
		}
		f.at = start + 1
		link, ok := Link{}, false
		if start == bracket {
			link, ok = f.bracketLink(start)
		} else {
			link, ok = f.plainID(start)
		}
		if ok {
			f.at = link.End
			if !f.verbatim(link.Start, link.End) {
				return link, true
			}
		}
	}
}

// verbatim reports whether the bytes around a link are the same verbatim marker.
func (f *linkFinder) verbatim(start, end int) bool {
	if start == 0 || end >= len(f.text) {
		return false
	}
	c := f.text[start-1]
	return (c == '=' || c == '~') && f.text[end] == c
}

// bracketLink reads the bracket link that starts at start.
func (f *linkFinder) bracketLink(start int) (Link, bool) {
	middle := f.seekMiddle(start + 2)
	if middle == len(f.text) {
		return Link{}, false
	}
	raw := f.text[start+2 : middle]
	if raw == "" || raw[0] == '[' || strings.Contains(raw, "[[") {
		return Link{}, false
	}
	link := Link{Start: start, End: middle + 2}
	if f.text[middle+1] == '[' {
		end := f.seek(&f.close, "]]", middle+3)
		if end == len(f.text) {
			return Link{}, false
		}
		link.Description = f.text[middle+2 : end]
		link.End = end + 2
	}
	link.Raw = unescape(raw)
	link.Type, link.Path = splitAddress(link.Raw)
	return link, true
}

// plainID reads the plain id: link that starts at start.
func (f *linkFinder) plainID(start int) (Link, bool) {
	if start > 0 && isWordByte(f.text[start-1]) {
		return Link{}, false
	}
	end := start + len("id:")
	for end < len(f.text) && !strings.ContainsRune(" \t\r\n()[]<>{}\"'`=~|", rune(f.text[end])) {
		end++
	}
	raw := strings.TrimRight(f.text[start:end], ".,;:!?*/_+")
	if len(raw) <= len("id:") {
		return Link{}, false
	}
	link := Link{Type: "id", Path: raw[len("id:"):], Raw: raw, Start: start, End: start + len(raw)}
	if link.End < len(f.text) && f.text[link.End] == '>' && start > 0 && f.text[start-1] == '<' {
		link.Start--
		link.End++
	}
	return link, true
}

// isWordByte reports whether a type cannot begin after c: a byte of a word.
func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c >= 0x80
}
