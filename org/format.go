// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"strings"

	"github.com/fovea-memory/fovea/document"
)

// Format is Org as a format of documents, read under Defaults, which may be nil.
type Format struct{ Defaults *Defaults }

// Owns reports whether a path ends in .org or .org_archive.
func (Format) Owns(path string) bool { return document.IsOrgPath(path) }

// Fingerprint returns that of the defaults.
func (f Format) Fingerprint() uint64 { return f.Defaults.Fingerprint() }

// Options returns the options to parse the document at a path; files returns its setup
// files. A file that names itself as its setup file adds no settings.
func (f Format) Options(path string, files document.Files) *Options {
	if files == nil {
		return &Options{Defaults: f.Defaults}
	}
	return &Options{Defaults: f.Defaults, Setup: func(name string) (string, bool) {
		p, inside := SetupPath(path, name)
		if !inside {
			return "", false
		}
		if p == path {
			return "", true
		}
		text, ok := files(p)
		if !ok || f.KeptWhole(text) != "" {
			return "", false
		}
		return text, true
	}}
}

// Text is a parsed text as an Editor returns it.
type Text struct{ *Document }

// Source returns the text.
func (t Text) Source() string { return t.Document.Source }

// Headlines returns the number of headlines.
func (t Text) Headlines() int { return len(t.Document.Headlines) }

// Own returns the offsets of the own text of headline i, or of the zeroth section.
func (t Text) Own(i int) (start, end int) {
	if i < 0 {
		return 0, t.SectionEnd
	}
	h := &t.Document.Headlines[i]
	return h.Start, h.SectionEnd
}

// Keywords returns the TODO keywords in effect.
func (t Text) Keywords() (all, done []string) { return t.Todo.All, t.Todo.Done }

// Parse parses a text of the document at a path.
func (f Format) Parse(path, text string, files document.Files) document.Text {
	return Text{Parse(text, f.Options(path, files))}
}

// Document is Parse, but returns nil for a text that is kept whole.
func (f Format) Document(path, text string, files document.Files) *Document {
	if f.KeptWhole(text) != "" {
		return nil
	}
	return Parse(text, f.Options(path, files))
}

// Outline reads the document and its headlines. A text over the limits is one opaque
// part, with a problem that states the reason, unless it was stored in parts.
func (f Format) Outline(path string, stored []document.Part, files document.Files) *document.Outline {
	text := document.Join(stored)
	if len(stored) == 1 {
		if why := f.KeptWhole(text); why != "" {
			o := document.Opaque{}.Outline(path, stored, files)
			o.Problems = []document.Problem{{Path: path, Line: 1, Kind: "syntax", Message: why}}
			return o
		}
	}
	return Parse(text, f.Options(path, files)).toOutline(path)
}

// Extend parses top and more together, see document.Editor.
func (f Format) Extend(path, top, more string, size, count int, files document.Files) *document.Outline {
	if !strings.HasPrefix(more, "*") || strings.Contains(top, "<<<") || size+len(more) > MaxParsed || HasMoreHeadlines(more, MaxHeadlines) {
		return nil
	}
	doc := Parse(top+more, f.Options(path, files))
	if doc.SectionEnd != len(top) || count+len(doc.Headlines) > MaxHeadlines {
		return nil
	}
	return doc.toOutline(path)
}

// LinkTitle returns a title without statistics cookies.
func (Format) LinkTitle(title string) string { return WithoutCookies(title) }

// toOutline returns the outline of the document: the document, then its headlines.
func (d *Document) toOutline(path string) *document.Outline {
	o := &document.Outline{Label: func(_ int, property string) string { return property + " " }, Parts: make([]document.Part, len(d.Headlines)+1)}
	derive := newDeriver(path, d)
	o.Parts[0] = document.Part{
		Parent: -1, Type: document.TypeDocument, Content: d.Source[:d.SectionEnd], Derived: derive.top(), Line: 1,
	}
	o.Parts[0].Derived.DeclaredID, o.Parts[0].Refused = d.declaredID()
	line, at := 1, 0
	for i := range d.Headlines {
		h := &d.Headlines[i]
		line += strings.Count(d.Source[at:h.Start], "\n")
		at = h.Start
		x := derive.headline(i)
		o.Parts[i+1] = document.Part{
			Parent: int(h.Parent) + 1, Type: document.TypeHeadline, Content: d.Text(i), Derived: x,
			Key:    document.Key{Title: d.OwnTitle(i)}, // independent of the defaults: ids depend on the files alone
			Custom: x.Last("CUSTOM_ID"), Line: line,
		}
		x.DeclaredID, o.Parts[i+1].Refused = h.declaredID()
	}
	for _, found := range d.Diagnostics {
		o.Problems = append(o.Problems, document.Problem{Path: path, Line: found.Line, Kind: "syntax", Message: found.Message})
	}
	return o
}

// declaredID returns the id that a drawer declares, or why it cannot be used. Both are ""
// if the drawer declares none.
func (d *Drawer) declaredID() (id, refused string) {
	value, _ := lastValue(d.Properties, "ID")
	id = strings.TrimSpace(value)
	if refused = document.UnusableID(id); refused != "" {
		return "", refused
	}
	return id, ""
}

// IsLocal reports whether the own text of a headline, as returned by [Document.Text],
// is parsed in the same way in every document with the same settings and affects nothing
// outside it: it contains no setting and no radio target. It takes time in proportion
// to the text.
func (Format) IsLocal(text string) bool {
	if strings.Contains(text, "<<<") {
		return false
	}
	if !strings.Contains(text, "#+") {
		return true
	}
	s := scanner{src: text}
	s.scan(0)
	return len(s.keywords) == 0
}
