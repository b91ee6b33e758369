// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package face

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/window/render"
)

// Limits of an answer to a model.
const (
	MaxText   = 128 << 10 // bytes of remembered text: a client would cut a longer one without telling its model
	maxData   = 64 << 10  // bytes of JSON; a model reads the records of a larger answer
	maxListed = 200       // records of a list
)

// Reply is an answer for a model. Clients such as Claude Code and Codex show their model only Data
// if there is any, so Text is then the same, and an answer that quotes notes has no Data.
type Reply struct {
	Text   string
	Data   json.RawMessage // an object, nil for none
	Handed []string        // ids of the messages in the text
	Empty  bool            // there are no records
}

// Model is a page for a model, with one or more answers.
type Model struct {
	Page
	From   int    // the offset in the text at which the reply begins
	Weak   bool   // little or nothing was found
	Parent string // the id of the node, if the answer does not name its children

	text   strings.Builder
	facts  []string
	notes  []string
	quotes bool
	row    *Row // of the first answer
	answer any  // the first one
	reply  Reply
}

// NewModel returns an empty page for a model.
func NewModel() *Model {
	m := &Model{}
	m.Page = Page{Stream: NewStream(&m.text, 0, false), Beside: NewStream(io.Discard, 0, false), model: m}
	m.Note = func(format string, a ...any) { m.notes = append(m.notes, sentence(fmt.Sprintf(format, a...))) }
	return m
}

// sentence begins a note with a capital letter and ends it with a full stop.
func sentence(note string) string {
	first, size := utf8.DecodeRuneInString(note)
	return strings.TrimRight(string(unicode.ToUpper(first))+note[size:], ".") + "."
}

// Show writes an answer to the page.
func (m *Model) Show(op *api.Operation, req, answer any) {
	r := Of(op)
	r.Show(&m.Page, req, answer)
	m.quotes = m.quotes || r.quotes
	if m.row == nil {
		m.row, m.answer = r, answer
	}
}

// Reply returns the content of the page. Errors: Invalid, if From is not a boundary between characters.
func (m *Model) Reply() (Reply, error) {
	m.reply.Data = m.structured()
	if m.reply.Data != nil {
		m.reply.Text = string(m.reply.Data)
		return m.reply, nil
	}
	all := legible(m.text.String())
	if m.From < 0 || m.From > len(all) || m.From < len(all) && !utf8.RuneStart(all[m.From]) {
		return Reply{}, fault.Errorf("arguments", "", fault.Invalid, "offset must be a boundary between characters within the %d bytes", len(all))
	}
	m.reply.Empty = all == ""
	head := strings.Join(append(m.facts, m.notes...), "\n")
	if head != "" {
		head += "\n"
	}
	page := text.Page(all[m.From:], MaxText)
	if m.row.whole {
		page = all
	}
	m.reply.Text = head + fence(page)
	if end := m.From + len(page); end < len(all) {
		m.reply.Text += fmt.Sprintf("Cut after %d of %d bytes.\n", end, len(all))
		if m.row.Operation == api.OpShow.Operation {
			m.reply.Text += fmt.Sprintf("Read on with offset %d.\n", end)
		}
	}
	return m.reply, nil
}

// structured returns the answer with its notes as data, nil for one that quotes notes or is too large.
func (m *Model) structured() json.RawMessage {
	fields, err := json.Marshal(m.answer)
	if m.quotes || err != nil || fields[0] != '{' {
		return nil
	}
	if len(m.notes) > 0 {
		remark, _ := json.Marshal(map[string]string{"remark": strings.Join(m.notes, " ")}) // a text is JSON
		fields = append(append(fields[:len(fields)-1], ','), remark[1:]...)
	}
	if len(fields) > maxData {
		return nil
	}
	return fields
}

// Fenced puts remembered text between fences that do not occur in it, under a line that calls it
// data. It cuts a long text and notes where. Empty text gives "".
func Fenced(remembered string) string {
	remembered = legible(remembered)
	page := text.Page(remembered, MaxText)
	out := fence(page)
	if len(page) < len(remembered) {
		out += fmt.Sprintf("Cut after %d of %d bytes.\n", len(page), len(remembered))
	}
	return out
}

// fence is Fenced for a text of any length.
func fence(remembered string) string {
	if remembered = strings.TrimRight(remembered, "\r\n"); remembered == "" {
		return ""
	}
	fence := text.Fence(remembered)
	return render.FenceNote + "\n" + fence + "\n" + remembered + "\n" + fence + "\n"
}

// legible replaces each run of bytes that are not UTF-8 with one replacement character, not each byte as JSON does.
func legible(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
