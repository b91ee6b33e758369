// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"strconv"
	"strings"

	"github.com/fovea-memory/fovea/internal/text"
)

const (
	// shareOfText bounds an outline: it has one byte for each shareOfText bytes of the source.
	shareOfText = 5
	// minText is the bound for the outline of a small source, in bytes.
	minText = 240
	// maxLine is the longest line that names several definitions, or the longest signature in
	// an outline, in bytes.
	maxLine = 140
	// maxBrief is the longest signature in an outline that would be too long with whole signatures.
	maxBrief = 64
	// maxIndent is the deepest indentation of an outline.
	maxIndent = 8
)

// detail is how much an outline has of a definition.
type detail int

const (
	signatures detail = iota // a line for each definition, except for constants and the like
	brief                    // the same with shorter lines
	names                    // neighbours that contain nothing share a line with their names
	topLevel                 // only definitions without a container
)

// line is a line of an outline: a definition from one line of the source to another, after its indentation.
type line struct {
	from, to int // 0 for a line about the outline
	text     string
}

// format returns the line with its numbers, where first is the number of the first line of the source.
func (l line) format(first int) string {
	switch {
	case l.from == 0:
		return l.text
	case l.to > l.from:
		return strconv.Itoa(l.from+first-1) + "-" + strconv.Itoa(l.to+first-1) + l.text
	}
	return strconv.Itoa(l.from+first-1) + l.text
}

// linesOf returns the outline of a source of that many bytes: its package, its imports, and its
// definitions, indented below their containers, with line numbers. Neighbours that are
// just a name, such as constants, share a line; the inside of functions is left out.
//
// An outline has at most a fifth of the bytes of the source, or 240 if that is more. If the
// signatures do not fit, they are shortened; then definitions that contain no others are
// reduced to their names; then only the outermost definitions are listed. Lines that still do
// not fit are cut off, and the outline ends with their number. Without definitions it is empty.
func linesOf(found []Definition, size int) []line {
	entries := entriesOf(found)
	limit := max(minText, size/shareOfText)
	var lines []line
	for d := signatures; d <= topLevel; d++ {
		if lines = write(entries, d); fitting(lines, limit) == len(lines) {
			return lines
		}
	}
	const note = 32
	end := fitting(lines, limit-note)
	return append(lines[:end], line{text: "… " + strconv.Itoa(len(lines)-end) + " lines more"})
}

// fitting returns the number of lines that together have at most limit bytes.
func fitting(lines []line, limit int) int {
	for i, l := range lines {
		if limit -= len(l.format(1)) + 1; limit < 0 {
			return i
		}
	}
	return len(lines)
}

// entry is a definition in an outline.
type entry struct {
	Definition
	within int // definitions within it
}

// entriesOf returns the entries of found, without the inside of functions.
func entriesOf(found []Definition) []entry {
	entries := make([]entry, 0, len(found))
	function := -1 // depth of the function around
	for _, d := range found {
		if function >= 0 && d.Depth > function {
			continue
		}
		function = -1
		if isFunction[d.Kind] {
			function = d.Depth
		}
		entries = append(entries, entry{Definition: d})
	}
	var open []int
	for i := range entries {
		for len(open) > 0 && entries[open[len(open)-1]].Depth >= entries[i].Depth {
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			entries[open[len(open)-1]].within++
		}
		open = append(open, i)
	}
	return entries
}

// isFunction has the kinds with a body of statements.
var isFunction = text.WordSet("func function method constructor getter setter fn")

// isPlain has the kinds of definitions that are little more than a name.
var isPlain = text.WordSet("const var macro static variable constant custom alias typedef import prototype enum type group face")

// write returns the lines of entries with detail d.
func write(entries []entry, d detail) []line {
	var lines []line
	for i := 0; i < len(entries); {
		e := entries[i]
		end := i + 1
		share := e.within == 0 && (d >= names || isPlain[e.Kind]) || e.Kind == kindImport
		for share && end < len(entries) && entries[end].Kind == e.Kind && entries[end].Depth == e.Depth && entries[end].within == 0 {
			end++
		}
		if d < topLevel || e.Depth == 0 {
			text := signatureOf(e, d)
			if end > i+1 || e.Kind == kindImport {
				text = namesOf(entries[i:end])
			}
			lines = append(lines, line{e.Line, entries[end-1].Line, strings.Repeat(" ", 1+min(e.Depth, maxIndent)) + text})
		}
		i = end
	}
	return lines
}

// namesOf returns the kind and the names of entries.
func namesOf(entries []entry) string {
	var b strings.Builder
	b.WriteString(entries[0].Kind + " ")
	size := 0
	for i, e := range entries {
		if i > 0 && e.Name == entries[i-1].Name { // overloaded
			continue
		}
		if size += len(e.Name) + 2; size > maxLine && i > 0 {
			return b.String() + ", … " + strconv.Itoa(len(entries)-i) + " more"
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(clip(e.Name, maxLine))
	}
	return b.String()
}

// signatureOf returns the signature of e, or its kind and name.
func signatureOf(e entry, d detail) string {
	text := e.Kind + " " + clip(e.Name, maxLine)
	switch {
	case d == signatures || e.Kind == kindPackage:
		text = clip(e.Signature, maxLine)
	case d == brief, d == names && e.within > 0:
		text = clip(e.Signature, maxBrief)
	}
	if d == topLevel && e.within > 0 {
		text += " (" + strconv.Itoa(e.within) + " within)"
	}
	return text
}

// clip cuts text to limit bytes.
func clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}
