// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// maxRadioLength is the maximum length in bytes of a radio target that creates links.
// It keeps the search for them linear in the text.
const maxRadioLength = 256

// lazyRadioTargets holds the radio targets of a document, collected on first use. A
// sync.OnceValue would take two more allocations for each parse.
type lazyRadioTargets struct {
	once    sync.Once
	targets *radioTargets
}

// radioTargets are the texts that are links wherever they occur in a document.
type radioTargets struct {
	root    radioNode
	classes [256]class
}

// radioNode is a node of a trie of lower-case texts with white space reduced to one
// blank.
type radioNode struct {
	next     map[rune]*radioNode
	terminal bool // a target ends here
}

// radioTargets returns the targets of the document, or nil if it has none.
func (d *Document) radioTargets() *radioTargets {
	d.radio.once.Do(func() {
		if strings.Contains(d.Source, "<<<") {
			d.radio.targets = d.collectRadio()
		}
	})
	return d.radio.targets
}

// collectRadio parses the sections that may contain a radio target.
func (d *Document) collectRadio() *radioTargets {
	var found radioTargets
	for i := -1; i < len(d.Headlines); i++ {
		if !strings.Contains(d.Text(i), "<<<") {
			continue
		}
		t := d.tree(i, true, nil)
		for k := range t.Elements {
			if e := &t.Elements[k]; e.Type == TypeRadioTarget && e.ContentsEnd-e.ContentsStart <= maxRadioLength {
				found.add(d.Source[e.ContentsStart:e.ContentsEnd])
			}
		}
	}
	if found.root.next == nil {
		return nil
	}
	found.setClasses()
	return &found
}

func (t *radioTargets) add(text string) {
	n := &t.root
	for at := 0; at < len(text); {
		var r rune
		r, at = foldAt(text, at)
		if n.next == nil {
			n.next = map[rune]*radioNode{}
		}
		if n.next[r] == nil {
			n.next[r] = &radioNode{}
		}
		n = n.next[r]
	}
	n.terminal = true
}

// setClasses marks the first bytes of all targets.
func (t *radioTargets) setClasses() {
	t.classes = classes
	for r := range t.root.next {
		for _, r := range [...]rune{r, unicode.ToUpper(r), unicode.ToTitle(r)} {
			t.classes[utf8.AppendRune(nil, r)[0]] |= classRadio
		}
	}
}

// radioLink parses a link to a radio target: its text in any case, with any white
// space between the words, and not inside a longer word.
func (p *objectParser) radioLink(c *contents, at int) int {
	if !c.allowed.has(TypeLink) || at > c.start && !isWordBoundary(runeBefore(p.text, c.start, at)) {
		return 0
	}
	text := p.text[:c.end]
	end, n := 0, &p.radio.root
	for next := at; next < len(text); {
		var r rune
		r, next = foldAt(text, next)
		if n = n.next[r]; n == nil {
			break
		}
		if n.terminal && (next == len(text) || isWordBoundary(runeAt(text, next))) {
			end = next
		}
	}
	if end == 0 {
		return 0
	}
	return p.nest(c, TypeLink, at, at, end, end)
}

// foldAt returns the lower-case character at the offset at and the offset after it. A
// run of white space is one blank.
func foldAt(text string, at int) (rune, int) {
	if isSpaceByte(text[at]) {
		for at < len(text) && isSpaceByte(text[at]) {
			at++
		}
		return ' ', at
	}
	r := runeAt(text, at)
	return unicode.ToLower(r), at + runeLength(r, text[at])
}

// isWordBoundary reports whether a radio link may start after r or end before it.
// East Asian scripts write words without spaces.
func isWordBoundary(r rune) bool {
	return !isAlnum(r) || r >= 0x2e80 && r <= 0x9fff || r >= 0xf900 && r <= 0xfaff || r >= 0x20000
}
