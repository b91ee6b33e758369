// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"iter"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
)

// deriver reads the derived fields of a document's nodes.
type deriver struct {
	path      string
	doc       *Document
	encrypted []bool // the document, then its headlines: has or inherits the tag crypt
}

func newDeriver(path string, doc *Document) *deriver {
	d := &deriver{path: path, doc: doc, encrypted: make([]bool, len(doc.Headlines)+1)}
	d.encrypted[0] = slices.Contains(doc.FileTags, document.CryptTag)
	for i := range doc.Headlines { // a parent precedes its children
		h := &doc.Headlines[i]
		d.encrypted[i+1] = d.encrypted[h.Parent+1] || slices.Contains(h.Tags, document.CryptTag)
	}
	return d
}

// top reads the fields of the document itself.
func (d *deriver) top() *document.Derived {
	doc := d.doc
	x := &document.Derived{
		Title: doc.Title, Tags: doc.FileTags, Category: doc.Category, TagGroups: doc.TagGroups,
		Properties: properties(doc.Properties, doc.FileValues()),
		BodyStart:  doc.bodyStart(),
		Encrypted:  d.encrypted[0],
		Setup:      setupPaths(d.path, doc),
	}
	if !x.Encrypted {
		x.Links = distinctTargets(doc.Links(-1), doc.SectionEnd)
	}
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
		Encrypted: d.encrypted[i+1],
	}
	end := h.SectionEnd
	if x.Encrypted {
		end = h.TextEnd
	}
	x.Links = distinctTargets(d.doc.Links(i), end)
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
	for _, p := range lines { // the drawer overrides them
		if value, ok := last[strings.ToUpper(p.Key)]; !ok || value == "nil" {
			out = append(out, document.Property{Key: p.Key, Value: p.Value})
		}
	}
	return out
}

// distinctTargets returns the distinct targets of the links that end at limit or before.
func distinctTargets(links iter.Seq[Link], limit int) []string {
	var out []string
	seen := map[string]bool{}
	for l := range links {
		if target := written(l); l.End <= limit && !seen[target] {
			seen[target] = true
			out = append(out, target)
		}
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

// bodyStart returns the offset at which the text of the document itself begins: after its
// drawer and first settings.
func (d *Document) bodyStart() int {
	return afterSettings(d.Source[:d.SectionEnd], max(d.Start, d.DrawerEnd))
}

// afterSettings returns the offset after the #+KEY: lines and blank lines at the beginning
// of a document.
func afterSettings(text string, from int) int {
	for l := range linesOf(text, from, len(text)) {
		trimmed := strings.TrimSpace(l.text(text))
		key, _, isSetting := strings.Cut(trimmed, ":")
		switch {
		case isSetting && strings.HasPrefix(key, "#+") && !strings.ContainsAny(key, " \t"):
			from = l.next
		case trimmed != "":
			return from
		}
	}
	return from
}

// LinkTargets returns the link targets of a text that may contain headlines.
func LinkTargets(text string) []string { return distinctTargets(Links(text), len(text)) }
