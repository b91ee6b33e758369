// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"path"
	"strings"

	"github.com/fovea-memory/fovea/org"
)

// ParserVersion numbers what the parser derives. A state that was derived by
// another version is derived again from its bytes when it is opened.
const ParserVersion = 1

// Derived is what the parser reads from a node's bytes. It is kept beside the
// node so that opening an image needs no parsing, and enters no digest.
type Derived struct {
	Title      string
	Todo       string // keyword as the file declares it, "" for none
	Done       bool   // Todo is one of the file's done keywords
	Priority   string
	Level      int      // stars; 0 for a document
	Tags       []string // own tags; a document's are its FILETAGS
	Properties []Property
	Links      []string // targets as written, "type:path", in order, without repeats
	Scheduled  string   // raw timestamps
	Deadline   string
	Closed     string
	Category   string // a document's #+CATEGORY
	DeclaredID string // the :ID: that stands in the bytes, whoever bears it; "" when no node could
	BodyStart  int    // offset in Content where the body begins
	Commented  bool
	Archived   bool
	Opaque     bool // a file that is not Org: hashed and kept, not parsed
}

// Property is one line of a property drawer, as it stands.
type Property struct{ Key, Value string }

// Property returns the values of a property of the node itself, in file
// order; the key is matched without case, and KEY+ adds to KEY.
func (d *Derived) Property(key string) []string {
	var out []string
	for _, p := range d.Properties {
		if strings.EqualFold(strings.TrimSuffix(p.Key, "+"), key) {
			out = append(out, p.Value)
		}
	}
	return out
}

// first returns the first value of a property, trimmed.
func (d *Derived) first(key string) string {
	for _, p := range d.Properties {
		if strings.EqualFold(p.Key, key) {
			return strings.TrimSpace(p.Value)
		}
	}
	return ""
}

// BaseName is the name a document goes by when it has no title: its file
// name without folder and ending.
func BaseName(p string) string {
	b := path.Base(p)
	return strings.TrimSuffix(b, path.Ext(b))
}

// deriveDocument fills a document's derived fields from its parse.
func deriveDocument(doc *org.Document) *Derived {
	d := &Derived{
		Title: doc.Title, Tags: doc.FileTags, Category: doc.Category,
		Properties: properties(doc.Properties, doc.FileProperties),
		Links:      links(doc.Source[doc.Start:doc.SectionEnd]),
		BodyStart:  afterSettings(doc.Source[:doc.SectionEnd], max(doc.Start, doc.DrawerEnd)),
	}
	d.DeclaredID = declared(doc.Properties)
	return d
}

// deriveHeadline fills a headline's derived fields from its parse.
func deriveHeadline(doc *org.Document, h *org.Headline) *Derived {
	body := max(h.TextEnd, h.PlanningEnd, h.DrawerEnd)
	d := &Derived{
		Title: h.Title, Todo: h.Todo, Done: h.Done, Priority: h.Priority, Level: h.Level,
		Tags: h.Tags, Properties: properties(h.Properties, nil),
		Links:     links(doc.Source[h.Start:h.SectionEnd]),
		Scheduled: h.Scheduled, Deadline: h.Deadline, Closed: h.Closed,
		BodyStart: body - h.Start, Commented: h.Commented, Archived: h.Archived,
	}
	d.DeclaredID = declared(h.Properties)
	return d
}

func properties(drawer, lines []org.Property) []Property {
	if len(drawer)+len(lines) == 0 {
		return nil
	}
	out := make([]Property, 0, len(drawer)+len(lines))
	for _, p := range drawer {
		out = append(out, Property{p.Key, p.Value})
	}
	for _, p := range lines {
		out = append(out, Property{p.Key, p.Value})
	}
	return out
}

// links lists the targets of a node's own text, without repeats.
func links(text string) []string {
	if !strings.Contains(text, "[[") && !strings.Contains(text, "id:") {
		return nil
	}
	var out []string
	seen := map[string]bool{}
	for l := range org.Links(text) {
		target := l.Path
		if l.Type != "" {
			target = l.Type + ":" + l.Path
		}
		if !seen[target] {
			seen[target] = true
			out = append(out, target)
		}
	}
	return out
}

// afterSettings returns the offset behind the #+KEY: lines and blank lines that
// a document begins with: what they say is derived, its text comes after.
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
