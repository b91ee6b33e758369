// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
)

// deriver reads the derived fields of a document's nodes.
type deriver struct {
	path      string
	doc       *Document
	encrypted []bool // by headline; nil when no tag says so
}

func newDeriver(path string, doc *Document) *deriver {
	d := &deriver{path: path, doc: doc}
	own := func(h Headline) bool { return slices.Contains(h.Tags, document.CryptTag) }
	if !slices.Contains(doc.FileTags, document.CryptTag) && !slices.ContainsFunc(doc.Headlines, own) {
		return d
	}
	d.encrypted = make([]bool, len(doc.Headlines))
	for i := range doc.Headlines { // a parent precedes its children
		d.encrypted[i] = d.inherits(i) || own(doc.Headlines[i])
	}
	return d
}

// inherits reports whether headline i inherits the tag crypt.
func (d *deriver) inherits(i int) bool {
	if p := d.doc.Headlines[i].Parent; p >= 0 {
		return d.encrypted[p]
	}
	return slices.Contains(d.doc.FileTags, document.CryptTag)
}

// document reads the fields of the document itself.
func (d *deriver) top() *document.Derived {
	doc := d.doc
	x := &document.Derived{
		Title: doc.Title, Tags: doc.FileTags, Category: doc.Category, TagGroups: doc.TagGroups,
		Properties: properties(doc.Properties, doc.FileValues()),
		BodyStart:  afterSettings(doc.Source[:doc.SectionEnd], max(doc.Start, doc.DrawerEnd)),
		Encrypted:  slices.Contains(doc.FileTags, document.CryptTag),
		Setup:      setupPaths(d.path, doc),
	}
	if !x.Encrypted {
		x.Links = links(doc, -1, doc.SectionEnd)
	}
	x.DeclaredID = declared(doc.Properties)
	return x
}

// headline reads the fields of headline i.
func (d *deriver) headline(i int) *document.Derived {
	h := &d.doc.Headlines[i]
	x := &document.Derived{
		Title: h.Title, Todo: h.Todo, Done: h.Done, Priority: h.Priority, Level: h.Level,
		Tags: h.Tags, Properties: properties(h.Properties, nil),
		Scheduled: h.Scheduled, Deadline: h.Deadline, Closed: h.Closed,
		BodyStart: h.metadataEnd() - h.Start, Commented: h.Commented, Archived: h.Archived,
		Encrypted: d.encrypted != nil && d.encrypted[i],
	}
	end := h.SectionEnd
	if x.Encrypted {
		end = h.TextEnd
	}
	x.Links = links(d.doc, i, end)
	x.DeclaredID = declared(h.Properties)
	return x
}

func properties(drawer, lines []Property) []document.Property {
	if len(drawer)+len(lines) == 0 {
		return nil
	}
	out := make([]document.Property, 0, len(drawer)+len(lines))
	for _, p := range drawer {
		out = append(out, document.Property{Key: p.Key, Value: p.Value})
	}
	last := map[string]string{} // by key in upper case: the value of the last line in the drawer
	if len(lines) > 0 {
		for _, p := range drawer {
			last[strings.ToUpper(p.Key)] = p.Value
		}
	}
	for _, p := range lines { // the drawer overrides a line
		if value, ok := last[strings.ToUpper(p.Key)]; !ok || value == "nil" {
			out = append(out, document.Property{Key: p.Key, Value: p.Value})
		}
	}
	return out
}

// links returns the distinct link targets of headline i's own text up to the offset end;
// of the zeroth section if i is -1.
func links(doc *Document, i, end int) []string {
	var out []string
	var seen map[string]bool
	for l := range doc.Links(i) {
		target := written(l)
		if l.End > end || seen[target] {
			continue
		}
		if seen == nil {
			seen = map[string]bool{}
		}
		seen[target] = true
		out = append(out, target)
	}
	return out
}

// LinkLines returns, for the target of each link in a node's own text, the number of
// lines before the first such link. Targets are written as in Derived.Links; those that
// an abbreviation of the document changes are missing. O(len(content)).
func (Format) LinkLines(content string) map[string]int {
	lines := map[string]int{}
	line, from := 0, 0
	for l := range Links(content) {
		line += strings.Count(content[from:l.Start], "\n")
		from = l.Start
		target := written(l)
		if _, met := lines[target]; !met {
			lines[target] = line
		}
	}
	return lines
}

// written returns a link's address as written: *title, #custom, (line), type:path and
// type:path::search.
func written(l Link) string {
	target := l.Type + ":" + l.Path
	switch l.Type {
	case "fuzzy":
		target = l.Path
	case "custom-id":
		target = "#" + l.Path
	case "coderef":
		target = "(" + l.Path + ")"
	}
	if l.Search != "" {
		target += "::" + l.Search
	}
	return target
}

// afterSettings returns the offset after the #+KEY: lines and blank lines at the beginning
// of a document.
func afterSettings(text string, from int) int {
	for at := from; at < len(text); {
		line := text[at:]
		if i := strings.IndexByte(line, '\n'); i >= 0 {
			line = line[:i+1]
		}
		at += len(line)
		trimmed := strings.TrimSpace(line)
		key, _, isSetting := strings.Cut(trimmed, ":")
		switch {
		case isSetting && strings.HasPrefix(key, "#+") && !strings.ContainsAny(key, " \t"):
			from = at
		case trimmed != "":
			return from
		}
	}
	return from
}

// LinkTargets returns the link targets of a text that may contain headlines.
func LinkTargets(text string) []string {
	if strings.IndexByte(text, ':') < 0 && !strings.Contains(text, "[[") { // a link has one of them
		return nil
	}
	doc := Parse(text, nil)
	out := links(doc, -1, len(text))
	seen := make(map[string]bool, len(out))
	for _, l := range out {
		seen[l] = true
	}
	for i := range doc.Headlines {
		for _, l := range links(doc, i, len(text)) {
			if !seen[l] {
				seen[l], out = true, append(out, l)
			}
		}
	}
	return out
}
