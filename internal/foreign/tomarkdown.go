// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foreign

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/org"
)

// ToMarkdown converts an Org file to Markdown, without its settings and drawers. link returns the
// target of a link to an id, "" for none. O(text).
func ToMarkdown(d *org.Document, link func(id string) string) string {
	w := &exporter{link: link}
	w.section(d.Objects(-1))
	for i := range d.Headlines {
		h := &d.Headlines[i]
		t := d.Objects(i)
		w.apart()
		w.out.WriteString(strings.Repeat("#", min(h.Level, 6)) + " " + w.headline(h, t) + "\n")
		for _, when := range [][2]string{{"Scheduled", h.Scheduled}, {"Deadline", h.Deadline}, {"Closed", h.Closed}} {
			if when[1] != "" {
				w.out.WriteString("\n" + when[0] + ": " + strings.Trim(when[1], "<>[]") + "\n")
			}
		}
		w.section(t)
	}
	return strings.TrimLeft(w.out.String(), "\n")
}

// exporter writes Markdown.
type exporter struct {
	link func(id string) string
	out  strings.Builder
	t    *org.Tree
}

// headline returns a title with its keyword before it and its tags after it.
func (w *exporter) headline(h *org.Headline, t *org.Tree) string {
	w.t = t
	var objects []int
	for i := range t.Children(0) {
		if t.Elements[i].Secondary {
			objects = append(objects, i)
		}
	}
	title := h.Title
	if at := strings.Index(t.Source[h.Start:h.TextEnd], title); at >= 0 && len(objects) > 0 {
		from := h.Start + at
		title = w.between(int32(from), int32(from+len(title)), objects)
	}
	if h.Todo != "" {
		title = h.Todo + " " + title
	}
	for _, tag := range h.Tags {
		title += " #" + tag
	}
	return strings.TrimSpace(title)
}

// section writes the elements of a section.
func (w *exporter) section(t *org.Tree) {
	w.t = t
	w.children(0, "")
}

// apart leaves a line between two blocks.
func (w *exporter) apart() {
	if s := w.out.String(); s != "" && !strings.HasSuffix(s, "\n\n") {
		w.out.WriteString("\n")
	}
}

func (w *exporter) lines(indent, text string) {
	writeLines(&w.out, indent, indent, text)
}

// element writes an element with indent before each line.
func (w *exporter) element(i int, indent string) {
	e := &w.t.Elements[i]
	switch e.Type {
	case org.TypePropertyDrawer, org.TypePlanning, org.TypeKeyword, org.TypeComment, org.TypeCommentBlock, org.TypeClock, org.TypeBabelCall:
	case org.TypeParagraph:
		w.apart()
		w.lines(indent, unindented(w.inline(i)))
	case org.TypeSrcBlock, org.TypeExampleBlock, org.TypeExportBlock, org.TypeFixedWidth, org.TypeLatexEnvironment, org.TypeVerseBlock:
		w.code(i, indent)
	case org.TypeQuoteBlock:
		w.apart()
		w.children(i, indent+"> ")
	case org.TypePlainList:
		w.apart()
		w.children(i, indent)
	case org.TypeItem:
		w.item(i, indent)
	case org.TypeTable:
		w.table(i, indent)
	case org.TypeHorizontalRule:
		w.apart()
		w.lines(indent, "---")
	default:
		w.children(i, indent)
	}
}

func (w *exporter) children(i int, indent string) {
	for c := range w.t.Children(i) {
		if !w.t.Elements[c].Secondary {
			w.element(c, indent)
		}
	}
}

// code writes a block in a fence that no line of it closes.
func (w *exporter) code(i int, indent string) {
	value := w.t.Value(i)
	if value == "" {
		e := &w.t.Elements[i]
		value = w.t.Source[e.ContentsStart:e.ContentsEnd]
	}
	fence := text.Fence(value)
	w.apart()
	w.lines(indent, fence+w.t.Block(i).Language)
	w.lines(indent, value)
	w.lines(indent, fence)
}

