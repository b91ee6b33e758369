// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package inert

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/org"
)

// Place is what a file says that has its notes read otherwise than they stand. The zero
// Place says nothing. It is not changed after it was made and may be read by several
// goroutines.
type Place struct {
	// Known reports whether a note bears an id, for links; nil asks nobody.
	Known func(id string) bool

	head    string // the #+LINK lines of the file
	columns map[string]func(value string) error
}

// column is one of #+COLUMNS with a summary: %Age{@min}.
var column = regexp.MustCompile(`%\d*([\p{L}\p{N}_@#-]+)(?:\([^)]*\))?\{([:@])[^}]*\}`)

// PlaceOf returns the place that a document is for its notes. It takes time in
// proportion to its settings and properties.
func PlaceOf(doc *org.Document) *Place {
	p := &Place{columns: map[string]func(string) error{}}
	for name, value := range doc.LinkAbbreviations {
		p.head += "#+LINK: " + name + " " + value + "\n"
	}
	take := func(key, value string) {
		if !strings.EqualFold(key, "COLUMNS") {
			return
		}
		for _, m := range column.FindAllStringSubmatch(value, -1) {
			check := duration
			if m[2] == "@" {
				check = age
			}
			p.columns[strings.ToUpper(m[1])] = check
		}
	}
	for _, k := range doc.Settings {
		take(k.Key, k.Value)
	}
	for _, properties := range [][]org.Property{doc.FileProperties, doc.Properties} {
		for _, k := range properties {
			take(k.Key, k.Value)
		}
	}
	for i := range doc.Headlines {
		for _, k := range doc.Headlines[i].Properties {
			take(k.Key, k.Value)
		}
	}
	return p
}

// Check parses the finished own text of a headline, or the text before the first one,
// and returns what in it acts that did not act in what was there before, nil for
// nothing. before is "" for a new text, and from is where it stood. What [Text] and
// [Line] made, below a headline that package org wrote, holds nothing that acts.
// It takes time in proportion to both texts.
func (p *Place) Check(from *Place, before, after string) error {
	now := p.acts(after)
	if len(now) == 0 {
		return nil
	}
	had := map[act]int{}
	for _, a := range from.acts(before) {
		had[a]++
	}
	for _, a := range now {
		if had[a]--; had[a] < 0 {
			return a
		}
	}
	return nil
}

// act is something in a text that acts.
type act struct{ what, text string }

func (a act) Error() string {
	text := []rune(a.text)
	if len(text) > 60 {
		text = append(text[:60], '…')
	}
	return fmt.Sprintf("it would hold %s, %q; leave that out", a.what, string(text))
}

// elements are the elements and objects that Org acts on, or that say something about
// more than the text that they stand in.
var elements = map[org.Type]string{
	org.TypeInlinetask: "an inline task", org.TypeDynamicBlock: "a block that Org fills in", org.TypeSpecialBlock: "a special block",
	org.TypeBabelCall: "a call of code", org.TypeClock: "a clock", org.TypeDiarySexp: "Lisp for the agenda", org.TypeExportBlock: "text for one form of export",
	org.TypeKeyword: "a setting of the file", org.TypeFootnoteDefinition: "a footnote with a name",
	org.TypeInlineBabelCall: "a call of code", org.TypeInlineSrcBlock: "code in a line", org.TypeMacro: "a macro", org.TypeExportSnippet: "text for one form of export",
	org.TypeRadioTarget: "a target", org.TypeTarget: "a target",
}

// acts lists what acts in the own text of one node.
func (p *Place) acts(text string) []act {
	if text == "" {
		return nil
	}
	text = strings.TrimPrefix(text, archiveHead)
	var out []act
	add := func(what, text string) { out = append(out, act{what, text}) }
	lower := strings.ToLower(text)
	for i := range constructs {
		if !constructs[i].mayBe(lower) {
			continue
		}
		for _, found := range constructs[i].acts(text) {
			add(constructs[i].name, found)
		}
	}
	if strings.Contains(lower, "local variables:") { // lines between these two are variables too
		for _, found := range variables.FindAllString(text, -1) {
			add("variables of the file", found)
		}
	}
	if strings.Contains(lower, "clock:") {
		for _, found := range clockLine.FindAllString(text, -1) {
			add("a clock", found)
		}
	}
	if strings.ContainsFunc(text, func(r rune) bool { return unseen(r) && r != '\r' }) {
		add("characters that are not seen", strings.Map(onlyUnseen, text))
	}
	doc := org.Parse(p.head+text, nil)
	i := len(doc.Headlines) - 1
	if i < 0 && foreignStart.MatchString(text) {
		add("what makes Emacs open the file as another kind", firstLine(text))
	}
	if i > 0 {
		add("more than one headline", doc.Text(1))
	}
	if i == 0 {
		out = append(out, p.actsOfHeadline(&doc.Headlines[0])...)
	} else {
		out = append(out, p.actsOfDrawer(doc.Properties)...)
	}
	return append(out, p.actsOfBody(doc, min(i, 0))...)
}

