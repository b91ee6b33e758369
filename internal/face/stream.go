// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package face

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/fovea-memory/fovea/internal/index"
)

// Columns is the width of help, and of lists if the terminal's width is unknown.
const Columns = 80

// Stream is the only way to standard output, standard error, and any other reader of an answer. It makes hidden
// characters visible at a terminal, leaves a pipe's bytes as they are, and keeps the first error. Only writing is safe
// for concurrent use.
type Stream struct {
	to      io.Writer
	wide    int  // of the terminal in cells, 0 without one
	reveals bool // hidden characters are spelled out
	colour  bool // styles are shown
	err     error
}

// NewStream returns a stream to a terminal of a width in cells, 0 for a pipe. With reveals it spells out hidden characters.
func NewStream(to io.Writer, wide int, reveals bool) *Stream {
	return &Stream{to: to, wide: wide, reveals: reveals}
}

// IsTerminal reports whether the stream is a terminal.
func (s *Stream) IsTerminal() bool { return s.wide > 0 }

// Write writes a text, at a terminal with hidden characters spelled out. No character is split over two writes.
func (s *Stream) Write(b []byte) (int, error) {
	if err := s.raw(s.shown(Cell{}, string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// raw writes text without spelling out hidden characters.
func (s *Stream) raw(text string) error {
	_, err := io.WriteString(s.to, text)
	s.err = cmp.Or(s.err, err)
	return err
}

// SetWriter redirects the stream.
func (s *Stream) SetWriter(to io.Writer) { s.to = to }

// Close returns the first write error, or nil; the file stays open.
func (s *Stream) Close() error { return s.err }

// Text writes a text; at a terminal it ends the last line.
func (s *Stream) Text(text string) {
	_, _ = io.WriteString(s, text)
	if s.IsTerminal() && text != "" && !strings.HasSuffix(text, "\n") {
		_, _ = io.WriteString(s, "\n")
	}
}

// Printf formats a text. Each string among the arguments is put on one line: remembered text adds none.
func (s *Stream) Printf(format string, args ...any) {
	for i, arg := range args {
		if text, ok := arg.(string); ok {
			args[i] = OneLine(text)
		}
	}
	fmt.Fprintf(s, format, args...)
}

// JSON writes a value as JSON. A terminal gets it indented, with hidden characters as escapes.
func (s *Stream) JSON(v any) error {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if s.IsTerminal() {
		e.SetIndent("", "  ")
	}
	if err := e.Encode(v); err != nil {
		return err
	}
	text := b.String()
	if s.reveals {
		text = reveal(text, spelledJSON)
	}
	_, err := io.WriteString(s, text)
	return err
}

// Fold folds the lines of a text at a terminal and indents continuations by indent more; in a pipe it returns the text.
func (s *Stream) Fold(text string, indent int) string {
	if s.IsTerminal() {
		return fold(Visible(text), indent, s.wide)
	}
	return text
}

// Folded writes a line, folded by Fold, in a style.
func (s *Stream) Folded(text string, indent int, style Style) {
	_ = s.raw(s.shown(Cell{style: style}, s.Fold(text, indent)+"\n"))
}

// Cell is one column of a list.
type Cell struct {
	Text  string
	Width int // in cells; 0 for the text's own width, Rest for the remaining space

	style Style
	words *index.Matcher // marked in the text, nil for none
}

// Text is a column as wide as its text.
func Text(text string) Cell { return Cell{Text: text} }

// Column is a column of a fixed width, or Rest.
func Column(text string, width int) Cell { return Cell{Text: text, Width: width} }

// Number is a column with a number, at a terminal right-aligned.
func Number[N int | uint64](out *Stream, width int, n N) Cell {
	if !out.IsTerminal() {
		width = 0
	}
	return Cell{Text: fmt.Sprintf("%*d", width, n)}
}

// Rest is the width of the one cell that fills its row. If less than minRest remains for it,
// or less than minLastRest at the end of a row, the row breaks.
const (
	Rest        = -1
	minRest     = 24
	minLastRest = 10
)

// Row writes a record of a list. A terminal gets a line cut to its width. A pipe gets one
// whole line with tabs between the columns; the last column keeps its own tabs.
func (s *Stream) Row(cells ...Cell) {
	var line string
	if s.IsTerminal() {
		line = s.layout(cells)
	} else {
		texts := make([]string, len(cells))
		for i, c := range cells {
			texts[i] = s.shown(c, OneLine(c.Text))
		}
		last := len(cells) - 1
		texts[last] = s.shown(cells[last], JoinLines(cells[last].Text))
		line = strings.Join(texts, "\t")
	}
	_ = s.raw(line + "\n")
}

// layout formats the cells of a row for a terminal.
func (s *Stream) layout(cells []Cell) string {
	const gap, indent = "  ", "    "
	room := s.wide - len(gap)*(len(cells)-1)
	for i, c := range cells {
		cells[i].Text = Visible(OneLine(c.Text))
		if c.Width == 0 {
			cells[i].Width = uniseg.StringWidth(cells[i].Text)
		}
		if c.Width != Rest {
			room -= cells[i].Width
		}
	}
	var b strings.Builder
	used := 0
	for i, c := range cells {
		last, behind := i == len(cells)-1, gap
		switch {
		case c.Width != Rest:
		case last && room < minLastRest:
			b.WriteString("\n" + indent)
			c.Width = s.wide - len(indent)
		case !last && room < minRest:
			c.Width, behind = s.wide-used, "\n"+indent
		default:
			c.Width = room
		}
		used += c.Width + len(gap)
		b.WriteString(s.shown(c, fit(c.Text, c.Width)))
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

// OneLine replaces line breaks and tabs with spaces, so that a text fits into a column.
func OneLine(text string) string { return blanks.Replace(text) }

// JoinLines replaces line breaks with spaces and keeps tabs.
func JoinLines(text string) string { return lineEnds.Replace(text) }

var (
	lineEnds = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")
	blanks   = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ")
)
