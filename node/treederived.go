// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/org"
)

// above is what a node of a tree takes over from the one it hangs below.
type above struct {
	level     int
	encrypted bool
}

// below returns what the children of a node take over.
func (n *Node) below() above { return above{n.Derived.Level + 1, n.Derived.Encrypted} }

// fits reports whether a node of a tree, derived before, would be derived the
// same at this place.
func (n *Node) fits(up above) bool {
	return n.Derived != nil && n.Derived.Level == up.level && n.Derived.Encrypted == (up.encrypted || slices.Contains(n.Derived.Tags, cryptTag))
}

// Under returns a node that came as a tree as it is below parent, nil for a root:
// the very node where it was derived for such a place, else a copy with derived
// fields of its own. The nodes below it are not looked at.
func (n *Node) Under(parent *Node) *Node {
	var up above
	if parent != nil {
		up = parent.below()
	}
	if n.fits(up) {
		return n
	}
	c := *n
	c.deriveTree(&Derived{}, up)
	return &c
}

// deriveTree fills the derived fields of a node that came as a tree from its
// attributes, but for a declared id that d has already; only links are read from its
// content.
func (n *Node) deriveTree(d *Derived, up above) {
	d.Level = up.level
	todoType := ""
	for _, a := range n.Attrs {
		switch a.Key {
		case "ID":
			if d.DeclaredID == "" {
				d.DeclaredID = declaredIn(n.Attrs)
			}
		case "TITLE":
			d.Title = a.Value.String()
		case "TODO":
			d.Todo = a.Value.String()
		case "TODO-TYPE":
			todoType = lower(a.Value.String())
		case "PRIORITY":
			d.Priority = priority(a.Value)
		case "TAGS":
			d.Tags = tags(a.Value)
		case "SCHEDULED":
			d.Scheduled = a.Value.String()
		case "DEADLINE":
			d.Deadline = a.Value.String()
		case "CLOSED":
			d.Closed = a.Value.String()
		}
	}
	d.Done = todoType == "done" || todoType == "" && slices.Contains(doneWords, upper(d.Todo))
	d.Archived = slices.Contains(d.Tags, "ARCHIVE")
	d.Encrypted = up.encrypted || slices.Contains(d.Tags, cryptTag)
	d.Properties = attrProperties(n.Attrs)
	if !d.Encrypted {
		d.Links = contentLinks(n.Content)
	}
	n.Derived = d
}

// doneWords are the keywords that say done where no TODO-TYPE says which.
var doneWords = []string{"DONE", "CANCELLED", "CANCELED"}

// priority reads a priority; org-element gives the code of its letter.
func priority(v Value) string {
	if c := v.Int(); c >= 'A' && c <= 'Z' {
		return string(rune(c))
	}
	return v.String()
}

// fewTags is how many tags are looked through rather than looked up.
const fewTags = 16

// tags reads tags: a list, one tag, or as a headline writes them, ":a:b:".
func tags(v Value) []string {
	var out []string
	var seen map[string]bool // nil while they are few
	for item := range v.each() {
		text := item.String()
		for text != "" {
			end := strings.IndexAny(text, ": ")
			if end < 0 {
				end = len(text)
			}
			tag := text[:end]
			text = text[min(end+1, len(text)):]
			if tag == "" || seen[tag] || seen == nil && slices.Contains(out, tag) {
				continue
			}
			if out == nil {
				out = make([]string, 0, v.count())
			}
			if out = append(out, tag); len(out) == fewTags {
				seen = make(map[string]bool)
				for _, t := range out {
					seen[t] = true
				}
			} else if seen != nil {
				seen[tag] = true
			}
		}
	}
	return out
}

// attrProperties gives attributes as a drawer would: the items after a list's
// first as KEY+, null not at all.
func attrProperties(attrs []Attr) []Property {
	count := 0
	for _, a := range attrs {
		count += a.Value.count()
	}
	if count == 0 {
		return nil
	}
	out := make([]Property, 0, count)
	for _, a := range attrs {
		key := a.Key
		switch a.Value.Kind() {
		case KindNull:
		case KindList:
			for item := range a.Value.each() {
				out = append(out, Property{key, item.String()})
				key = a.Key + "+"
			}
		default:
			out = append(out, Property{key, a.Value.String()})
		}
	}
	return out
}

// contentLinks lists the targets of the links of a text that may hold headlines.
func contentLinks(text string) []string {
	if strings.IndexByte(text, ':') < 0 && !strings.Contains(text, "[[") { // a link has one of them
		return nil
	}
	doc := org.Parse(text, nil)
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

// rederiveTree gives the nodes of a tree fresh derived fields; those that have
// them already stay the very nodes.
func rederiveTree(nodes []*Node) ([]*Node, error) {
	out := make([]*Node, len(nodes))
	at := make(map[string]*Node)
	for i, n := range nodes {
		parent := at[n.Parent]
		if i > 0 && parent == nil {
			return nil, ErrShape
		}
		out[i] = n.Under(parent)
		if len(n.Kids) > 0 {
			at[n.ID] = out[i]
		}
	}
	return out, nil
}
