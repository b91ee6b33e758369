// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"slices"

	"github.com/fovea-memory/fovea/document"
)

// A Document is the outline of one Org file. It does not change after [Parse] returns
// it, so it is safe for concurrent use. Callers must not modify its slices.
type Document struct {
	// Source is the whole text that was parsed.
	Source string
	// Start is the offset of the first byte of Org text: 3 after a byte order mark,
	// else 0.
	Start int

	// Title is the values of all #+TITLE lines, joined by blanks.
	Title string
	// FileTags are the tags that every headline inherits, in the order of the
	// #+FILETAGS lines, including duplicates.
	FileTags []string
	// Category is the value of the last #+CATEGORY line, or "".
	Category string
	// Todo holds the TODO keywords in effect.
	Todo TodoKeywords
	// TagGroups are the groups of the #+TAGS lines in order, including those of setup
	// files.
	TagGroups []document.TagGroup
	// LinkAbbreviations maps link types to their expansions, from the #+LINK lines of
	// the file and its setup files. If a type occurs twice, the last line wins.
	LinkAbbreviations map[string]string
	// Drawer is the property drawer of the document, which only comment lines may
	// precede.
	Drawer
	// FileProperties are the #+PROPERTY lines, in order. Those of a setup file have
	// Start and End -1.
	FileProperties []Property
	// Keywords are the in-buffer settings of this file, without its setup files, in
	// order: TITLE, TODO, FILETAGS, LINK, STARTUP and so on.
	Keywords []Keyword
	// Settings are the applicable defaults, then Keywords, with the settings of each
	// setup file in place of the SETUPFILE line that names it. Defaults and the
	// settings of setup files have Start and End -1.
	Settings []Keyword

	// SetupFiles are the names passed to Options.Setup, in order: those in this file
	// and in its setup files, found or not.
	SetupFiles []string

	// SectionEnd is the end of the zeroth section: the offset of the first headline,
	// or the length of Source if there is none.
	SectionEnd int

	// Headlines are all headlines in document order.
	Headlines []Headline
	// Diagnostics lists, by offset, text that looks like Org but is not parsed as
	// such. If there are very many, the last one gives the number of those left out.
	Diagnostics []Diagnostic

	radio        *lazyRadioTargets
	missingSetup bool         // a setup file was not available
	omitted      int          // number of diagnostics beyond maxDiagnostics
	defaults     *Defaults    // Options.Defaults; nil for none
	ownTodo      TodoKeywords // the keywords in effect without defaults
	ownTitles    []string     // titles without defaults, by headline; nil if there are no defaults
}

// TodoKeywords are the TODO keywords in effect in a document.
type TodoKeywords struct {
	// All are the keywords in order: those of #+TYP_TODO lines, then of #+TODO lines,
	// then of #+SEQ_TODO lines; TODO and DONE if the file has no such line. Fast keys
	// such as (t) are removed.
	All []string
	// Done are the keywords in All that mark finished work.
	Done []string
}

// A Keyword is a line of the form #+KEY: value. Its Key is in upper case.
type Keyword = Property

// A Property is one line of a property drawer, or a #+PROPERTY line.
type Property struct {
	// Key is as written; compare it without regard to case. A key that ends in +
	// appends to the value above it.
	Key string
	// Value has no leading or trailing blanks and may be empty.
	Value string
	// Start and End are the offsets of the line, including its line end.
	Start, End int
}

// A Drawer is the property drawer of a headline or document.
type Drawer struct {
	// Properties are the lines of the drawer, in order.
	Properties []Property
	// DrawerStart and DrawerEnd are the offsets of the drawer, from its first byte to
	// the end of its last line; both are 0 if there is none.
	DrawerStart, DrawerEnd int
}

// A Diagnostic describes text that looks like Org but is not parsed as it was
// probably meant.
type Diagnostic struct {
	// Line is the line number, from 1.
	Line int
	// Offset is the offset of the first byte of the line.
	Offset int
	// Message is a short lower-case sentence without a period.
	Message string
}

// A Headline is a headline and its position in the outline. All offsets are byte
// offsets in the document's Source.
type Headline struct {
	// Start is the offset of the first star.
	Start int
	// TextEnd is the end of the headline's line, including its line end.
	TextEnd int
	// SectionEnd is the end of the headline's own text: the next headline of any
	// level, or the end of the file.
	SectionEnd int
	// End is the end of the subtree: the next headline of the same or a higher
	// level, or the end of the file.
	End int

	// Level is the number of stars, regardless of #+STARTUP.
	Level int
	// Parent is the index of the parent in Document.Headlines, or -1.
	Parent int32

	// Todo is the TODO keyword, or "".
	Todo string
	// Priority is the letter or number of the priority cookie, or "".
	Priority string
	// Title is the text between them and the tags, with its markup.
	Title string
	// Tags are the headline's own tags in order, as written.
	Tags []string

	// Done reports whether Todo is one of the done keywords.
	Done bool
	// Commented reports whether the word COMMENT precedes the title.
	Commented bool
	// Archived reports whether the headline itself has the tag ARCHIVE.
	Archived bool
	// Footnotes reports whether the title is Footnotes, which marks the section that
	// holds footnote definitions.
	Footnotes bool

	// Scheduled, Deadline and Closed are the timestamps of the planning line as
	// written, or "".
	Scheduled, Deadline, Closed string
	// PlanningStart and PlanningEnd are the offsets of the planning line, including
	// its line end; both are 0 if there is none.
	PlanningStart, PlanningEnd int

	// Drawer is the property drawer of the headline.
	Drawer
}

// metadataEnd returns the offset after the headline's line, planning line and drawer.
func (h *Headline) metadataEnd() int { return max(h.TextEnd, h.PlanningEnd, h.DrawerEnd) }

// OwnTitle returns the title of headline i as parsed without Options.Defaults, so
// that it depends only on the file and its setup files. It panics if i is out of
// range.
func (d *Document) OwnTitle(i int) string {
	if d.ownTitles == nil {
		return d.Headlines[i].Title
	}
	return d.ownTitles[i]
}

// Text returns the own text of headline i: its line and everything below it up to the
// next headline. If i is -1, it returns the zeroth section: the text before the first
// headline, including a byte order mark. The result is a substring of Source. Text panics
// if i is out of range.
func (d *Document) Text(i int) string {
	if i == -1 {
		return d.Source[:d.SectionEnd]
	}
	h := &d.Headlines[i]
	return d.Source[h.Start:h.SectionEnd]
}

// AllTags returns the tags in effect at headline i, or in the document if i is -1,
// without duplicates: those of the file, then those of the ancestors from the top down,
// then its own. The caller owns the slice. AllTags takes time in proportion to the tags
// and the depth, and panics if i is out of range.
func (d *Document) AllTags(i int) []string {
	var lists [][]string
	for ; i >= 0; i = int(d.Headlines[i].Parent) {
		lists = append(lists, d.Headlines[i].Tags)
	}
	var all []string
	seen := map[string]bool{}
	for _, tags := range slices.Backward(append(lists, d.FileTags)) {
		for _, tag := range tags {
			if !seen[tag] {
				seen[tag] = true
				all = append(all, tag)
			}
		}
	}
	return all
}