// archiveHead is what Fovea begins an archive with, as Org does.
const archiveHead = "#    -*- mode: org -*-\n"

// variables are the variables of a file from their first line to their last.
var variables = regexp.MustCompile(`(?is)local variables:.*?(?:\n[^\n]*\bend:|\z)`)

// clockLine is what Emacs takes for a clock, well formed or not.
var clockLine = regexp.MustCompile(`(?im)^[ \t]*CLOCK:.*$`)

func onlyUnseen(r rune) rune {
	if unseen(r) && r != '\r' {
		return r
	}
	return -1
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// mostStars is the deepest level of a headline: one with more stars is an inline task
// where Emacs has those.
const mostStars = 14

func (p *Place) actsOfHeadline(h *org.Headline) []act {
	out := p.actsOfDrawer(h.Properties)
	if h.Level > mostStars {
		out = append(out, act{"a headline so deep that it is an inline task", h.Title})
	}
	if isHabit(h.Properties) && h.Scheduled != "" && !isHabitual(h.Scheduled) {
		out = append(out, act{"a habit with a date that the agenda fails at", h.Scheduled})
	}
	if slices.Contains(h.Tags, cryptTag) {
		out = append(out, act{"the tag of what is encrypted", cryptTag})
	}
	return out
}

func (p *Place) actsOfDrawer(properties []org.Property) []act {
	var out []act
	for _, q := range properties {
		if err := actingProperty(q.Key, q.Value, p.columns); err != nil && !owned[bare(q.Key)] {
			out = append(out, act{err.Error(), q.Key + ": " + q.Value})
		}
	}
	return out
}

// actsOfBody lists the elements and objects of a section that act.
func (p *Place) actsOfBody(doc *org.Document, i int) []act {
	var out []act
	tree := doc.Objects(i)
	for k := range tree.Elements {
		el := &tree.Elements[k]
		what := elements[el.Type]
		switch {
		case k == 0:
			continue
		case el.Body != el.Start && !el.Type.IsObject():
			what = "a line that says something about the one below"
		case el.Type == org.TypeDrawer && !isLog(tree, k):
			what = "a drawer"
		case el.Type == org.TypeSrcBlock && !isStill(tree.Block(k)):
			what = "code that can be run"
		case el.Type == org.TypeTable && isComputed(tree, k):
			what = "a table that Org computes"
		case el.Type == org.TypeFootnoteReference && tree.Footnote(k).Label != "":
			what = "a footnote with a name"
		case len(texOf(tree, k)) > 0:
			what = "TeX that does more than set type"
		case el.Type == org.TypeLink:
			if why := badLink(tree.Link(k), p.Known); why != "" {
				what = "a link " + why
			}
		}
		if what != "" {
			out = append(out, act{what, strings.TrimSpace(tree.Text(k))})
		}
	}
	return out
}

// isLog reports a drawer that holds a list and nothing else, as the log of a task does.
func isLog(tree *org.Tree, k int) bool {
	lists := 0
	for child := range tree.Children(k) {
		if lists++; tree.Elements[child].Type != org.TypePlainList {
			return false
		}
	}
	return lists > 0
}

// isStill reports a block of code that never runs, as [Text] writes them.
func isStill(b org.Block) bool {
	return b.Switches == "" && strings.TrimSpace(b.Parameters) == neverRuns && languages[strings.ToLower(b.Language)]
}

func isComputed(tree *org.Tree, k int) bool {
	for range tree.Formulas(k) {
		return true
	}
	return tree.IsTableEl(k)
}
