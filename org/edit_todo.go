// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
)

// setTodo returns [ErrKeyword] for a keyword that the file does not declare.
//
// CLOSED and the log follow #+STARTUP, the marks of the keywords and the property
// LOGGING. Finishing a task with a repeater shifts its timestamps and sets its first
// state again. The statistics cookies of ancestors are updated.
func (e *editor) setTodo(s document.SetTodo) error {
	if s.Keyword != "" && !slices.Contains(e.doc.Todo.All, s.Keyword) {
		return kindErrorf(ErrKeyword, "set todo %q: unknown TODO keyword; the file has %s; %s", s.Keyword, strings.Join(e.doc.Todo.All, " "),
			e.doc.declarationHint(s.Keyword))
	}
	if word := e.doc.undeclaredKeyword(e.at); word != "" && s.Keyword != "" {
		return kindErrorf(ErrKeyword, "set todo %q: the headline begins with %s, which would stay in its title; if it is a TODO keyword, %s; otherwise change the "+
			"title first",
			s.Keyword, word, e.doc.declarationHint(word))
	}
	old, wasDone := e.headline().Todo, e.headline().Done
	e.writeKeyword(s.Keyword)
	if got := e.headline().Todo; got != s.Keyword {
		return kindErrorf(ErrStructure, "set todo %q: the headline would be read with %q; change the title first", s.Keyword, got)
	}
	finished := e.headline().Done && !wasDone
	if finished && len(e.repeatingTimestamps()) > 0 {
		if err := e.repeatTask(old, s.Keyword); err != nil {
			return err
		}
	} else {
		e.trackState(old, s.Keyword, finished)
	}
	e.updateTodoCookies(e.at, false)
	return nil
}

// writeKeyword writes the keyword before the title, with one blank on either side.
func (e *editor) writeKeyword(keyword string) {
	h, p := e.headline(), e.doc.parts(e.at)
	rest := p.keywordEnd
	for rest < p.lineEnd && isBlank(e.doc.Source[rest]) && rest < p.tags {
		rest++
	}
	text := " "
	if keyword != "" {
		text = " " + keyword + " "
	}
	e.replaceInLine(e.at, h.Start+h.Level, rest, text)
}

// trackState updates CLOSED and the log after a change of state.
func (e *editor) trackState(old, state string, finished bool) {
	l := e.doc.logging(e.at)
	if !l.done && len(l.states) == 0 {
		return // if the file logs no states, Org does not change CLOSED
	}
	wasOpen := old != "" && !slices.Contains(e.doc.Todo.Done, old)
	isOpen := state != "" && !slices.Contains(e.doc.Todo.Done, state)
	switch {
	case state == "", isOpen && !wasOpen:
		e.setPlanning("", "CLOSED")
	case finished && l.done:
		e.setPlanning("CLOSED: "+e.stampNow(), "CLOSED")
	}
	if line := e.stateLine(&l, old, state); line != "" {
		e.addLogLine(line)
	} else if finished && l.doneNote {
		e.addLogLine("- CLOSING NOTE " + e.stampNow())
	}
}

// stateLine returns the log line for a change of state, or "".
func (e *editor) stateLine(l *logging, old, state string) string {
	if state == "" || !l.states[state].enter && !l.states[old].leave {
		return ""
	}
	if old != "" {
		old = `"` + old + `"`
	}
	return e.stateChange(state, old)
}

// stateChange returns the log line for a change to state from old, which is quoted or
// empty.
func (e *editor) stateChange(state, old string) string {
	return "- State " + padRight(`"`+state+`"`, 12) + " from " + padRight(old, 12) + " " + e.stampNow()
}
