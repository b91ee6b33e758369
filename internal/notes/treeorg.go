// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package notes

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/write"
	"github.com/fovea-memory/fovea/org"
)

// intoLine lists the attributes written to a headline's line or its planning line; the others
// go into the drawer.
var intoLine = []string{"TITLE", "TODO", "TODO-TYPE", "PRIORITY", "TAGS", "SCHEDULED", "DEADLINE", "CLOSED"}

// orgText writes a tree as a document with one top-level headline, for a file with the given
// TODO keywords. The root, parts of type headline and parts with a title become headlines,
// each with an ID; the text of other parts joins that of the headline above them, see bodyOf.
func orgText(t *ast.Tree, keywords []string, now time.Time) (string, error) {
	head := "#+TODO: " + strings.Join(keywords, " ") + "\n"
	var b strings.Builder
	b.WriteString(head)
	type part struct {
		tree  *ast.Tree
		level int
	}
	for todo := []part{{t, 1}}; len(todo) > 0; {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		body, headlines := bodyOf(p.tree)
		text, err := headlineOf(head, p.tree, body, now)
		if err != nil {
			return "", err
		}
		b.WriteString(strings.Repeat("*", p.level-1) + text)
		for _, h := range slices.Backward(headlines) {
			todo = append(todo, part{h, p.level + 1})
		}
	}
	return b.String(), nil
}

// bodyOf returns the text of a headline and of the parts below it that are not headlines, and
// the headlines below it, in order. It omits the text of a part that already occurs in the
// enclosing text after the preceding parts.
func bodyOf(t *ast.Tree) (body string, headlines []*ast.Tree) {
	type part struct {
		tree *ast.Tree
		rest *string // of the enclosing text, after the preceding parts
	}
	var b strings.Builder
	add := func(text string) {
		if s := b.String(); s != "" && !strings.HasSuffix(s, "\n") {
			b.WriteByte('\n')
		}
		b.WriteString(text)
	}
	all := []part{{t, new(string)}}
	for len(all) > 0 {
		p := all[len(all)-1]
		all = all[:len(all)-1]
		if p.tree != t && (p.tree.Type == document.TypeHeadline || p.tree.Text("TITLE") != "") {
			headlines = append(headlines, p.tree)
			continue
		}
		inside := p.rest
		if text := p.tree.Content; text != "" {
			if _, behind, found := strings.Cut(*p.rest, text); found {
				*p.rest = behind
			} else {
				add(text)
			}
			inside = &text
		}
		for _, k := range slices.Backward(p.tree.Kids) {
			all = append(all, part{k, inside})
		}
	}
	return b.String(), headlines
}

// headlineOf writes one top-level headline.
func headlineOf(head string, t *ast.Tree, body string, now time.Time) (string, error) {
	h := document.InsertHeadline{
		Title: cmp.Or(t.Text("TITLE"), t.Type), Todo: t.Text("TODO"), Priority: t.Text("PRIORITY"), Tags: tagsOf(t),
		Scheduled: t.Text("SCHEDULED"), Deadline: t.Text("DEADLINE"), Body: body,
	}
	if t.ID() == "" {
		h.Properties = append(h.Properties, document.Property{Key: "ID", Value: uuid.NewString()})
	}
	for _, a := range t.Attrs {
		if slices.Contains(intoLine, a.Key) || a.Value.Kind() == document.KindNull {
			continue
		}
		items := a.Value.Items()
		if items == nil {
			items = []document.Value{a.Value}
		}
		key := a.Key
		for _, v := range items {
			h.Properties = append(h.Properties, document.Property{Key: key, Value: strings.TrimSpace(v.String())})
			key = a.Key + "+"
		}
	}
	text, err := write.Edited(org.Text{Document: org.Parse(head, nil)}, -1, now, h)
	if err != nil {
		return "", err
	}
	text = strings.TrimLeft(strings.TrimPrefix(text, head), "\n")
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text, nil
}
