// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/query"
)

// say talks to the person at the terminal.
func (s *session) say(format string, a ...any) {
	if s.quiet {
		return
	}
	s.drawn.mu.Lock()
	defer s.drawn.mu.Unlock()
	s.drawn.wipe()
	talk(fmt.Sprintf(format, a...))
}

// warn says what an operation warns of, not twice in a row: one that reads the folder
// twice finds the same.
func (s *session) warn(err error) {
	s.drawn.mu.Lock()
	again := s.warned == err.Error()
	s.warned = err.Error()
	s.drawn.mu.Unlock()
	if !again {
		s.say("%v", err)
	}
}

// talk writes to standard error, behind the name of the program. Where a terminal
// watches, lines break between words; elsewhere what was one line stays one.
func talk(text string) {
	text = "fovea: " + plainLines(text)
	if wide := width(os.Stderr); wide > 0 {
		text = fold(text, wide)
	}
	fmt.Fprintln(os.Stderr, text)
}

// fold breaks each line that is wider than wide, and indents what follows.
func fold(text string, wide int) string {
	const indent = 2
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if uniseg.StringWidth(line) > wide {
			before := len(line) - len(strings.TrimLeft(line, " "))
			lines[i] = line[:before] + wrap(line, before+indent, wide)
		}
	}
	return strings.Join(lines, "\n")
}

// complain says what went wrong: in words, or the error as JSON.
func (s *session) complain(err error) {
	s.clear()
	if !s.json {
		talk(err.Error())
		if wrong, ok := errors.AsType[*query.SyntaxError](err); ok && wrong.Excerpt() != "" {
			fmt.Fprintln(os.Stderr, plainLines(wrong.Excerpt()))
		}
		if e, ok := bothSides(err); ok {
			fmt.Fprintf(os.Stderr, "--- as it is now\n%s\n--- as you would have it\n%s\n",
				plainLines(strings.TrimRight(e.Theirs, "\n")), plainLines(strings.TrimRight(e.Mine, "\n")))
		}
		return
	}
	out := map[string]string{"error": err.Error(), "kind": fovea.KindOf(err).String()}
	if errors.As(err, new(misuse)) {
		out["kind"] = fovea.Invalid.String()
	}
	if e, ok := bothSides(err); ok {
		out["mine"], out["theirs"] = e.Mine, e.Theirs
	}
	_ = json.NewEncoder(os.Stderr).Encode(out)
}

// bothSides returns a conflict that carries what it is between.
func bothSides(err error) (*fovea.Error, bool) {
	e, ok := errors.AsType[*fovea.Error](err)
	return e, ok && e.Kind == fovea.Conflict && e.Theirs != ""
}
