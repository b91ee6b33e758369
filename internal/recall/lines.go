// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"iter"
	"strings"

	"github.com/fovea-memory/fovea/internal/index"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

// metadata are the elements that contain no text.
var metadata = map[org.Type]bool{
	org.TypePropertyDrawer: true, org.TypeDrawer: true, org.TypePlanning: true, org.TypeKeyword: true, org.TypeClock: true, org.TypeComment: true,
}

// Line is a line of a node's own text.
type Line struct {
	Number int    // of lines of the node before it
	Text   string // without surrounding blanks; not empty
}

// TextLines yields the lines of a node's text that begin in its first limit bytes, without
// headline, planning, settings, drawers, comments and blank lines. An encrypted node has
// none. O(min(limit, size of the text)).
func TextLines(n *node.Node, limit int) iter.Seq[Line] {
	return func(yield func(Line) bool) {
		body := n.Body()
		if n.Derived.Opaque && Document(n).Body == "" {
			body = ""
		}
		number := strings.Count(n.Content[:len(n.Content)-len(body)], "\n")
		text, at := body[:min(len(body), limit)], 0
		for from, to := range prose(text, n.Derived.Opaque) {
			number += strings.Count(text[at:from], "\n")
			at = to
			for line := range strings.Lines(text[from:to]) {
				if bare := strings.TrimSpace(line); bare != "" && !strings.HasPrefix(bare, "#+") && !yield(Line{number, bare}) {
					return
				}
				number += strings.Count(line, "\n")
			}
		}
	}
}

// prose yields the ranges of a body that are text, in order. An opaque body is one range.
func prose(body string, opaque bool) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		if opaque {
			yield(0, len(body))
			return
		}
		tree := org.Parse(body, nil).Elements(-1)
		for i := 1; i < len(tree.Elements); {
			e := &tree.Elements[i]
			switch {
			case e.Type == org.TypeSection:
				i++
				continue
			case metadata[e.Type]:
			case !yield(int(e.Start), int(e.End)):
				return
			}
			i = int(e.Next)
		}
	}
}

// maxBestLine is the number of bytes of a node's text that BestLine reads, which bounds the
// cost of a hit in a huge note.
const maxBestLine = 256 << 10

// BestLine returns the first of the lines of a node's text that have the most words of a
// question; ok is false if none has any.
func BestLine(n *node.Node, question *index.Matcher) (best Line, ok bool) {
	maxCount := 0
	for line := range TextLines(n, maxBestLine) {
		if count := question.Count(line.Text); count > maxCount {
			best, maxCount = line, count
		}
	}
	return best, maxCount > 0
}

// Shown returns the text of the line with single blanks, and with the descriptions of links
// instead of the links.
func (l Line) Shown() string {
	var b strings.Builder
	at := 0
	for link := range org.Links(l.Text) {
		if link.Description != "" && link.Start >= at {
			b.WriteString(l.Text[at:link.Start] + link.Description)
			at = link.End
		}
	}
	return legible(strings.Join(strings.Fields(b.String()+l.Text[at:]), " "))
}
