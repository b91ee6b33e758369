// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foreign

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/fovea-memory/fovea/internal/inert"
)

// dialect is Markdown with the tables, checkboxes and strikethrough of GitHub, and [[links]].
var dialect = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList),
	goldmark.WithParserOptions(parser.WithInlineParsers(util.Prioritized(wikiParser{}, 101)))).Parser()

// Limits, because a short text can become a long one.
const (
	maxCells  = 1 << 20 // cells of all tables of a file: each row has as many as the widest
	maxIndent = 512     // blanks and marks of quotes and lists before a line
	maxLinks  = 4096    // closing brackets with a target of a paragraph, and escaped bars of a file
	maxDepth  = 512     // open brackets of a paragraph
)

// containers matches the marks of quotes and lists before a line.
var containers = regexp.MustCompile(`^(?:[ \t>]|[-+*][ \t]|\d{1,9}[.)][ \t])*`)

// brackets is the change in the number of open brackets that each byte makes.
var brackets = [256]int{'[': 1, ']': -1}

// tangled reports whether a text exceeds a limit: parsing takes time quadratic in the links or targets
// of a paragraph, in nested quotes, lists or brackets, and in escaped bars; and each row of a table
// gets as many cells as the line of dashes has columns.
func tangled(text string) bool {
	links, depth, columns, cells := 0, 0, 0, 0
	for line := range strings.Lines(text) {
		bare := strings.TrimLeft(line, "> \t")
		switch {
		case strings.TrimSpace(bare) == "":
			links, depth, columns = 0, 0, 0
		case strings.Trim(bare, "|-: \t\r\n") == "":
			columns = max(columns, strings.Count(bare, "|")+1)
		}
		cells += columns
		links += strings.Count(line, "](") + strings.Count(line, "]:")
		if links > maxLinks || cells > maxCells || len(containers.FindString(line)) > maxIndent {
			return true
		}
		for i := range len(line) {
			if depth = max(depth+brackets[line[i]], 0); depth > maxDepth {
				return true
			}
		}
	}
	return strings.Count(text, `\|`) > maxLinks
}

// finish converts the text to Org.
func (m *note) finish(n names) {
	w := &writer{note: m, names: n, source: []byte(m.text)}
	if m.Entry {
		w.levels = []int{0} // its headings are below its headline
	}
	if tangled(m.text) {
		m.problem("more than %d links in a paragraph, %d brackets, lists or quotes within one another, or %d cells; the file is kept as text",
			maxLinks, maxDepth, maxCells)
		w.verbatim("example", "", m.text)
	} else {
		w.sections()
	}
	w.section()
	m.Body = w.org.String()
	if w.lost > 0 {
		m.problem("links to notes that were not imported, kept as text: %d", w.lost)
	}
	if w.html > 0 {
		m.problem("pieces of HTML, kept as text: %d", w.html)
	}
	m.replaced()
}

// writer writes the Org of one file. It collects the text below a headline, makes it inert, and
// writes it before the next headline.
type writer struct {
	*note
	names  names
	source []byte
	org    strings.Builder
	body   strings.Builder // of the section
	levels []int           // of the open headings
	begun  bool            // the section has a block
	lost   int             // number of links without a target
	html   int             // number of pieces of HTML
}

// sections writes the text.
func (w *writer) sections() {
	root := dialect.Parse(text.NewReader(w.source))
	for b := root.FirstChild(); b != nil; b = b.NextSibling() {
		if h, ok := b.(*ast.Heading); ok {
			w.heading(h)
		} else {
			w.block(b, "")
		}
	}
}

// heading ends a section and begins the next; the title of the file itself is not a headline.
func (w *writer) heading(h *ast.Heading) {
	title := oneLine(w.inline(h))
	if h.Level == 1 && w.org.Len() == 0 && !w.begun && strings.EqualFold(title, w.Title) {
		return
	}
	w.section()
	for len(w.levels) > 0 && w.levels[len(w.levels)-1] >= h.Level {
		w.levels = w.levels[:len(w.levels)-1]
	}
	w.levels = append(w.levels, h.Level)
	if title = headline(title); title == "" {
		title = "-"
	}
	w.org.WriteString(strings.Repeat("*", len(w.levels)) + " " + title + "\n")
}

