// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package inert

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/org"
)

// Checker returns the check for texts of a format: the format's own, or that of this package for
// Org; nil if there is none.
func Checker(f document.Format) document.Checker {
	switch f := f.(type) {
	case document.Checker:
		return f
	case org.Format:
		return checker{}
	}
	return nil
}

// checker is the check of Org.
type checker struct{}

// Place returns the Place of the notes of an Org document.
func (checker) Place(doc document.Text, known func(id string) bool) document.Place {
	p := &Place{Known: known}
	if text, ok := doc.(org.Text); ok {
		p.readSettings(text.Document)
	}
	return p
}

// Place holds the settings of a file that change the meaning of its notes. The zero Place
// has none. A Place is immutable and safe for concurrent use.
type Place struct {
	// Known reports whether a note has an id, for links; nil skips that check.
	Known func(id string) bool

	linkSettings string // the #+LINK lines of the file
	columns      map[string]func(value string) error
}

// summaryColumn matches a column of #+COLUMNS with a summary: %Age{@min}.
var summaryColumn = regexp.MustCompile(`%\d*([\p{L}\p{N}_@#-]+)(?:\([^)]*\))?\{([:@])[^}]*\}`)

// readSettings reads the settings of a document, in time linear in its settings and properties.
func (p *Place) readSettings(doc *org.Document) {
	p.columns = map[string]func(string) error{}
	for name, value := range doc.LinkAbbreviations {
		p.linkSettings += "#+LINK: " + name + " " + value + "\n"
	}
	addColumns := func(key, value string) {
		if !strings.EqualFold(key, "COLUMNS") {
			return
		}
		for _, m := range summaryColumn.FindAllStringSubmatch(value, -1) {
			check := checkDuration
			if m[2] == "@" {
				check = checkAge
			}
			p.columns[strings.ToUpper(m[1])] = check
		}
	}
	for _, k := range doc.Settings {
		addColumns(k.Key, k.Value)
	}
	for _, properties := range [][]org.Property{doc.FileProperties, doc.Properties} {
		for _, k := range properties {
			addColumns(k.Key, k.Value)
		}
	}
	for i := range doc.Headlines {
		for _, k := range doc.Headlines[i].Properties {
			addColumns(k.Key, k.Value)
		}
	}
}

// Check parses the final own text of a headline, or the text before the first headline, and
// returns an error for the first active construct that the previous text did not contain. before
// is the previous text, "" for a new one, and from its Place, nil for none. The output of [Text]
// and [Line] below a headline written by package org has no active constructs. It takes time
// linear in both texts.
func (p *Place) Check(from document.Place, before, after string) error {
	now := p.findings(after)
	if len(now) == 0 {
		return nil
	}
	old, ok := from.(*Place)
	if !ok {
		old = &Place{}
	}
	had := map[finding]int{}
	for _, a := range old.findings(before) {
		had[a]++
	}
	for _, a := range now {
		if had[a]--; had[a] < 0 {
			return a
		}
	}
	return nil
}

// finding is an active construct in a text.
type finding struct{ what, text string }

func (a finding) Error() string {
	text := []rune(a.text)
	if len(text) > 60 {
		text = append(text[:60], '…')
	}
	return fmt.Sprintf("it would hold %s, %q; leave that out", a.what, string(text))
}

// activeElements are the elements and objects that Org acts on, or that affect more than the text
// that contains them.
var activeElements = map[org.Type]string{
	org.TypeDynamicBlock: "a block that Org fills in", org.TypeSpecialBlock: "a special block",
	org.TypeBabelCall: "a call of code", org.TypeClock: "a clock", org.TypeDiarySexp: "Lisp for the agenda", org.TypeExportBlock: "text for one form of export",
	org.TypeKeyword: "a setting of the file", org.TypeFootnoteDefinition: "a footnote with a name",
	org.TypeInlineBabelCall: "a call of code", org.TypeInlineSrcBlock: "code in a line", org.TypeMacro: "a macro",
	org.TypeExportSnippet: "text for one form of export",
	org.TypeRadioTarget:   "a target", org.TypeTarget: "a target",
}

// findings lists the active constructs in the own text of one node.
func (p *Place) findings(text string) []finding {
	if text == "" {
		return nil
	}
	text = strings.TrimPrefix(text, archiveHead)
	var out []finding
	add := func(what, text string) { out = append(out, finding{what, text}) }
	lower := strings.ToLower(text)
	for i := range constructs {
		if !constructs[i].mayContain(lower) {
			continue
		}
		for match := range constructs[i].matches(text) {
			add(constructs[i].name, match)
		}
	}
	if strings.Contains(lower, "local variables:") { // the lines between these two are also variables
		for _, match := range localVariables.FindAllString(text, -1) {
			add("variables of the file", match)
		}
	}
	if strings.Contains(lower, "clock:") {
		for _, match := range clockLine.FindAllString(text, -1) {
			add("a clock", match)
		}
	}
	_, unseen := showUnseen(titleFrame.ReplaceAllString(strings.ReplaceAll(text, "\r", ""), "$1"))
	for _, char := range unseen {
		add("a character that is not seen", char)
	}
	doc := org.Parse(p.linkSettings+text, nil)
	i := len(doc.Headlines) - 1
	if i < 0 && foreignStart.MatchString(text) {
		line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
		add("what makes Emacs open the file as another kind", line)
	}
	if i > 0 {
		add("more than one headline", doc.Text(1))
	}
	if i == 0 {
		out = append(out, p.headlineFindings(doc)...)
	} else {
		out = append(out, p.drawerFindings(doc.Properties)...)
	}
	return append(out, p.bodyFindings(doc, min(i, 0))...)
}

