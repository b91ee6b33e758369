// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"strings"

	"github.com/fovea-memory/fovea/org"
)

// parts are the pieces of a node's own text that are merged apart. Joined in
// order they are the text, but for the stars of a headline.
type parts struct {
	line     string // a headline's line behind the stars; of a document, what stands before its drawer
	planning string
	drawer   string   // of properties
	settings string   // of a document: the #+KEY: lines it begins with
	kept     []string // the entries of the conflict drawer
	body     string
}

// partsOf splits a node's text. Only its content and type count, and where a
// document's settings end.
func partsOf(n *Node) parts {
	if n.Content == "" {
		return parts{}
	}
	doc := org.Parse(n.Content, nil)
	var p parts
	at := 0
	cut := func(end int) string {
		end = max(at, end)
		piece := n.Content[at:end]
		at = end
		return piece
	}
	if n.Type == TypeHeadline && len(doc.Headlines) > 0 {
		h := &doc.Headlines[0]
		at = h.Start + h.Level
		p.line = cut(h.TextEnd)
		p.planning = cut(h.PlanningEnd)
		p.drawer = cut(h.DrawerEnd)
	} else {
		p.line = cut(doc.DrawerStart)
		p.drawer = cut(doc.DrawerEnd)
		p.settings = cut(afterSettings(n.Content[:doc.SectionEnd], max(doc.Start, doc.DrawerEnd)))
	}
	p.kept, p.body = cutKept(n.Content[at:])
	return p
}

// join puts the parts together. A piece that has another behind it ends its line.
func (p *parts) join() string {
	kept := ""
	if len(p.kept) > 0 {
		kept = keptBegin + "\n" + strings.Join(p.kept, "") + keptEnd + "\n"
		kept = strings.ReplaceAll(kept, "\n", p.end())
	}
	var b strings.Builder
	open := false
	for _, piece := range []string{p.line, p.planning, p.drawer, p.settings, kept, p.body} {
		if piece == "" {
			continue
		}
		if open {
			b.WriteByte('\n')
		}
		b.WriteString(piece)
		open = !strings.HasSuffix(piece, "\n") && piece != "\uFEFF"
	}
	return b.String()
}

// end returns how the lines of the text end: as the first of them does.
func (p *parts) end() string {
	for _, piece := range []string{p.line, p.planning, p.drawer, p.settings, p.body} {
		if first, _, ok := strings.Cut(piece, "\n"); ok {
			return lineEnd(first + "\n")
		}
	}
	return "\n"
}

// lineEnd returns what a line ends with; a line feed where it has no end.
func lineEnd(line string) string {
	if strings.HasSuffix(line, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// SetLevel returns a headline's text with another number of stars; a document's,
// whose level is 0, as it is.
func SetLevel(content string, level int) string {
	rest := strings.TrimLeft(content, "*")
	if level == 0 || len(content)-len(rest) == level {
		return content
	}
	return strings.Repeat("*", level) + rest
}
