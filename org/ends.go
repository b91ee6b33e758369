// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
)

// The kinds of lines that end an element.
const (
	endBlock       = iota // #+end_NAME
	endDynamic            // #+end:
	endDrawer             // :END:
	endEnvironment        // \end{NAME} at the end of a line
)

// endKey identifies the line that ends an element.
type endKey struct {
	kind uint8
	name string // in lower case: the case of ASCII letters does not matter
}

func (k endKey) compare(other endKey) int {
	return cmp.Or(cmp.Compare(k.kind, other.kind), strings.Compare(k.name, other.name))
}

// endLine is a line that can end an element.
type endLine struct {
	endKey
	line
}

// ends are the lines of a section that can end an element, sorted by key and offset.
// They are collected on the first lookup, so elements without an end cost no time.
type ends struct {
	collected bool
	lines     []endLine
}

// find returns the first line with the key that starts at from or later and ends at
// limit or earlier.
func (e *ends) find(p *sectionParser, key endKey, from, limit int) (line, bool) {
	if !e.collected {
		e.collected = true
		e.collect(p.src, p.at, p.end)
	}
	i, _ := slices.BinarySearchFunc(e.lines, from, func(l endLine, from int) int {
		return cmp.Or(l.compare(key), cmp.Compare(l.start, from))
	})
	if i == len(e.lines) || e.lines[i].compare(key) != 0 || e.lines[i].next > limit {
		return line{}, false
	}
	return e.lines[i].line, true
}

func (e *ends) collect(src string, at, limit int) {
	for l := range linesOf(src, at, limit) {
		if key, ok := endOf(l.text(src)); ok {
			e.lines = append(e.lines, endLine{key, l})
		}
	}
	slices.SortFunc(e.lines, func(a, b endLine) int {
		return cmp.Or(a.compare(b.endKey), cmp.Compare(a.start, b.start))
	})
}

// endOf returns the key of the element that a line can end.
func endOf(text string) (endKey, bool) {
	text = trimBlanks(text)
	if text == "" {
		return endKey{}, false
	}
	switch {
	case text[0] == '#':
		const end = "#+end"
		if !hasPrefixFold(text, end) {
			return endKey{}, false
		}
		switch rest := text[len(end):]; {
		case rest == "" || rest == ":":
			return endKey{endDynamic, ""}, true
		case rest[0] == '_':
			return endKey{endBlock, document.Lower(rest[1:])}, true
		}
	case text[0] == ':':
		if isDrawerLine(text, drawerClose) {
			return endKey{endDrawer, ""}, true
		}
	}
	if text[len(text)-1] == '}' {
		if i := strings.LastIndexByte(text, '{'); i >= 4 && strings.EqualFold(text[i-4:i], `\end`) {
			return endKey{endEnvironment, document.Lower(text[i+1 : len(text)-1])}, true
		}
	}
	return endKey{}, false
}
