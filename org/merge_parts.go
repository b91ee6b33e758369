// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"strings"

	"github.com/fovea-memory/fovea/document"
)

// fields are the pieces of a node's own text that are merged separately. Joined in order
// they are the text without the stars of a headline.
type fields struct {
	line     string // a headline's line after the stars; of a document, the text before its drawer
	planning string
	head     Headline // as read from the text alone
	drawer   string   // of properties
	settings string   // of a document: its first #+KEY: lines
	entries  []string // of the conflict drawer
	body     string
}

// fieldsOf splits a node's text. Only its content and type are used.
func fieldsOf(n *document.Part) fields {
	if n.Content == "" {
		return fields{}
	}
	doc := Parse(n.Content, nil)
	var p fields
	at := 0
	cut := func(end int) string {
		end = max(at, end)
		piece := n.Content[at:end]
		at = end
		return piece
	}
	if n.Type == document.TypeHeadline && len(doc.Headlines) > 0 {
		p.head = doc.Headlines[0]
		at = p.head.Start + p.head.Level
		p.line = cut(p.head.TextEnd)
		p.planning = cut(p.head.PlanningEnd)
		p.drawer = cut(p.head.DrawerEnd)
	} else {
		p.line = cut(doc.DrawerStart)
		p.drawer = cut(doc.DrawerEnd)
		p.settings = cut(doc.bodyStart())
	}
	p.entries, p.body = cutConflicts(n.Content[at:])
	return p
}

// join returns the text of the fields. A line feed is added to a piece without one if
// another follows.
func (p *fields) join() string {
	drawer := ""
	if len(p.entries) > 0 {
		drawer = withLineEnds(conflictDrawer+"\n"+strings.Join(p.entries, "")+drawerClose+"\n", p.end())
	}
	var b strings.Builder
	open := false
	for _, piece := range []string{p.line, p.planning, p.drawer, p.settings, drawer, p.body} {
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

// end returns the line end of the text, that of its first line.
func (p *fields) end() string {
	text := p.line + p.planning + p.drawer + p.settings + p.body
	return lineEnd(text[:lineAt(text, 0, len(text)).next])
}

// lineEnd returns the line end of a text that ends with a line, a line feed if it has
// none.
func lineEnd(text string) string {
	if strings.HasSuffix(text, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// SetLevel returns a headline's text with the given number of stars, or the unchanged
// text of a document, whose level is 0.
func SetLevel(content string, level int) string {
	rest := strings.TrimLeft(content, "*")
	if level == 0 || len(content)-len(rest) == level {
		return content
	}
	return strings.Repeat("*", level) + rest
}
