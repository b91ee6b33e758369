// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/index"
	"github.com/fovea-memory/fovea/internal/recall"
	"github.com/fovea-memory/fovea/node"
)

// withText adds to a node of a list what was asked for of its own text.
func (n Node) withText(of *node.Node, content bool, characters int) Node {
	if characters > 0 {
		n.Excerpt = recall.Excerpt(of, characters)
	}
	if content {
		n.Content = validText(recall.Readable(of))
	}
	return n
}

// showsAll reports whether title and excerpt are all the text of a headline.
func (n Node) showsAll(of *node.Node) bool {
	_, text, _ := strings.Cut(of.Content, "\n")
	left := n.Excerpt
	for word := range strings.FieldsSeq(text) {
		after, is := strings.CutPrefix(left, word)
		if !is {
			return false
		}
		left = strings.TrimPrefix(after, " ")
	}
	return of.Type == document.TypeHeadline && left == ""
}

// addMatch adds the line of a node's text that has the most of some words, at most so many
// characters of it. It adds nothing if no line has any.
func (h *Hit) addMatch(n *node.Node, words *index.Matcher, characters int) {
	line, ok := recall.BestLine(n, words)
	if !ok {
		return
	}
	text := line.Shown()
	h.Match = recall.Clip(text, words.First(text), characters)
	if !document.IsMemory(n.Path) {
		h.MatchLine = h.Line + line.Number
	}
}
