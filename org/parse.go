// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"fmt"
	"slices"
	"strings"
)

// bom is the UTF-8 byte order mark.
const bom = "\xef\xbb\xbf"

// Options are the inputs of [Parse] other than the text.
type Options struct {
	// Setup returns the text of the file that a #+SETUPFILE line names, and whether
	// it exists. The name is as written, without quotes; a name in a setup file is
	// joined to the folder of that file. Setup is called once for each name. It
	// decides which names it serves; a caller must confine it to its root. A name
	// that it does not serve causes a diagnostic. If Setup is nil, setup files are
	// ignored silently.
	Setup func(name string) (text string, ok bool)
	// Defaults are settings that the file can override; nil for none.
	Defaults *Defaults
}

// Parse parses the outline of src. It never fails: any bytes are a document, and
// Diagnostics lists text that was probably meant otherwise. A nil opts is the zero
// Options. Strings in the result are substrings of src, or copies from setup files.
// Parse takes time in proportion to the length of src and of the setup files, and is
// safe for concurrent use if opts.Setup is.
func Parse(src string, opts *Options) *Document {
	d := &Document{Source: src, SectionEnd: len(src)}
	if strings.HasPrefix(src, bom) {
		d.Start = len(bom)
	}
	s := scanner{src: src}
	s.scan(d.Start)
	d.Keywords, d.Diagnostics = s.keywords, s.diagnostics
	if at := mixedLineEnds(src); at >= 0 {
		d.addDiagnostic(at, "line ends are mixed: Org treats the carriage returns as text, Fovea as part of the line ends")
	}
	d.outline(&s, d.applySettings(opts))
	return d
}

// reparse parses the outline of src under the settings of d.
func (d *Document) reparse(src string) *Document {
	n := *d
	n.Source, n.SectionEnd = src, len(src)
	s := scanner{src: src}
	s.scan(n.Start)
	n.Keywords, n.Diagnostics, n.omitted = s.keywords, s.diagnostics, 0
	n.outline(&s, d.Todo.doneSet())
	return &n
}

// outline sets the headlines and the document's drawer from the result of a scan.
// isDone maps every TODO keyword to whether it is a done keyword.
func (d *Document) outline(s *scanner, isDone map[string]bool) {
	src := d.Source
	d.radio = &lazyRadioTargets{}
	if len(s.headlines) > 0 {
		d.SectionEnd = s.headlines[0].start
	}
	d.ownTitles = nil
	p := parser{doc: d, isDone: isDone}
	if d.defaults != nil {
		p.ownIsDone = d.ownTodo.doneSet()
	}
	d.Drawer = p.parseDrawer(d.commentsEnd(), d.SectionEnd)
	d.Headlines = make([]Headline, len(s.headlines))
	for i, mark := range s.headlines {
		h := &d.Headlines[i]
		h.Start, h.Level = mark.start, mark.level
		h.SectionEnd = len(src)
		if i+1 < len(s.headlines) {
			h.SectionEnd = s.headlines[i+1].start
		}
		p.headline(h)
	}
	p.reportMisplacedDrawers(s.drawerOpenings)
	d.linkParents()
	d.reportUndeclaredKeywords()
	d.finishDiagnostics()
}

// parser parses the content of each headline.
type parser struct {
	doc            *Document
	isDone         map[string]bool // every TODO keyword -> whether it is a done keyword
	ownIsDone      map[string]bool // the same for the file alone; nil if there are no defaults
	drawerOpenings []int           // offsets of the drawers found by parseDrawer, increasing
}

// headline completes h, which has its Start, Level and SectionEnd.
func (p *parser) headline(h *Headline) {
	text := lineAt(p.doc.Source, h.Start, h.SectionEnd)
	h.TextEnd = text.next
	p.parseTitle(h, p.doc.Source[h.Start+h.Level:text.end])

	at := h.TextEnd
	if line := lineAt(p.doc.Source, at, h.SectionEnd); planningWord(trimBlanksLeft(line.text(p.doc.Source))) != "" {
		h.PlanningStart, h.PlanningEnd = line.start, line.next
		p.planning(h, line)
		// Org allows only blank lines between planning line and drawer.
		at = skipBlankLines(p.doc.Source, line.next, h.SectionEnd)
	}
	h.Drawer = p.parseDrawer(at, h.SectionEnd)
}

