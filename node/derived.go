// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"path"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/org"
)

// ParserVersion is the version of the derived fields. When a state derived by another
// version is opened, its fields are derived again from the bytes.
const ParserVersion = 3

// Derived are the fields that the parser reads from a node's bytes. They are stored with
// the node, so that opening an image needs no parsing, and are in no digest.
type Derived struct {
	Title      string
	Todo       string // keyword as the file declares it, "" for none
	Done       bool   // Todo is one of the file's done keywords
	Priority   string
	Level      int        // stars; 0 for a document
	Tags       []string   // own tags; a document's are its FILETAGS
	Properties []Property // a document's are those of its drawer, then those of its #+PROPERTY lines that the drawer does not override
	Links      []string   // targets as written, "id:x", "*title", "#custom", in order, without repeats
	Scheduled  string     // raw timestamps
	Deadline   string
	Closed     string
	Category   string // a document's #+CATEGORY
	DeclaredID string // the :ID: in the bytes, even if another node bears it; "" if it is unusable
	BodyStart  int    // offset in Content where the body begins
	Commented  bool
	Archived   bool
	Opaque     bool // a file that is not parsed
	Encrypted  bool // has or inherits the tag crypt: only its own line is read

	TagGroups []document.TagGroup // a document's, by #+TAGS lines and those of its setup files
	Setup     []string            // sorted paths of the setup files that a document names, whether they exist or not
}

// cryptTag is the tag of headlines that org-crypt encrypts.
const cryptTag = "crypt"

// Equal reports whether all fields are equal.
func (d *Derived) Equal(o *Derived) bool {
	return d.Title == o.Title && d.Todo == o.Todo && d.Done == o.Done && d.Priority == o.Priority && d.Level == o.Level &&
		d.Scheduled == o.Scheduled && d.Deadline == o.Deadline && d.Closed == o.Closed &&
		d.Category == o.Category && d.DeclaredID == o.DeclaredID && d.BodyStart == o.BodyStart &&
		d.Commented == o.Commented && d.Archived == o.Archived && d.Opaque == o.Opaque && d.Encrypted == o.Encrypted &&
		slices.Equal(d.Tags, o.Tags) && slices.Equal(d.Properties, o.Properties) &&
		slices.Equal(d.Links, o.Links) && slices.Equal(d.Setup, o.Setup) &&
		slices.EqualFunc(d.TagGroups, o.TagGroups, func(a, b document.TagGroup) bool {
			return a.Name == b.Name && a.Exclusive == b.Exclusive && slices.Equal(a.Members, b.Members)
		})
}

// Property is one line of a property drawer, unchanged.
type Property struct{ Key, Value string }

// Property returns the values of a property of the node itself: that of the last KEY line,
// as in Org, then those of the KEY+ lines in file order. Case is ignored.
func (d *Derived) Property(key string) []string {
	var out, added []string
	for _, p := range d.Properties {
		name, adds := strings.CutSuffix(p.Key, "+")
		switch {
		case !strings.EqualFold(name, key):
		case adds:
			added = append(added, p.Value)
		default:
			out = append(out[:0], p.Value)
		}
	}
	return append(out, added...)
}

// PropertyLists returns the results of Property for all keys, by key in upper case. The
// caller owns the map. O(properties).
func (d *Derived) PropertyLists() map[string][]string {
	plain, added := map[string][]string{}, map[string][]string{}
	for _, p := range d.Properties {
		key, adds := strings.CutSuffix(strings.ToUpper(p.Key), "+")
		if adds {
			added[key] = append(added[key], p.Value)
		} else {
			plain[key] = []string{p.Value}
		}
	}
	for key, values := range added {
		plain[key] = append(plain[key], values...)
	}
	return plain
}

// last returns the trimmed value of the last line of a property, which is the effective
// one.
func (d *Derived) last(key string) string {
	for _, p := range slices.Backward(d.Properties) {
		if strings.EqualFold(p.Key, key) {
			return strings.TrimSpace(p.Value)
		}
	}
	return ""
}

// BaseName returns the name of a document without a title: its file name without folder
// and extension.
func BaseName(p string) string {
	b := path.Base(p)
	return strings.TrimSuffix(b, path.Ext(b))
}

// deriver reads the derived fields of a document's nodes.
type deriver struct {
	path      string
	doc       *org.Document
	encrypted []bool // by headline; nil when no tag says so
}

func newDeriver(path string, doc *org.Document) *deriver {
	d := &deriver{path: path, doc: doc}
	own := func(h org.Headline) bool { return slices.Contains(h.Tags, cryptTag) }
	if !slices.Contains(doc.FileTags, cryptTag) && !slices.ContainsFunc(doc.Headlines, own) {
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
	return slices.Contains(d.doc.FileTags, cryptTag)
}

// document reads the fields of the document itself.
func (d *deriver) document() *Derived {
	doc := d.doc
	x := &Derived{
		Title: doc.Title, Tags: doc.FileTags, Category: doc.Category, TagGroups: doc.TagGroups,
		Properties: properties(doc.Properties, doc.FileValues()),
		BodyStart:  afterSettings(doc.Source[:doc.SectionEnd], max(doc.Start, doc.DrawerEnd)),
		Encrypted:  slices.Contains(doc.FileTags, cryptTag),
		Setup:      setupPaths(d.path, doc),
	}
	if !x.Encrypted {
		x.Links = links(doc, -1, doc.SectionEnd)
	}
	x.DeclaredID = declared(doc.Properties)
	return x
}

// headline reads the fields of headline i.
func (d *deriver) headline(i int) *Derived {
	h := &d.doc.Headlines[i]
	x := &Derived{
		Title: h.Title, Todo: h.Todo, Done: h.Done, Priority: h.Priority, Level: h.Level,
		Tags: h.Tags, Properties: properties(h.Properties, nil),
		Scheduled: h.Scheduled, Deadline: h.Deadline, Closed: h.Closed,
		BodyStart: max(h.TextEnd, h.PlanningEnd, h.DrawerEnd) - h.Start, Commented: h.Commented, Archived: h.Archived,
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

func properties(drawer, lines []org.Property) []Property {
	if len(drawer)+len(lines) == 0 {
		return nil
	}
	out := make([]Property, 0, len(drawer)+len(lines))
	for _, p := range drawer {
		out = append(out, Property{p.Key, p.Value})
	}
	last := map[string]string{} // by key in upper case: the value of the last line in the drawer
	if len(lines) > 0 {
		for _, p := range drawer {
			last[strings.ToUpper(p.Key)] = p.Value
		}
	}
	for _, p := range lines { // the drawer overrides a line
		if value, ok := last[strings.ToUpper(p.Key)]; !ok || value == "nil" {
			out = append(out, Property{p.Key, p.Value})
		}
	}
	return out
}

// plain returns the value of the last line of a drawer with exactly this key, ignoring
// case.
func plain(drawer []org.Property, key string) (value string, ok bool) {
	for _, p := range slices.Backward(drawer) {
		if strings.EqualFold(p.Key, key) {
			return p.Value, true
		}
	}
	return "", false
}

// links returns the distinct link targets of headline i's own text up to the offset end;
// of the zeroth section if i is -1.
func links(doc *org.Document, i, end int) []string {
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
func LinkLines(content string) map[string]int {
	lines := map[string]int{}
	line, from := 0, 0
	for l := range org.Links(content) {
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
func written(l org.Link) string {
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