// archiveHead is the first line that Org writes to an archive file.
const archiveHead = "#    -*- mode: org -*-\n"

// localVariables matches the local variables of a file, from first line to last.
var localVariables = regexp.MustCompile(`(?is)local variables:.*?(?:\n[^\n]*\bend:|\z)`)

// titleFrame matches the character that keeps the first word of a title from being a keyword, see text.OrgTitle.
var titleFrame = regexp.MustCompile(`(?m)^(\*+ )\x{200b}`)

// clockLine matches any line that Emacs treats as a clock, well formed or not.
var clockLine = regexp.MustCompile(`(?im)^[ \t]*CLOCK:.*$`)

// maxStars is the deepest level of a headline. With more stars it is an inline task if
// org-inlinetask is loaded.
const maxStars = 14

// headlineFindings lists the active parts of the first headline of a document and its drawer.
func (p *Place) headlineFindings(doc *org.Document) []finding {
	h := &doc.Headlines[0]
	out := p.drawerFindings(h.Properties)
	if h.Level > maxStars {
		out = append(out, finding{"a headline so deep that it is an inline task", h.Title})
	}
	if style, _ := doc.Property(0, "STYLE", false); strings.EqualFold(style, "habit") && h.Scheduled != "" && !isDrawableHabit(h.Scheduled) {
		out = append(out, finding{"a habit with a date that the agenda fails at", h.Scheduled})
	}
	if slices.Contains(h.Tags, document.CryptTag) {
		out = append(out, finding{"the tag of what is encrypted", document.CryptTag})
	}
	return out
}

func (p *Place) drawerFindings(properties []org.Property) []finding {
	var out []finding
	for _, q := range properties {
		if err := checkProperty(q.Key, q.Value, p.columns); err != nil {
			out = append(out, finding{err.Error(), q.Key + ": " + q.Value})
		}
	}
	return out
}

// bodyFindings lists the active elements and objects of a section.
func (p *Place) bodyFindings(doc *org.Document, i int) []finding {
	var out []finding
	tree := doc.Objects(i)
	for k := range tree.Elements {
		el := &tree.Elements[k]
		what, text := activeElements[el.Type], tree.Text(k)
		_, isTeX := elementTeX(tree, k)
		switch {
		case k == 0:
			continue
		case el.Body != el.Start && !el.Type.IsObject():
			what = "a line that says something about the one below"
		case el.Type == org.TypeDrawer:
			if text = withoutLog(tree, k); text != "" {
				what = "a drawer"
			}
		case el.Type == org.TypeSrcBlock && !isNeverRun(tree.Block(k)):
			what = "code that can be run"
		case el.Type == org.TypeTable && isComputed(tree, k):
			what = "a table that Org computes"
		case el.Type == org.TypeFootnoteReference && tree.Footnote(k) != "":
			what = "a footnote with a name"
		case isTeX:
			what = "TeX; formulas of agents are text"
		case el.Type == org.TypeLink:
			if why := linkProblem(tree.Link(k), p.Known); why != "" {
				what = "a link " + why
			}
		}
		if what != "" {
			out = append(out, finding{what, strings.TrimSpace(text)})
		}
	}
	return out
}

// withoutLog returns the first line of a drawer and its contents other than lists and clocks; ""
// for a drawer with nothing else, like the log of a task. An empty drawer is not a log.
func withoutLog(tree *org.Tree, k int) string {
	rest, entries := "", 0
	for child := range tree.Children(k) {
		if kind := tree.Elements[child].Type; kind == org.TypePlainList || kind == org.TypeClock {
			entries++
		} else {
			rest += tree.Text(child)
		}
	}
	if rest == "" && entries > 0 {
		return ""
	}
	return tree.Drawer(k) + "\n" + rest
}

// isNeverRun reports whether a block of code is marked by [Text] as never run.
func isNeverRun(b org.Block) bool {
	return b.Switches == "" && strings.TrimSpace(b.Parameters) == neverRunHeader && slices.Contains(languages, strings.ToLower(b.Language))
}

func isComputed(tree *org.Tree, k int) bool {
	for range tree.Formulas(k) {
		return true
	}
	return tree.IsTableEl(k)
}
