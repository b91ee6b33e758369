// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ast

import (
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/org"
)

// Derive returns the derived fields of a node of a tree: from its attributes, but
// for the links in its content.
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

// isDone reports whether a keyword means done: as its type says, else by the keyword.
func isDone(todo, todoType string) bool {
	return todoType == "done" || todoType == "" && slices.Contains(doneWords, document.Upper(todo))
}

// doneWords are the keywords that mean done without a TODO-TYPE.
var doneWords = []string{"DONE", "CANCELLED", "CANCELED"}

// priority reads a priority; org-element gives the code of its letter.
func priority(v document.Value) string {
	if c := v.Int(); c >= 'A' && c <= 'Z' {
		return string(rune(c))
	}
	return v.String()
}

// fewTags is the number of tags up to which a linear search is faster than a map.
const fewTags = 16

// tags reads tags: a list, one tag, or as a headline writes them, ":a:b:".
func tags(v document.Value) []string {
	var out []string
	var seen map[string]bool // nil while they are few
	for item := range v.Each() {
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
				out = make([]string, 0, v.Count())
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

// attrProperties returns attributes as properties of a drawer: the items of a list after
// its first as KEY+, null not at all.
func attrProperties(attrs []document.Attr) []document.Property {
	count := 0
	for _, a := range attrs {
		count += a.Value.Count()
	}
	if count == 0 {
		return nil
	}
	out := make([]document.Property, 0, count)
	for _, a := range attrs {
		key := a.Key
		switch a.Value.Kind() {
		case document.KindNull:
		case document.KindList:
			for item := range a.Value.Each() {
				out = append(out, document.Property{Key: key, Value: item.String()})
				key = a.Key + "+"
			}
		default:
			out = append(out, document.Property{Key: key, Value: a.Value.String()})
		}
	}
	return out
}
