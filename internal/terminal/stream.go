// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"io"
	"os"
	"strings"

	"github.com/rivo/uniseg"
	"golang.org/x/term"

	"github.com/fovea-memory/fovea/internal/config"
)

// columns is the width of help, and of lists if the terminal's width is unknown.
const columns = 80

// stream is the only way to standard output or standard error. It makes hidden characters
// visible at a terminal and leaves a pipe's bytes as they are. It keeps the first error, so
// that the command fails if its answer could not be written.
type stream struct {
	file     *os.File
	wide     int       // of the terminal in cells, 0 without one
	revealed *revealer // nil if bytes are written unchanged
	err      error
}

// newOutput returns standard output.
func newOutput() *stream {
	s := &stream{file: os.Stdout, wide: width(os.Stdout)}
	if s.wide > 0 {
		s.revealed = &revealer{to: s.file, spell: spelled}
	}
	return s
}

// newTalk returns standard error, which always shows hidden characters: a log of it may be
// read at a terminal later.
func newTalk() *stream {
	return &stream{file: os.Stderr, wide: width(os.Stderr), revealed: &revealer{to: os.Stderr, spell: spelled}}
}

// width returns the width in cells of the terminal behind f, 0 if there is none. COLUMNS
// overrides the window's width.
func width(f *os.File) int {
	if !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	if wide := config.Columns(nil); wide > 0 {
		return wide
	}
	if wide, _, err := term.GetSize(int(f.Fd())); err == nil && wide > 0 {
		return wide
	}
	return columns
}

// terminal reports whether the stream is a terminal.
func (s *stream) terminal() bool { return s.wide > 0 }

func (s *stream) Write(b []byte) (n int, err error) {
	if s.revealed != nil {
		n, err = s.revealed.Write(b)
	} else {
		n, err = s.file.Write(b)
	}
	s.keep(err)
	return n, err
}

// Close flushes the stream; the file stays open.
func (s *stream) Close() error {
	if s.revealed != nil {
		s.keep(s.revealed.Flush())
	}
	return s.err
}

func (s *stream) keep(err error) {
	if s.err == nil {
		s.err = err
	}
}

// text writes a text; at a terminal it ends the last line.
func (s *stream) text(text string) {
	_, _ = io.WriteString(s, text)
	if s.terminal() && text != "" && !strings.HasSuffix(text, "\n") {
		_, _ = io.WriteString(s, "\n")
	}
}

// json writes a value as JSON, indented at a terminal. There, hidden characters in strings
// become escapes, which keeps the value.
func (s *stream) json(v any) error {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if s.terminal() {
		e.SetIndent("", "  ")
	}
	if err := e.Encode(v); err != nil {
		return err
	}
	text := b.String()
	if s.revealed != nil {
		text = reveal(text, spelledJSON)
	}
	_, err := io.WriteString(s, text)
	return err
}

// folded folds the lines of a text at a terminal, see fold; in a pipe it keeps them whole.
func (s *stream) folded(text string, indent int) string {
	if s.terminal() {
		return fold(visible(text), indent, s.wide)
	}
	return text
}

// cell is one column of a list.
type cell struct {
	text string
	wide int // in cells; 0 for the text's own width, rest for the remaining space
}

// rest is the width of the one cell that fills its row. If less than narrow remains for it,
// or less than narrowest at the end of a row, the row breaks.
const (
	rest      = -1
	narrow    = 24
	narrowest = 10
)

// row writes a record of a list. A terminal gets a line cut to its width. A pipe gets one
// whole line with tabs between the columns; the last column keeps its own tabs.
func (s *stream) row(cells ...cell) {
	var line string
	if s.terminal() {
		line = layout(cells, s.wide)
	} else {
		texts := make([]string, len(cells))
		for i, c := range cells {
			texts[i] = oneLine(c.text)
		}
		last := len(cells) - 1
		texts[last] = lineEnds.Replace(cells[last].text)
		line = strings.Join(texts, "\t")
	}
	_, _ = io.WriteString(s, line+"\n")
}

// layout formats the cells of a row for a terminal.
func layout(cells []cell, wide int) string {
	const gap, indent = "  ", "    "
	room := wide - len(gap)*(len(cells)-1)
	for i, c := range cells {
		cells[i].text = visible(oneLine(c.text))
		if c.wide == 0 {
			cells[i].wide = uniseg.StringWidth(cells[i].text)
		}
		if c.wide != rest {
			room -= cells[i].wide
		}
	}
	var b strings.Builder
	used := 0
	for i, c := range cells {
		last, behind := i == len(cells)-1, gap
		switch {
		case c.wide != rest:
		case last && room < narrowest:
			b.WriteString("\n" + indent)
			c.wide = wide - len(indent)
		case !last && room < narrow:
			c.wide, behind = wide-used, "\n"+indent
		default:
			c.wide = room
		}
		used += c.wide + len(gap)
		b.WriteString(fit(c.text, c.wide))
		if !last {
			b.WriteString(behind)
		}
	}
	lines := strings.Split(b.String(), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}

// oneLine replaces line breaks and tabs with spaces, so that a text fits into a column.
func oneLine(text string) string { return blanks.Replace(text) }

var (
	lineEnds = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")
	blanks   = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ")
)
