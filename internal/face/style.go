// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package face

import "strings"

// Style classifies a piece of an answer. A terminal shows it as a colour; no information is in the colour alone.
type Style int

// The styles; the zero Style is none.
const (
	ID      Style = iota + 1 // of a node, a commit, a proposal
	Where                    // a file, and a line in it
	When                     // a time
	Match                    // a word that was searched for
	Added                    // a line that a change adds
	Problem                  // a problem, or a line that a change removes
)

// styles are the colours of the styles, as the parameters of ECMA-48: those of git and grep.
var styles = [...]string{ID: "33", Where: "35", When: "2", Match: "1;31", Added: "32", Problem: "31"}

// SetColour turns styles on or off. With styles, hidden characters are spelled out too, so that no remembered text acts.
func (s *Stream) SetColour(on bool) { s.colour, s.reveals = on, s.reveals || on }

// In returns the cell in a style.
func (c Cell) In(style Style) Cell {
	c.style = style
	return c
}

// shown returns a text of the cell as the stream shows it: hidden characters spelled out, in its style, its words marked.
func (s *Stream) shown(c Cell, text string) string {
	if s.reveals {
		text = Visible(text)
	}
	switch {
	case !s.colour:
		return text
	case c.words == nil:
		return painted(c.style, text)
	}
	var b strings.Builder
	done := 0
	for at, word := range c.words.Words(text) {
		b.WriteString(painted(c.style, text[done:at]) + painted(Match, word))
		done = at + len(word)
	}
	return b.String() + painted(c.style, text[done:])
}

// painted puts visible text in a style, line by line, as pagers need it; trailing blanks stay plain.
func painted(style Style, text string) string {
	if style == 0 {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if bare := strings.TrimRight(line, " "); bare != "" {
			lines[i] = "\x1b[" + styles[style] + "m" + bare + "\x1b[m" + line[len(bare):]
		}
	}
	return strings.Join(lines, "\n")
}

// Line writes texts one after the other on one line, each in its style.
func (s *Stream) Line(texts ...Cell) {
	for _, c := range texts {
		_ = s.raw(s.shown(c, OneLine(c.Text)))
	}
	_ = s.raw("\n")
}

// changes writes an indented unified difference. A terminal shows a carriage return, which may be the only change.
func (p *Page) changes(text, indent string) {
	inHunk := false
	for line := range strings.Lines(text) {
		line, ended := strings.CutSuffix(line, "\n")
		style, end := Style(0), "\n"
		if !ended && indent == "" && !p.IsTerminal() {
			end = ""
		}
		if bare, cr := strings.CutSuffix(line, "\r"); cr && p.IsTerminal() {
			line = bare + "^M"
		}
		switch inHunk = inHunk || strings.HasPrefix(line, "@@"); {
		case inHunk && strings.HasPrefix(line, "+"):
			style = Added
		case inHunk && strings.HasPrefix(line, "-"):
			style = Problem
		}
		_ = p.raw(indent + p.shown(Cell{style: style}, line) + end)
	}
}
