// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"slices"
	"strings"
)

// logging states which changes of a headline are logged. Where Emacs would ask for a
// note, the log line has the heading of a note but no text.
type logging struct {
	done       bool // set CLOSED when a task is finished
	doneNote   bool // also add a line to the log
	repeat     bool // log each completion of a repeating task
	reschedule bool
	redeadline bool
	refile     bool
	drawer     string // drawer of the log; "" for none
	states     map[string]stateLog
}

// stateLog holds whether to log entering and leaving a TODO state, as in WAIT(w@/!).
type stateLog struct{ enter, leave bool }

// logging returns the settings of headline i from #+STARTUP, the marks of the TODO
// keywords and the properties LOGGING and LOG_INTO_DRAWER.
func (d *Document) logging(i int) logging {
	l := logging{repeat: true, states: map[string]stateLog{}}
	if d.defaults != nil {
		l.drawer = d.defaults.LogDrawer
	}
	for _, k := range d.Settings {
		switch k.Key {
		case "STARTUP":
			for word := range strings.FieldsSeq(k.Value) {
				l.applyStartup(word)
			}
		case "TODO", "SEQ_TODO", "TYP_TODO":
			for word := range strings.FieldsSeq(k.Value) {
				l.addMarks(word)
			}
		}
	}
	if value, ok := d.rawProperty(i, "LOGGING"); ok {
		l.done, l.doneNote, l.repeat, l.states = false, false, false, map[string]stateLog{}
		for word := range strings.FieldsSeq(value) {
			switch {
			case strings.HasSuffix(word, ")"):
				l.addMarks(word)
			case strings.Contains(word, "done"), strings.Contains(word, "repeat"):
				l.applyStartup(word)
			}
		}
	}
	switch value, ok := d.rawProperty(i, "LOG_INTO_DRAWER"); {
	case !ok:
	case value == "" || value == "nil":
		l.drawer = ""
	case value == "t":
		l.drawer = DefaultLogDrawer
	default:
		l.drawer = value
	}
	return l
}

// DefaultLogDrawer is the log drawer if one is enabled without a name.
const DefaultLogDrawer = "LOGBOOK"

// applyStartup applies one word of #+STARTUP.
func (l *logging) applyStartup(word string) {
	what, no := strings.CutPrefix(word, "no")
	note := strings.HasPrefix(what, "lognote")
	what = strings.Replace(what, "lognote", "log", 1)
	on := !no
	switch what {
	case "logdone":
		l.done, l.doneNote = on, on && note
	case "logrepeat":
		l.repeat = on
	case "logreschedule":
		l.reschedule = on
	case "logredeadline":
		l.redeadline = on
	case "logrefile":
		l.refile = on
	case "logdrawer":
		if !on {
			l.drawer = ""
		} else if l.drawer == "" {
			l.drawer = DefaultLogDrawer
		}
	}
}

// addMarks adds the logging marks of a keyword, as in WAIT(w@/!).
func (l *logging) addMarks(word string) {
	name, marks, ok := strings.Cut(strings.TrimSuffix(word, ")"), "(")
	if !ok {
		return
	}
	enter, leave, _ := strings.Cut(marks, "/")
	s := stateLog{strings.ContainsAny(enter, "@!"), strings.ContainsAny(leave, "@!")}
	if s.enter || s.leave {
		l.states[name] = s
	}
}

// addLogLine adds a line at the top of the headline's log: in its drawer, which is
// created if necessary, or after the property drawer if the log has no drawer.
func (e *editor) addLogLine(line string) {
	h, src := e.headline(), e.doc.Source
	at := h.metadataEnd()
	indent := ""
	switch {
	case h.DrawerEnd > 0:
		indent = indentOf(src[h.DrawerStart:])
	case h.PlanningEnd > 0:
		indent = indentOf(src[h.PlanningStart:])
	}
	drawer := e.doc.logging(e.at).drawer
	if drawer == "" {
		e.insertLines(skipBlankLines(src, at, h.SectionEnd), indented(indent, line))
		return
	}
	if open, ok := e.findDrawer(drawer); ok {
		e.insertLines(open.next, indented(indentOf(open.text(src)), line))
		return
	}
	e.insertLines(at, indented(indent, ":"+drawer+":", line, drawerClose))
}

// indented returns lines with the same indentation, each followed by a line feed.
func indented(blanks string, lines ...string) string {
	return blanks + strings.Join(lines, "\n"+blanks) + "\n"
}

// indentOf returns the blanks at the start of s.
func indentOf(s string) string { return s[:len(s)-len(trimBlanksLeft(s))] }

// findDrawer returns the opening line of the closed drawer with a name in the own
// text of the headline.
func (e *editor) findDrawer(name string) (open line, ok bool) {
	h, src := e.headline(), e.doc.Source
	for l := range linesOf(src, h.metadataEnd(), h.SectionEnd) {
		switch text := trimBlanks(l.text(src)); {
		case strings.EqualFold(text, ":"+name+":"):
			open, ok = l, true
		case ok && isDrawerLine(text, drawerClose):
			return open, true
		}
	}
	return line{}, false
}

// sequence returns the keywords of the sequence that contains keyword, and whether
// the sequence consists of types rather than states.
func (d *Document) sequence(keyword string) (keywords []string, types bool) {
	for _, k := range d.Settings {
		if !isTodoKey(k.Key) {
			continue
		}
		var t TodoKeywords
		if t.addSequence(k.Value); slices.Contains(t.All, keyword) {
			return t.All, k.Key == "TYP_TODO"
		}
	}
	return d.Todo.All, false
}
