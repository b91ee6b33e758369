// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ast

import (
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/org"
)

// Derive returns the derived fields of a node of a tree: the links from its content, all
// others from its attributes.
func Derive(attrs []document.Attr, content string, in Above) *document.Derived {
	d := &document.Derived{Level: in.Level}
	todoType := ""
	for _, a := range attrs {
		switch a.Key {
		case "ID":
			d.DeclaredID = document.DeclaredID(attrs)
		case "TITLE":
			d.Title = a.Value.String()
		case "TODO":
			d.Todo = a.Value.String()
		case "TODO-TYPE":
			todoType = document.Lower(a.Value.String())
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
	d.Done = isDone(d.Todo, todoType)
	d.Archived = slices.Contains(d.Tags, "ARCHIVE")
	d.Encrypted = in.Encrypted || slices.Contains(d.Tags, document.CryptTag)
	d.Properties = attrProperties(attrs)
	if !d.Encrypted {
		d.Links = org.LinkTargets(content)
	}
	return d
}

// isDone reports whether a keyword means done: by its type if there is one, else by its name.
func isDone(todo, todoType string) bool {
	return todoType == "done" || todoType == "" && slices.Contains(doneWords, document.Upper(todo))
}

// doneWords are the keywords that mean done without a TODO-TYPE.
var doneWords = []string{"DONE", "CANCELLED", "CANCELED"}

// priority reads a priority, which org-element represents by the code of its letter.
func priority(v document.Value) string {
	if c := v.Int(); c >= 'A' && c <= 'Z' {
		return string(rune(c))
	}
	return v.String()
}

// tags reads tags: a list, one tag, or as a headline writes them, ":a:b:".
func tags(v document.Value) []string {
	var out []string
	seen := map[string]bool{}
	for item := range v.Each() {
		for tag := range strings.FieldsFuncSeq(item.String(), func(r rune) bool { return r == ':' || r == ' ' }) {
			if !seen[tag] {
				seen[tag] = true
				out = append(out, tag)
			}
		}
	}
	return out
}

// attrProperties returns attributes as properties of a drawer: the first item of a list as
// KEY, the others as KEY+. It leaves out null.
func attrProperties(attrs []document.Attr) []document.Property {
	out := slices.Grow([]document.Property(nil), len(attrs)+1)
	for _, a := range attrs {
		if a.Value.Kind() == document.KindNull {
			continue
		}
		key := a.Key
		for item := range a.Value.Each() {
			out = append(out, document.Property{Key: key, Value: item.String()})
			key = a.Key + "+"
		}
	}
	return out
}