// section writes the text of a section.
func (w *writer) section() {
	body := strings.TrimRight(inert.Text(w.body.String()), " \t\n")
	if body != "" {
		w.org.WriteString(body + "\n")
	}
	w.body.Reset()
	w.begun = false
}

// lines writes lines of a block, indented.
func (w *writer) lines(indent, text string) { writeLines(&w.body, indent, indent, text) }

// writeLines writes the lines of a text after an indent, the first one after first.
func writeLines(to *strings.Builder, first, indent, text string) {
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		to.WriteString(strings.TrimRight(first+line, " \t") + "\n")
		first = indent
	}
}

// apart leaves a line between two blocks.
func (w *writer) apart() {
	if w.begun {
		w.body.WriteString("\n")
	}
	w.begun = true
}

// block writes a block with its contents.
func (w *writer) block(b ast.Node, indent string) {
	switch b := b.(type) {
	case *ast.Paragraph, *ast.TextBlock, *ast.Heading: // a heading in a list or a quote
		w.apart()
		w.lines(indent, w.inline(b))
	case *ast.FencedCodeBlock:
		w.code(b, "src "+strings.Join(strings.Fields(string(b.Language(w.source))), "-"), indent)
	case *ast.CodeBlock:
		w.code(b, "example", indent)
	case *ast.HTMLBlock:
		w.html++
		w.code(b, "example", indent)
	case *ast.Blockquote:
		w.apart()
		w.lines(indent, "#+begin_quote")
		w.children(b, indent)
		w.lines(indent, "#+end_quote")
	case *ast.List:
		w.list(b, indent)
	case *ast.ThematicBreak:
		w.apart()
		w.lines(indent, "-----")
	case *extast.Table:
		w.table(b, indent)
	default:
		w.children(b, indent)
	}
}

// children writes the blocks in a block, the first without a line before it.
func (w *writer) children(b ast.Node, indent string) {
	w.begun = false
	for c := b.FirstChild(); c != nil; c = c.NextSibling() {
		w.block(c, indent)
	}
	w.begun = true
}

// code writes a block of code.
func (w *writer) code(b ast.Node, kind, indent string) {
	w.apart()
	if kind == "src " {
		kind = "example"
	}
	w.verbatim(kind, indent, string(b.Lines().Value(w.source)))
}

// verbatim writes a block with the unchanged lines of a text, but with a comma before those that Org would parse.
func (w *writer) verbatim(kind, indent, text string) {
	name, _, _ := strings.Cut(kind, " ")
	w.lines(indent, "#+begin_"+kind)
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if bare := strings.TrimLeft(line, ","); strings.HasPrefix(bare, "*") || strings.HasPrefix(bare, "#+") {
			line = "," + line
		}
		if line != "" {
			line = indent + line
		}
		w.body.WriteString(line + "\n")
	}
	w.lines(indent, "#+end_"+name)
}

// list writes the items of a list.
func (w *writer) list(l *ast.List, indent string) {
	indent = indent[:min(len(indent), maxIndent)]
	if _, nested := l.Parent().(*ast.ListItem); !nested {
		w.apart()
	}
	n := l.Start
	for item := l.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "- "
		if l.IsOrdered() {
			mark = fmt.Sprintf("%d. ", n)
			n++
		}
		under := indent + strings.Repeat(" ", len(mark))
		c, lead := item.FirstChild(), ""
		w.begun = false
		if c != nil && (c.Kind() == ast.KindTextBlock || c.Kind() == ast.KindParagraph) {
			c, lead, w.begun = c.NextSibling(), w.inline(c), true
		}
		writeLines(&w.body, indent+mark, under, lead)
		for ; c != nil; c = c.NextSibling() {
			w.block(c, under)
		}
	}
	w.begun = true
}

// table writes a table; its first row is the head.
func (w *writer) table(t *extast.Table, indent string) {
	w.apart()
	for row := t.FirstChild(); row != nil; row = row.NextSibling() {
		var line strings.Builder
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			text := strings.ReplaceAll(oneLine(w.inline(cell)), "|", "\\vert{}")
			line.WriteString("| " + text + " ")
		}
		w.lines(indent, line.String()+"|")
		if row.Kind() == extast.KindTableHeader {
			w.lines(indent, "|"+strings.Repeat("---+", max(row.ChildCount(), 1)-1)+"---|")
		}
	}
}

