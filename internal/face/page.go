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

// Page receives an answer: its records and its text go to the Stream.
type Page struct {
	*Stream
	Beside *Stream                        // for explanations of the answer
	Note   func(format string, a ...any)  // writes a sentence about the answer
	Grep   func(path, text string) string // if not nil, nodes are lines for an editor; it returns how the editor names a file

	model *Model // nil unless a model reads the page
}

// Pipe returns a page for a pipe. It discards notes.
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

// noteModel writes a note for models only, such as the next step.
func (p *Page) noteModel(format string, a ...any) {
	if p.model != nil {
		p.Note(format, a...)
	}
}

// label returns an id; for a model, after the name of the argument that takes it.
func (p *Page) label(id string) string {
	if p.model != nil {
		return "id " + id
	}
	return id
}

// inNote returns remembered text for a note: on one line, for a model in quotes.
func (p *Page) inNote(text string) string {
	if p.model != nil {
		return strconv.Quote(text)
	}
	return OneLine(text)
}

// fact writes a line for models only, before the text. Its format must quote remembered text.
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

// listed returns the number of items of a list to show. A model gets at most most of them, with a note that there are more.
func (p *Page) listed(n, most int, of string) int {
	if p.model == nil || n <= most {
		return n
	}
	p.Note("the first %d of %d%s", most, n, of)
	return most
}

// Row is a verb with the way its answer is shown. Without an operation it is the parent of other verbs.
type Row struct {
	*api.Operation
	Verb          string // its words and arguments; by default those of the operation and its request; - for no verb
	Short         string // by default the summary of the operation
	Long, Example string
	Wants         string // the arguments in words, if Verb does not explain them
	Show          func(p *Page, req, answer any)

	quotes bool                   // the answer quotes notes
	whole  bool                   // a budget has limited its text
	failed func(answer any) error // returns an error for an answer that reports a failure
}

// row completes the row of an operation.
func row[Q, A any](op api.Op[Q, A], r Row, show func(p *Page, req *Q, answer A)) *Row {
	r.Operation = op.Operation
	r.Show = func(p *Page, req, answer any) {
		q := req.(Q)
		show(p, &q, answer.(A))
	}
	return &r
}

// of adapts a function that shows an answer without the request.
func of[Q, A any](show func(p *Page, answer A)) func(*Page, *Q, A) {
	return func(p *Page, _ *Q, answer A) { show(p, answer) }
}

// IsLong reports whether an answer may fill more than a screen: the answers that quote notes may. News are excluded: they
// count as seen once they are printed.
func (r *Row) IsLong() bool {
	return r.quotes && r.Operation != nil && r.Effect == api.Reads && r.Operation != ops.OpNews.Operation
}

// Failed returns the failure that an answer reports, or nil.
func (r *Row) Failed(answer any) error {
	if r.failed != nil {
		return r.failed(answer)
	}
	if a, ok := answer.(interface{ Failed() error }); ok {
		return a.Failed()
	}
	return nil
}

// Words returns the words of the verb and the arguments of its usage.
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

// Of returns the first row of an operation. Without a row, the answer is shown as JSON.
func Of(op *api.Operation) *Row {
	if i := slices.IndexFunc(all, func(r *Row) bool { return r.Operation == op }); i >= 0 {
		return all[i]
	}
	return &Row{Operation: op, Example: "  fovea " + op.Name, Show: func(p *Page, _, answer any) { _ = p.JSON(answer) }}
}

// list writes a record for each entry; for an empty list it notes none.
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

// wide writes a record with a long last column: a terminal gets it folded below the others.
func (p *Page) wide(last string, cells ...Cell) {
	if !p.IsTerminal() {
		p.Row(append(cells, Text(last))...)
		return
	}
	p.Row(cells...)
	p.Folded("    "+OneLine(last), 4, 0)
}
