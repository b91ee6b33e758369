// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package face

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/index"
)

// short returns the first 16 characters of a digest, enough to name a commit.
func short(digest string) string { return digest[:min(len(digest), 16)] }

// moment formats a time for lists.
func moment(t time.Time) string { return t.Local().Format(time.DateTime) }

// Place formats a node's location; a node without a file has no line.
func Place(path string, line int) string {
	if line == 0 {
		return path
	}
	return fmt.Sprintf("%s:%d", path, line)
}

// place returns the column of a location, when that of a time.
func place(path string, line int) Cell { return Text(Place(path, line)).In(Where) }

func (p *Page) when(t time.Time) Cell { return Text(p.moment(t)).In(When) }

func showNode(p *Page, n *api.Node) {
	if p.model != nil { // an outline
		p.Printf("%s", strings.Repeat("  ", len(n.Content)-len(strings.TrimLeft(n.Content, "*"))))
	}
	p.Row(p.nodeCells(*n)...)
}

// nodeCells returns a node's columns in a list: title and place. In a pipe, keyword and tags
// have their own columns. A model also gets the handle and an excerpt.
func (p *Page) nodeCells(n api.Node) []Cell {
	title, tags := n.Label(), ""
	if len(n.Tags) > 0 {
		tags = ":" + strings.Join(n.Tags, ":") + ":"
	}
	where := place(n.Path, n.Line)
	if !p.IsTerminal() && p.model == nil {
		return []Cell{{Text: n.Todo}, {Text: title}, {Text: tags}, where}
	}
	if n.Todo != "" {
		title = n.Todo + " " + title
	}
	if p.model != nil {
		cells := []Cell{Text("id " + cmp.Or(n.Handle, n.ID)), Text(strings.TrimSpace(title + " " + tags)), where}
		if n.Excerpt != "" {
			cells = append(cells, Text(n.Excerpt))
		}
		return cells
	}
	if tags != "" {
		title += "  " + tags
	}
	return []Cell{Column(title, Rest), where}
}

func showFound(p *Page, req *api.QueryRequest, nodes []api.Node) {
	if p.Grep != nil && len(nodes) > 0 {
		showGrep(p, nodes, plainWords(req.Query))
		return
	}
	if p.model != nil && len(nodes) > 1 && len(nodes) == req.Limit { // the last one only proves that there are more
		nodes = nodes[:len(nodes)-1]
		p.Note("more than %d match; these are the first", len(nodes))
		if req.Query == "" {
			p.Note("ask for the outline of one file")
		}
	}
	for i := range nodes {
		showNode(p, &nodes[i])
	}
	switch {
	case len(nodes) > 0:
		if p.model != nil && p.model.row == nil { // the first answer on the page
			p.fact("Found %d.", len(nodes))
		}
	case p.model == nil || strings.ContainsAny(req.Query, ":()"):
		p.Note("nothing matches")
	default:
		p.Note("nothing matches: the query has no conditions, only words; write conditions, such as todo:TODO deadline:to=+7, or use mode lexical")
	}
}

// showHits shows each hit with its best line: at a terminal below it, in a pipe in two more columns.
func showHits(p *Page, req *api.SearchRequest, hits []api.Hit) {
	if p.Grep != nil {
		nodes := make([]api.Node, len(hits))
		for i, h := range hits {
			nodes[i] = h.Node
		}
		showGrep(p, nodes, sameWords(req.Text))
	} else {
		words := index.NewMatcher(req.Text)
		for i := range hits {
			showHit(p, &hits[i], words)
		}
	}
	if len(hits) > 0 {
		p.fact("Found %d.", len(hits))
	}
	weak := len(hits) == 0 || hits[0].Similarity < api.WeakSimilarity
	if p.model != nil {
		p.model.Weak = weak
	}
	switch {
	case len(hits) == 0:
		p.Note("nothing was found")
		p.noteModel("try other or fewer words")
	case weak:
		p.Note("no node has much of the question")
	}
}

func showHit(p *Page, h *api.Hit, words *index.Matcher) {
	similarity := fmt.Sprintf("%.2f", h.Similarity)
	n := h.Node
	if h.MatchLine > 0 && (p.IsTerminal() || p.model != nil) {
		n.Line = h.MatchLine
	}
	n.Excerpt = cmp.Or(h.Match, n.Excerpt)
	cells := append([]Cell{{Text: similarity}}, p.nodeCells(n)...)
	if h.Match != "" && !p.IsTerminal() && p.model == nil {
		cells = append(cells, place(h.Path, h.MatchLine), Text(h.Match))
	}
	for i := range cells {
		if cells[i].style == 0 {
			cells[i].words = words
		}
	}
	p.Row(cells...)
	if h.Match != "" && p.IsTerminal() {
		p.Row(Column("", len(similarity)), Cell{Text: h.Match, Width: Rest, words: words})
	}
	if len(h.Scores) > 0 {
		p.Row(Column("", len(similarity)), Text(explained(h)))
	}
}