// inline returns the text of a block in Org.
func (w *writer) inline(b ast.Node) string {
	var out strings.Builder
	w.spans(&out, b, "")
	return out.String()
}

// spans writes the contents of a block or a span between marks.
func (w *writer) spans(out *strings.Builder, in ast.Node, mark string) {
	out.WriteString(mark)
	for c := in.FirstChild(); c != nil; c = c.NextSibling() {
		w.span(out, c)
	}
	out.WriteString(mark)
}

// emphasis has the marks of Org by level of emphasis, boxes the checkboxes by whether they are checked.
var (
	emphasis = map[int]string{1: "/", 2: "*"}
	boxes    = map[bool]string{false: "[ ] ", true: "[X] "}
)

func (w *writer) span(out *strings.Builder, c ast.Node) {
	switch c := c.(type) {
	case *ast.Text:
		text := string(util.UnescapePunctuations(c.Segment.Value(w.source)))
		if c.HardLineBreak() {
			text = strings.TrimRight(text, " ") + `\\` + "\n"
		} else if c.SoftLineBreak() {
			text += "\n"
		}
		out.WriteString(text)
	case *ast.String:
		out.Write(c.Value)
	case *ast.CodeSpan:
		out.WriteString(verbatim(w.plain(c)))
	case *ast.Emphasis:
		w.spans(out, c, emphasis[c.Level])
	case *extast.Strikethrough:
		w.spans(out, c, "+")
	case *extast.TaskCheckBox:
		out.WriteString(boxes[c.IsChecked])
	case *ast.Link:
		out.WriteString(w.link(string(c.Destination), w.inline(c)))
	case *ast.Image:
		out.WriteString(w.link(string(c.Destination), w.inline(c)))
	case *ast.AutoLink:
		out.Write(c.URL(w.source))
	case *ast.RawHTML:
		w.html++
		out.Write(c.Segments.Value(w.source))
	case *wikiLink:
		label := c.label
		if m := w.names.wiki(c.target); m != nil {
			label = orgLink("id:"+m.ID, label)
		} else {
			w.lost++
		}
		out.WriteString(label)
	default:
		w.spans(out, c, "")
	}
}

// plain returns the text in a span without markup.
func (w *writer) plain(c ast.Node) string {
	var out strings.Builder
	for t := c.FirstChild(); t != nil; t = t.NextSibling() {
		if seg, ok := t.(*ast.Text); ok {
			out.Write(seg.Segment.Value(w.source))
		}
	}
	return oneLine(out.String())
}

// link returns the Org of a link. A link to an imported note uses its id; one to another file becomes
// text followed by the path.
func (w *writer) link(target, label string) string {
	file, err := url.PathUnescape(target)
	if err != nil {
		file = target
	}
	if m := w.names.path(w.Source, file); m != nil {
		return orgLink("id:"+m.ID, label)
	}
	if u, err := url.Parse(target); err == nil && (u.Scheme == "http" || u.Scheme == "https" || u.Scheme == "mailto") {
		return orgLink(target, label)
	}
	if target != "" && !strings.HasPrefix(target, "#") {
		w.lost++
		return label + " (" + target + ")"
	}
	return label
}

// withoutBrackets replaces brackets in the label of a link, which they would end.
var withoutBrackets = strings.NewReplacer("[", "(", "]", ")")

// orgLink returns a link with a label.
func orgLink(target, label string) string {
	target = strings.NewReplacer("[", "%5B", "]", "%5D", " ", "%20", "\n", "").Replace(target)
	label = strings.ReplaceAll(withoutBrackets.Replace(label), "\n", " ")
	if label == "" || label == target {
		return "[[" + target + "]]"
	}
	return "[[" + target + "][" + label + "]]"
}

// verbatim marks code by a sign that does not occur in it.
func verbatim(code string) string {
	for _, mark := range []string{"=", "~"} {
		if code != "" && !strings.Contains(code, mark) {
			return mark + code + mark
		}
	}
	return code
}
