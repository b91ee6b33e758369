// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foreign

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

// Out is a document on its way to another program.
type Out struct {
	*node.Node
	Text string // of the Org file
}

// reserved are keys of front matter that are not set from properties.
var reserved = map[string]bool{"id": true, "title": true, "tags": true,
	"type": true, "name": true, "description": true, "metadata": true, "metadata_type": true, "permalink": true, wordsKey: true}

// Folder returns the texts of the files of documents in the format of a kind, with its index, by path,
// and the problems of parts that cannot be converted. of maps ids to the paths of their documents.
// Errors: ErrKind, that of the context.
func Folder(ctx context.Context, kind Kind, docs []Out, of map[string]string) (files map[string]string, problems []string, err error) {
	if kind == JSONLines || !slices.Contains(kinds, kind) {
		return nil, nil, fmt.Errorf("%q: %w", kind, ErrKind)
	}
	at := markdownPaths(docs)
	files, problems = map[string]string{}, []string{}
	for i := range docs {
		d := &docs[i]
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if !utf8.ValidString(d.Text) {
			problems = append(problems, d.Path+noText)
			d.Text = strings.ToValidUTF8(d.Text, "\uFFFD")
		}
		parsed := org.Parse(d.Text, nil)
		head, err := frontOf(kind, d, declaredWords(parsed))
		if err != nil {
			return nil, nil, err
		}
		body := ToMarkdown(parsed, func(id string) string {
			to, ok := of[id]
			if !ok || to == d.Path {
				return ""
			}
			way, _ := filepath.Rel(path.Dir(d.Path), at[to]) // both are below the memex
			return filepath.ToSlash(way)
		})
		files[at[d.Path]] = head + "\n" + body
	}
	index := map[Kind]string{Claude: "MEMORY.md", OKF: "index.md"}[kind]
	if index != "" && !slices.ContainsFunc(slices.Collect(maps.Keys(files)), func(name string) bool { return strings.EqualFold(name, index) }) {
		files[index] = indexOf(kind, docs, at)
	}
	return files, problems, nil
}

// noText is the problem of a text that is not UTF-8.
const noText = ": bytes that are not UTF-8 became U+FFFD"

// markdownPaths returns the path of the file of each document, by its own. If some file systems would
// treat two as equal, the later one has a digest in its name.
func markdownPaths(docs []Out) map[string]string {
	at, taken := map[string]string{}, map[string]bool{}
	for i := range docs {
		to := markdownPath(docs[i].Path)
		if taken[Fold(to)] {
			to = distinct(strings.TrimSuffix(to, ".md"), docs[i].Path) + ".md"
		}
		at[docs[i].Path], taken[Fold(to)] = to, true
	}
	return at
}

// markdownPath returns the path of the exported file. An archive, NOTES.org_archive, keeps its
// extension, so that it does not replace NOTES.org.
func markdownPath(at string) string { return strings.TrimSuffix(at, ".org") + ".md" }

// front is front matter: the keys that some kind or Fovea reads, and the properties of the file.
type front struct {
	Type        string            `yaml:"type,omitempty"`
	Name        string            `yaml:"name,omitempty"`
	Description string            `yaml:"description,omitempty"`
	Metadata    map[string]string `yaml:"metadata,omitempty"`
	Title       string            `yaml:"title,omitempty"`
	Permalink   string            `yaml:"permalink,omitempty"`
	Tags        []string          `yaml:"tags,omitempty"`
	Words       []string          `yaml:"todo_words,omitempty"`
	ID          string            `yaml:"id"`
	Properties  map[string]string `yaml:",inline"`
}

// frontOf returns the front matter of a document. words are the TODO words that it declares.
func frontOf(kind Kind, d *Out, words []string) (string, error) {
	f := front{Title: d.Title(), Tags: d.Derived.Tags, Words: words, ID: d.ID, Properties: map[string]string{}}
	properties := map[string]string{}
	for _, p := range d.Derived.Properties {
		key := strings.ToLower(p.Key)
		properties[key] = p.Value
		if !reserved[key] && !strings.HasPrefix(key, "imported_") {
			f.Properties[key] = p.Value
		}
	}
	kindOf := cmp.Or(properties["type"], properties["metadata_type"], "note")
	switch kind {
	case Claude:
		f.Name, f.Title = f.Title, ""
		f.Description, f.Metadata = cmp.Or(properties["description"], f.Name), map[string]string{"type": kindOf}
	case OKF:
		f.Type = kindOf
	case BasicMemory:
		f.Type, f.Permalink = kindOf, strings.TrimSuffix(d.Path, path.Ext(d.Path))
	}
	text, err := yaml.Marshal(f)
	return "---\n" + string(text) + "---\n", err
}

// indexOf lists the documents, a line each.
func indexOf(kind Kind, docs []Out, at map[string]string) string {
	var b strings.Builder
	if kind == OKF {
		b.WriteString("---\ntype: index\ntitle: Index\n---\n\n")
	}
	for _, d := range docs {
		fmt.Fprintf(&b, "- [%s](%s)\n", withoutBrackets.Replace(d.Title()), strings.ReplaceAll(at[d.Path], " ", "%20"))
	}
	return b.String()
}

// formatOrg is the format of contents in Org; others are read as Markdown.
const formatOrg = "org"

// Object is a note in the form of a JSON line.
type Object struct {
	ID         string              `json:"id"`
	Title      string              `json:"title"`
	Path       string              `json:"path"`
	Todo       string              `json:"todo,omitempty"`
	Tags       []string            `json:"tags,omitempty"`
	Properties map[string][]string `json:"properties,omitempty"`
	Format     string              `json:"format"`  // org
	Content    string              `json:"content"` // below the headline
}

// Exported reports whether the object is one that ToLines wrote.
func (o *Object) Exported() bool { return o.Format == formatOrg && o.ID != "" && o.Path != "" }

// ToLines returns notes as JSON objects, one a line, and the problems of texts that are not UTF-8.
func ToLines(notes []*node.Node) (lines string, problems []string) {
	problems = []string{}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, n := range notes {
		o := Object{n.ID, n.Title(), n.Path, n.Derived.Todo, n.Derived.Tags, n.Derived.PropertyLists(), formatOrg, n.Body()}
		if !utf8.ValidString(o.Content + o.Title) {
			problems = append(problems, n.Path+noText)
		}
		_ = enc.Encode(o) // texts and lists always encode
	}
	return b.String(), problems
}