// item writes an item of a list with its contents.
func (w *exporter) item(i int, indent string) {
	m := w.t.Item(i)
	mark := "- "
	if m.Ordered() {
		mark = strings.Replace(m.Bullet, ")", ".", 1) + " "
	}
	switch m.Checkbox {
	case ' ', '-':
		mark += "[ ] "
	case 'X':
		mark += "[x] "
	}
	if m.TagEnd > 0 {
		mark += "**" + strings.TrimSpace(w.t.Source[m.TagStart:m.TagEnd]) + "** "
	}
	under := indent + strings.Repeat(" ", len(strings.TrimRight(mark[:2], " "))+1)
	begun := false
	begin := func(text string) {
		if !begun {
			writeLines(&w.out, indent+mark, under, text)
		}
		begun = true
	}
	for c := range w.t.Children(i) {
		switch e := &w.t.Elements[c]; {
		case e.Secondary:
		case !begun && e.Type == org.TypeParagraph:
			begin(unindented(w.inline(c)))
		case e.Type == org.TypePlainList:
			begin("")
			w.children(c, under)
		default:
			begin("")
			w.element(c, under)
		}
	}
	begin("")
}

// table writes a table; Markdown has one rule, below the first row.
func (w *exporter) table(i int, indent string) {
	w.apart()
	if w.t.IsTableEl(i) {
		w.lines(indent, "```\n"+w.t.Text(i)+"```")
		return
	}
	rows := 0
	for r := range w.t.Children(i) {
		if w.t.IsRule(r) {
			continue
		}
		var line strings.Builder
		cells := 0
		for c := range w.t.Children(r) {
			line.WriteString("| " + strings.ReplaceAll(strings.TrimSpace(w.inline(c)), "|", `\|`) + " ")
			cells++
		}
		w.lines(indent, line.String()+"|")
		if rows++; rows == 1 {
			w.lines(indent, "|"+strings.Repeat("---|", cells))
		}
	}
}

// inline returns the contents of an element or object with their markup.
func (w *exporter) inline(i int) string {
	e := &w.t.Elements[i]
	return w.between(e.ContentsStart, e.ContentsEnd, slices.Collect(w.t.Children(i)))
}

// between returns a range of the source with its objects converted to Markdown.
func (w *exporter) between(from, to int32, objects []int) string {
	var b strings.Builder
	for _, c := range objects {
		o := &w.t.Elements[c]
		b.WriteString(w.t.Source[from:o.Start])
		b.WriteString(w.object(c))
		b.WriteString(strings.Repeat(" ", int(o.PostBlank)))
		from = o.End
	}
	if from < to {
		b.WriteString(w.t.Source[from:to])
	}
	return b.String()
}

// marks are the marks of Markdown for the spans of Org.
var marks = map[org.Type]string{org.TypeBold: "**", org.TypeItalic: "*", org.TypeStrikeThrough: "~~", org.TypeUnderline: ""}

func (w *exporter) object(i int) string {
	e := &w.t.Elements[i]
	if mark, is := marks[e.Type]; is {
		return mark + w.inline(i) + mark
	}
	switch e.Type {
	case org.TypeCode, org.TypeVerbatim:
		code := w.t.Marked(i)
		if strings.Contains(code, "`") {
			return "`` " + code + " ``"
		}
		return "`" + code + "`"
	case org.TypeLineBreak:
		return "\\\n"
	case org.TypeLink:
		return w.linked(w.t.Link(i))
	case org.TypeTarget, org.TypeRadioTarget:
		return w.t.Marked(i)
	}
	return strings.TrimRight(w.t.Source[e.Start:e.End], " \t")
}

// linked returns a link, or just its text if its target is a note that is not exported.
func (w *exporter) linked(l org.Link) string {
	target, label := l.Raw, l.Description
	switch l.Type {
	case "id":
		if target = w.link(l.Path); target == "" {
			return cmp.Or(label, l.Path)
		}
	case "fuzzy", "custom-id", "coderef", "radio":
		return cmp.Or(label, strings.TrimPrefix(l.Path, "*"))
	case "file":
		if target = l.Path; strings.HasSuffix(target, ".org") {
			target = markdownPath(target)
		}
	}
	if label == "" && l.Type != "id" && (l.Type == "http" || l.Type == "https") {
		return "<" + target + ">"
	}
	if strings.ContainsAny(target, " ()<>") {
		target = "<" + strings.NewReplacer("<", "%3C", ">", "%3E").Replace(target) + ">"
	}
	return fmt.Sprintf("[%s](%s)", withoutBrackets.Replace(cmp.Or(label, l.Path)), target)
}

// unindented removes the indentation of each line, which only places it in a list.
func unindented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimLeft(line, " \t"))
	}
	return b.String()
}
