// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

// A Document is the outline of one Org file. It is not changed after [Parse]
// returns it and may then be read by several goroutines; callers must not write to
// its slices.
type Document struct {
	// Source is the text that was parsed, all of it.
	Source string
	// HasBOM reports whether Source begins with a UTF-8 byte order mark.
	HasBOM bool
	// Start is the offset of the first byte that counts as Org text: 3 after a
	// byte order mark, else 0.
	Start int

	// Title is the values of all #+TITLE lines, joined by a blank.
	Title string
	// FileTags are the tags that every headline inherits, in order of the
	// #+FILETAGS lines and as they stand there: a repeated tag is repeated.
	FileTags []string
	// Category is the value of the last #+CATEGORY line, else "".
	Category string
	// Todo holds the TODO keywords in force.
	Todo TodoKeywords
	// TagGroups are the groups of the #+TAGS lines, those of setup files too, in
	// order.
	TagGroups []TagGroup
	// LinkAbbreviations holds, by name, what the #+LINK lines and those of setup
	// files say a link type stands for; of two lines with one name the later counts.
	LinkAbbreviations map[string]string
	// Properties is the property drawer of the document itself, which must come
	// first in the file, after nothing but comment lines.
	Properties []Property
	// FileProperties are the #+PROPERTY lines, in order. Those of a setup file
	// have Start and End -1.
	FileProperties []Property
	// Keywords are the in-buffer settings of this file (not of its setup files) in
	// order: TITLE, TODO, FILETAGS, LINK, STARTUP and the like.
	Keywords []Keyword
	// Settings are the defaults that count, Keywords and those of the setup files, each
	// file's in the place of the SETUPFILE line that names it. Defaults and those of a
	// setup file have Start and End -1.
	Settings []Keyword

	// SetupFiles are the names that Options.Setup was asked for, in order: those of
	// this file and of its setup files, found or not.
	SetupFiles []string

	// DrawerStart and DrawerEnd are the offsets of the property drawer of the
	// document, first byte and after the last line; both 0 when there is none.
	DrawerStart, DrawerEnd int
	// SectionEnd is the end of the zeroth section: the offset of the first
	// headline, or the length of Source when there is none.
	SectionEnd int

	// Headlines are all headlines in order of the document.
	Headlines []Headline
	// Diagnostics says, in order of offset, what looks like Org but is not read. Of a
	// document with very many the last one says how many are not listed.
	Diagnostics []Diagnostic

	radio        *lazyRadioTargets
	inlinetasks  int          // Options.Inlinetasks
	missingSetup bool         // a setup file was not read
	omitted      int          // diagnostics beyond maxDiagnostics
	defaults     *Defaults    // Options.Defaults; nil for none
	ownTodo      TodoKeywords // those in force without defaults
	ownTitles    []string     // titles without defaults, by headline; nil where there are no defaults
}

// TodoKeywords are the TODO keywords in force in a document.
type TodoKeywords struct {
	// All are the keywords in order: those of #+TYP_TODO lines, then of #+TODO
	// lines, then of #+SEQ_TODO lines; TODO and DONE where the file has none of
	// these lines. Fast keys such as (t) are not part of a keyword.
	All []string
	// Done are those of All that mean an end of work.
	Done []string
}

// A Keyword is a line of the form #+KEY: value.
type Keyword struct {
	// Key is in upper case, whatever the file has.
	Key string
	// Value has no blanks around it.
	Value string
	// Start and End are the offsets of the line, its line end included.
	Start, End int
}

// A Property is one line of a property drawer, or of #+PROPERTY.
type Property struct {
	// Key is as written: compare it without regard to case. A key that ends in +
	// adds to the value above it.
	Key string
	// Value has no blanks around it and may be empty.
	Value string
	// Start and End are the offsets of the line, its line end included.
	Start, End int
}

// A Diagnostic names a place where the text looks like Org but is not read as it
// was probably meant.
type Diagnostic struct {
	// Line counts from 1.
	Line int
	// Offset is that of the first byte of the line.
	Offset int
	// Message is a short lower-case sentence without a full stop.
	Message string
}

// A Headline is a headline and its place in the tree. All offsets count bytes from
// the beginning of the document's Source.
type Headline struct {
	// Start is the offset of the first star.
	Start int
	// TextEnd is the end of the headline's line, its line end included.
	TextEnd int
	// SectionEnd is the end of the headline's own text: the next headline of any
	// level, or the end of the file.
	SectionEnd int
	// End is the end of the subtree: the next headline of the same or a higher
	// level, or the end of the file.
	End int

	// Level is the number of stars, whatever #+STARTUP says.
	Level int
	// Parent is the index of the parent in Document.Headlines, or -1.
	Parent int32

	// Todo is the TODO keyword, or "".
	Todo string
	// Priority is the letter or number of the priority cookie, or "".
	Priority string
	// Title is the text between them and the tags, markup as it stands.
	Title string
	// Tags are the headline's own tags in order, as written.
	Tags []string

	// Done reports whether Todo is one of the done keywords.
	Done bool
	// Commented reports the word COMMENT before the title.
	Commented bool
	// Archived reports the own tag ARCHIVE.
	Archived bool
	// Footnotes reports the section that holds footnote definitions: one whose
	// title is Footnotes.
	Footnotes bool

	// Scheduled, Deadline and Closed are the timestamps of the planning line, as
	// written, or "".
	Scheduled, Deadline, Closed string
	// PlanningStart and PlanningEnd are the offsets of the planning line, its line
	// end included; both 0 when there is none.
	PlanningStart, PlanningEnd int

	// Properties are the lines of the headline's property drawer, in order.
	Properties []Property
	// DrawerStart and DrawerEnd are the offsets of the property drawer, first byte
	// and after the last line; both 0 when there is none.
	DrawerStart, DrawerEnd int
}

// OwnTitle returns the title of headline i as it reads without Options.Defaults: what
// it says depends on the file and its setup files alone. It panics when i is out of
// range, as indexing does.
func (d *Document) OwnTitle(i int) string {
	if d.ownTitles == nil {
		return d.Headlines[i].Title
	}
	return d.ownTitles[i]
}

// Text returns the own text of headline i: its line and everything below it up to
// the next headline. It is a part of Source. It panics when i is out of range, as
// indexing does.
func (d *Document) Text(i int) string {
	h := &d.Headlines[i]
	return d.Source[h.Start:h.SectionEnd]
}

// Section returns the zeroth section: the text before the first headline, a byte
// order mark included. It is a part of Source.
func (d *Document) Section() string { return d.Source[:d.SectionEnd] }

// AllTags returns the tags in force at headline i, without repeats: those of the
// file, then those of the ancestors from the top down, then its own. The caller
// owns the slice. It takes time in proportion to the tags and the depth, and
// panics when i is out of range, as indexing does.
func (d *Document) AllTags(i int) []string {
	own := d.Headlines[i].Tags
	lists := [][]string{own}
	n := len(own) + len(d.FileTags)
	for p := d.Headlines[i].Parent; p >= 0; p = d.Headlines[p].Parent {
		if tags := d.Headlines[p].Tags; len(tags) > 0 {
			lists = append(lists, tags)
			n += len(tags)
		}
	}
	if n == 0 {
		return nil
	}
	lists = append(lists, d.FileTags)
	all := make([]string, 0, n)
	seen := make(map[string]bool, n)
	for i := len(lists) - 1; i >= 0; i-- {
		for _, tag := range lists[i] {
			if !seen[tag] {
				seen[tag] = true
				all = append(all, tag)
			}
		}
	}
	return all
}
