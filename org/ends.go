// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
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

// findEnd returns the first line with the key between from and limit. The lines are
// collected on the first call, so that a section without blocks costs no time.
func (p *sectionParser) findEnd(key endKey, from, limit int) (line, bool) {
	if p.ends == nil {
		p.ends = map[endKey][]line{}
		for l := range linesOf(p.src, p.at, p.end) {
			if ends, ok := endOf(l.text(p.src)); ok {
				p.ends[ends] = append(p.ends[ends], l)
			}
		}
	}
	lines := p.ends[key]
	i, _ := slices.BinarySearchFunc(lines, from, func(l line, from int) int { return l.start - from })
	if i == len(lines) || lines[i].next > limit {
		return line{}, false
	}
	return lines[i], true
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