// commentsEnd returns the offset after the comment lines at the start of the document,
// where its property drawer may be.
func (d *Document) commentsEnd() int {
	return skipLines(d.Source, d.Start, d.SectionEnd, func(text string) bool { return isRunLine(TypeComment, trimBlanksRight(text)) })
}

// reportMisplacedDrawers adds a diagnostic for each opening of a property drawer, at
// increasing offsets, where Org does not look for one.
func (p *parser) reportMisplacedDrawers(opens []int) {
	at := 0
	for _, offset := range opens {
		for at < len(p.drawerOpenings) && p.drawerOpenings[at] < offset {
			at++
		}
		if at == len(p.drawerOpenings) || p.drawerOpenings[at] != offset {
			p.doc.addDiagnostic(offset, "property drawer is neither directly below its headline nor first in the file, so it is not read")
		}
	}
}

// linkParents sets the parents and the ends of the subtrees.
func (d *Document) linkParents() {
	var open []int32 // the last headline and its ancestors
	for i := range d.Headlines {
		h := &d.Headlines[i]
		for len(open) > 0 && d.Headlines[open[len(open)-1]].Level >= h.Level {
			d.Headlines[open[len(open)-1]].End = h.Start
			open = open[:len(open)-1]
		}
		h.Parent = -1
		if len(open) > 0 {
			h.Parent = open[len(open)-1]
		}
		open = append(open, int32(i))
	}
	for _, i := range open {
		d.Headlines[i].End = len(d.Source)
	}
}

// maxDiagnostics is the maximum number of diagnostics of a document. Nobody reads more,
// and a diagnostic takes many times the memory of its text.
const maxDiagnostics = 10_000

// addDiagnostic adds a diagnostic, whose line is set at the end. Beyond
// maxDiagnostics it only counts them.
func (d *Document) addDiagnostic(offset int, message string) {
	if len(d.Diagnostics) >= maxDiagnostics {
		d.omitted++
		return
	}
	d.Diagnostics = append(d.Diagnostics, Diagnostic{Offset: offset, Message: message})
}

// finishDiagnostics sorts the diagnostics and sets their lines in one pass.
func (d *Document) finishDiagnostics() {
	slices.SortStableFunc(d.Diagnostics, func(a, b Diagnostic) int { return a.Offset - b.Offset })
	if n := len(d.Diagnostics); d.omitted > 0 {
		message := fmt.Sprintf("%d more diagnostics of this document are not listed; fix the listed ones to see them", d.omitted)
		d.Diagnostics = append(d.Diagnostics, Diagnostic{Offset: d.Diagnostics[n-1].Offset, Message: message})
	}
	at, line := 0, 1
	for i := range d.Diagnostics {
		g := &d.Diagnostics[i]
		line += strings.Count(d.Source[at:g.Offset], "\n")
		at = g.Offset
		g.Line = line
	}
}

// Limits of what is parsed. Parsing takes some kilobytes for each node and up to a
// hundred bytes for each byte of text, so without a limit one file could exhaust the
// memory. Real files have some thousand headlines.
const (
	MaxHeadlines = 250_000  // of one document
	MaxParsed    = 64 << 20 // bytes of one document
)

// KeptWhole returns why an Org text is kept as one opaque node, and how to change that; ""
// for a text that is parsed. It depends only on the text, so that all machines agree.
// O(len(text)) without allocation; O(1) for a short text.
func (Format) KeptWhole(text string) string {
	const what = "; the file is kept whole, and its headlines are not read: split it into smaller files"
	switch {
	case len(text) > MaxParsed:
		return fmt.Sprintf("%d bytes, more than the %d that are parsed", len(text), MaxParsed) + what
	case HasMoreHeadlines(text, MaxHeadlines):
		return fmt.Sprintf("more than %d headlines", MaxHeadlines) + what
	}
	return ""
}

// HasMoreHeadlines reports whether src has more than limit headlines, as [Parse]
// counts them. It allocates nothing and takes time in proportion to src, or constant
// time if src is too short to contain that many.
func HasMoreHeadlines(src string, limit int) bool {
	const shortest = len("* \n")
	if len(src) < limit*shortest {
		return false
	}
	at := 0
	if strings.HasPrefix(src, bom) {
		at = len(bom)
	}
	for count := 0; ; {
		if at < len(src) && src[at] == '*' && starsAt(src, at) > 0 {
			if count++; count > limit {
				return true
			}
		}
		next := strings.Index(src[at:], "\n*")
		if next < 0 {
			return false
		}
		at += next + 1
	}
}
