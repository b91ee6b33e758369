// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package face

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
)

// Page is what an answer is written to: its records and its text to the Stream.
type Page struct {
	*Stream
	Beside *Stream                        // what explains the answer
	Note   func(format string, a ...any)  // writes a sentence about the answer
	Grep   func(path, text string) string // if not nil, nodes are lines for an editor; it returns how the editor names a file

	model *Model // who reads it, nil for anybody but a model
}

// Pipe returns the page that a pipe gets, without notes.
func Pipe(to io.Writer) *Page {
	return &Page{Stream: NewStream(to, 0, false), Beside: NewStream(io.Discard, 0, false), Note: func(string, ...any) {}}
}

// Quote writes a sentence about the answer that quotes remembered text.
func (p *Page) Quote(format string, a ...any) {
	for i := range a {
		if text, ok := a[i].(string); ok {
			a[i] = OneLine(text)
		}
	}
	if p.model == nil {
		p.Note(format, a...)
		return
	}
	p.model.quotes = true
	if text := p.model.text.String(); text != "" && !strings.HasSuffix(text, "\n") {
		p.Printf("\n")
	}
	p.Printf(format+"\n", a...)
}

// noteModel notes what is for a model alone, such as its next step.
func (p *Page) noteModel(format string, a ...any) {
	if p.model != nil {
		p.Note(format, a...)
	}
}

// label returns an id, for a model with the name of the argument that takes it.
func (p *Page) label(id string) string {
	if p.model != nil {
		return "id " + id
	}
	return id
}

// inNote returns remembered text as a note has it: on one line, for a model in quotes.
func (p *Page) inNote(text string) string {
	if p.model != nil {
		return strconv.Quote(text)
	}
	return OneLine(text)
}

// fact writes what is for a model alone, before the text. It quotes what may be remembered.
func (p *Page) fact(format string, a ...any) {
	if p.model != nil {
		p.model.facts = append(p.model.facts, fmt.Sprintf(format, a...))
	}
}

// moment formats a time.
func (p *Page) moment(t time.Time) string {
	if p.model != nil {
		return t.UTC().Format("2006-01-02 15:04:05 MST")
	}
	return moment(t)
}

// listed returns how many of a list are shown: to a model at most some, with a note that there are more.
func (p *Page) listed(n, most int, of string) int {
	if p.model == nil || n <= most {
		return n
	}
	p.Note("the first %d of %d%s", most, n, of)
	return most
}

// Row is a verb, and how the answer of its operation is shown. Without an operation it is the parent of verbs.
type Row struct {
	*api.Operation
	Verb          string // its words and arguments; by default the operation and the arguments of the request; - for none
	Short         string // by default the summary of the operation
	Long, Example string
	Wants         string // the arguments in words, where a person needs more than Verb

	quotes bool // the answer quotes notes
	whole  bool // a budget has limited its text
	show   func(p *Page, req, answer any)
	failed func(answer any) error // not nil of an answer that tells of a failure
}

// row completes the row of an operation.
func row[Q, A any](op api.Op[Q, A], r Row, show func(p *Page, req *Q, answer A)) *Row {
	r.Operation = op.Operation
	r.show = func(p *Page, req, answer any) {
		q := req.(Q)
		show(p, &q, answer.(A))
	}
	return &r
}

// of is for answers that are shown the same whatever was asked.
func of[Q, A any](show func(p *Page, answer A)) func(*Page, *Q, A) {
	return func(p *Page, _ *Q, answer A) { show(p, answer) }
}

// Show writes an answer to a page.
func (r *Row) Show(p *Page, req, answer any) { r.show(p, req, answer) }

// IsLong reports whether an answer may fill more than a screen, as one does that reads what is remembered. What
// agents wrote since the owner looked counts as seen once it is printed.
func (r *Row) IsLong() bool {
	return r.quotes && r.Operation != nil && r.Effect == api.Reads && r.Operation != ops.OpNews.Operation
}

// Failed returns why an answer tells of a failure, nil if it does not.
func (r *Row) Failed(answer any) error {
	if r.failed != nil {
		return r.failed(answer)
	}
	if a, ok := answer.(interface{ Failed() error }); ok {
		return a.Failed()
	}
	return nil
}

// Words returns the words of the verb, and its arguments as its usage names them.
func (r *Row) Words() (words, arguments string) {
	if r.Verb != "" {
		for i, word := range strings.Fields(r.Verb) {
			if i > 0 && strings.ToLower(word) != word {
				return strings.Join(strings.Fields(r.Verb)[:i], " "), strings.Join(strings.Fields(r.Verb)[i:], " ")
			}
		}
		return r.Verb, ""
	}
	var named []string
	for _, f := range reflect.VisibleFields(r.Request) {
		arg := f.Tag.Get("arg")
		if strings.HasSuffix(f.Tag.Get("json"), ",omitempty") && arg != "" {
			arg = "[" + arg + "]"
		}
		if arg != "" {
			named = append(named, arg)
		}
	}
	return r.Name, strings.Join(named, " ")
}

// Rows returns all verbs in the order of the help: in each group the most needed first, parents before their verbs.
func Rows() []*Row { return all }

var all = slices.Concat(findRows, noteRows, historyRows, carryRows, guardRows, agentRows, careRows)

// Of returns the first row of an operation. One that has none is shown as JSON.
func Of(op *api.Operation) *Row {
	if i := slices.IndexFunc(all, func(r *Row) bool { return r.Operation == op }); i >= 0 {
		return all[i]
	}
	return &Row{Operation: op, Example: "  fovea " + op.Name, show: func(p *Page, _, answer any) { _ = p.JSON(answer) }}
}

// list writes a record for each entry; of an empty list it notes none.
func list[Q, T any](none string, record func(p *Page, one *T)) func(*Page, *Q, []T) {
	return func(p *Page, _ *Q, of []T) {
		for i := range of[:p.listed(len(of), maxListed, "")] {
			record(p, &of[i])
		}
		if len(of) == 0 {
			p.Note("%s", none)
		}
	}
}

// wide writes a record with a last column that is too long for a line: a terminal gets it folded below the others.
func (p *Page) wide(last string, cells ...Cell) {
	if !p.IsTerminal() {
		p.Row(append(cells, Text(last))...)
		return
	}
	p.Row(cells...)
	p.Folded("    "+OneLine(last), 4, 0)
}