// explained lists the score that each arm gave a hit, the highest first.
func explained(h *api.Hit) string {
	arms := slices.SortedFunc(maps.Keys(h.Scores), func(a, b string) int { return cmp.Or(cmp.Compare(h.Scores[b], h.Scores[a]), cmp.Compare(a, b)) })
	gave := make([]string, len(arms))
	for i, arm := range arms {
		gave[i] = fmt.Sprintf("%s %.2f", arm, h.Scores[arm])
	}
	text := fmt.Sprintf("score %.2f: %s; cosine %.2f", h.Score, strings.Join(gave, ", "), h.Cosine)
	if h.Reranked != nil && !*h.Reranked {
		text += "; not reranked"
	}
	return text
}

func showSuggestions(p *Page, req *api.SuggestRequest, s *api.Suggestions) {
	for _, w := range s.Words {
		p.Quote("no node has the word %q; did you mean %s?", w.Word, strings.Join(w.Known, ", "))
	}
	switch {
	case req.Text == "" && len(s.Notes) == 0:
		p.Note("no question, and no notes yet; use words to find those of others, or remember one")
	case req.Text == "":
		p.Note("no question, so here are your newest notes")
	case len(s.Notes) > 0:
		p.Printf("your newest notes:\n")
	}
	for i := range s.Notes {
		showNode(p, &s.Notes[i])
	}
}

func showShown(p *Page, req *api.ShowRequest, n *api.Shown) {
	if p.model == nil {
		showProperties(p, n)
		text := n.Content
		if exact, err := base64.StdEncoding.DecodeString(n.ContentBase64); err == nil && len(exact) > 0 {
			text = string(exact)
		}
		p.Text(text)
		return
	}
	p.fact("id: %q\nhandle: %q\ndigest: %s\nplace: %q line %d", n.ID, n.Handle, n.Digest, n.Path, n.Line)
	for _, f := range []struct {
		name  string
		value any
	}{
		{"parent", n.Parent}, {"doubled", n.Doubled}, {"tags, inherited ones too", n.Attributes["ALLTAGS"]},
		{"closed", n.Attributes["CLOSED"]}, {"deadline", n.Attributes["DEADLINE"]}, {"scheduled", n.Attributes["SCHEDULED"]},
	} {
		if f.value != nil && f.value != "" {
			p.fact("%s: %q", f.name, f.value)
		}
	}
	p.Text(strings.TrimSuffix(n.Content, "\n") + "\n")
	for i := range n.Backlinks[:min(maxBacklinks, len(n.Backlinks))] {
		p.Row(append([]Cell{Text("linked from")}, p.nodeCells(n.Backlinks[i])...)...)
	}
	if more := n.BacklinkCount - maxBacklinks; more > 0 {
		p.Printf("linked from %d more\n", more)
	}
	if len(n.Children) > 0 && req.At == "" {
		p.Printf("\nBelow it: %d\n", len(n.Children))
		p.model.Parent = n.ID
	} else {
		for _, id := range n.Children[:p.listed(len(n.Children), maxListed, " below it")] {
			p.Row(Text("below it"), Text(id))
		}
	}
}

// maxBacklinks limits the backlinks of a note that a model gets.
const maxBacklinks = 10

// showProperties shows everything about a node except its text.
func showProperties(p *Page, n *api.Shown) {
	p.Printf("%s  (%s)\n", cmp.Or(n.Title, "(untitled)"), n.Type)
	p.Line(Text("id        "), Text(n.ID).In(ID))
	p.Printf("version   %s\ndigest    %s\nhandle    %s\n", n.Version, n.Digest, n.Handle)
	p.Line(Text("where     "), place(n.Path, n.Line))
	if n.Doubled != "" {
		p.Printf("doubled   %s\n", n.Doubled)
	}
	if n.Missing != "" {
		p.Line(Text("missing   " + n.Missing).In(Problem))
	}
	p.Printf("modified  %s\nchildren  %d\n", moment(n.Modified), len(n.Children))
	for i := range n.Backlinks {
		p.Line(Text("from      "+n.Backlinks[i].Label()+"  ("), place(n.Backlinks[i].Path, n.Backlinks[i].Line), Text(")"))
	}
	if more := n.BacklinkCount - len(n.Backlinks); more > 0 {
		p.Printf("from      %d more\n", more)
	}
	p.Printf("\n")
}
