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

// columns is the width that help is laid out for, and lists where the terminal does
// not say how wide it is.
const columns = 80

// stream is standard output or standard error. It is the only way to either: what is
// written here reaches a terminal with nothing hidden in it, and a pipe as it is. It
// keeps the first error, so that a command whose answer did not get out does not end
// well.
type stream struct {
	file     *os.File
	wide     int       // of the terminal in cells, 0 where there is none
	revealed *revealer // nil where the bytes go out as they are
	err      error
}

// newOutput is standard output.
func newOutput() *stream {
	s := &stream{file: os.Stdout, wide: width(os.Stdout)}
	if s.wide > 0 {
		s.revealed = &revealer{to: s.file, spell: spelled}
	}
	return s
}

// newTalk is standard error. What is said there is for people, and what catches it,
// such as a log, is read at a terminal later: nothing in it is ever hidden.
func newTalk() *stream {
	return &stream{file: os.Stderr, wide: width(os.Stderr), revealed: &revealer{to: os.Stderr, spell: spelled}}
}

// width is that of the terminal behind a file in cells, 0 where there is none: what
// COLUMNS says, else the window.
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

// terminal reports whether a person sees what is written.
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

// Close writes what waits; the file stays open.
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

// text writes a text that ends where it ends: a terminal gets the end of its last line
// too.
func (s *stream) text(text string) {
	_, _ = io.WriteString(s, text)
	if s.terminal() && text != "" && !strings.HasSuffix(text, "\n") {
		_, _ = io.WriteString(s, "\n")
	}
}

// json writes a value as JSON, indented for a person at a terminal. What is hidden in a
// string goes there as an escape, which leaves the value as it is.
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

// folded breaks the lines of a text where a terminal is too narrow, see fold; in a pipe
// a line stays one.
func (s *stream) folded(text string, indent int) string {
	if s.terminal() {
		return fold(visible(text), indent, s.wide)
	}
	return text
}

// cell is one column of a list.
type cell struct {
	text string
	wide int // in cells; 0 for as wide as it is, rest for what the others leave
}

// rest is the width of the one cell of a row that takes what the others leave. Where
// that is less than narrow, or at the end of a row than narrowest, the row breaks.
const (
	rest      = -1
	narrow    = 24
	narrowest = 10
)

// row writes a record of a list. A terminal gets a line as wide as it is, cut where
// need be. A pipe gets one whole line with tabs between the columns; the last column
// keeps its own.
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

// layout lays the cells of a row out for a terminal.
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

// oneLine is a text as a column of a list has it: a blank stands for what would end the
// line or the column.
func oneLine(text string) string { return blanks.Replace(text) }

var (
	lineEnds = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")
	blanks   = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ")
)
