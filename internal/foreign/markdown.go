// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foreign

import (
	"bytes"
	"cmp"
	"errors"
	"path"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"go.yaml.in/yaml/v4"

	"github.com/fovea-memory/fovea/internal/corpus"
)

// markdown reads the front matter of a file.
func (r *reader) markdown(name string, text []byte) *note {
	stem := strings.TrimSuffix(name, path.Ext(name))
	m := r.note(name, stem+".org", text)
	head, body, err := corpus.CutFrontMatter(string(text))
	m.text = body
	var top *yaml.Node
	if err == nil {
		top, err = corpus.ParseFrontMatter(head)
	}
	switch {
	case err == nil:
		fields, _ := valueOf(top).([]field)
		for i, f := range fields { // [[Note]] is a list to YAML
			if all, ok := texts(f.value); ok && len(all) == 1 {
				fields[i].value = all[0]
			}
		}
		title := "title"
		if r.Kind == Claude {
			title = "name"
		}
		m.Title = oneLine(pop(&fields, title))
		m.has[propertyKey(title)] = m.Title != "" // a second one is reported
		m.take("", fields)
	case !errors.Is(err, corpus.ErrNone):
		r.problem(name, "%v; it stays as text", err)
		m.text = asCode(head) + body
	}
	m.Title = cmp.Or(m.Title, path.Base(stem))
	m.names = append(m.names, name, stem, path.Base(stem), m.Title)
	m.raw = m.Title + m.text // its title is made inert where it is written
	return m
}

// asCode returns invalid front matter as a block of code, so that it is not parsed as Markdown.
func asCode(head string) string {
	if head == "" {
		return ""
	}
	fence := strings.Repeat("`", 3+strings.Count(head, "`")) // longer than any in it
	return fence + "yaml\n" + strings.TrimRight(head, "\r\n") + "\n" + fence + "\n\n"
}

// names finds the target documents of links.
type names map[string]*note

// newNames collects the names of all documents; the first of two with the same name keeps it.
func newNames(all []*note) names {
	n := names{}
	for _, m := range all {
		for _, name := range m.names {
			key := Fold(name)
			if _, taken := n[key]; !taken {
				n[key] = m
			}
		}
	}
	return n
}

// wiki returns the target document of [[target]].
func (n names) wiki(target string) *note {
	target, _, _ = strings.Cut(target, "#")
	target = Fold(strings.TrimSpace(target))
	if m := n[target]; m != nil {
		return m
	}
	return n[strings.TrimSuffix(target, ".md")]
}

// path returns the target document of a relative link in a file.
func (n names) path(from, target string) *note {
	target, _, _ = strings.Cut(target, "#")
	if target == "" || strings.Contains(target, "://") {
		return nil
	}
	if m := n[Fold(path.Join(path.Dir(from), target))]; m != nil && !strings.HasPrefix(target, "/") {
		return m
	}
	return n[Fold(strings.TrimPrefix(path.Clean(target), "/"))]
}

// wikiLink is [[target]] or [[target|label]]. Unlike other links, it may be in the label of a link.
type wikiLink struct {
	ast.Link
	target, label string
}

// maxWiki is the maximum length of a wiki link in bytes, and so of the search for the end of a bracket.
const maxWiki = 1 << 10

// wikiForm matches a wiki link at the beginning of a text, with its contents.
var wikiForm = regexp.MustCompile(`^!?\[\[([^\[\n]*?)]]`)

// wikiParser parses wiki links, including embedded ones (![[x]]), before the links of Markdown.
type wikiParser struct{}

func (wikiParser) Trigger() []byte { return []byte{'[', '!'} }

func (wikiParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	found := wikiForm.FindSubmatch(line[:min(len(line), maxWiki)])
	if found == nil || len(bytes.TrimSpace(found[1])) == 0 {
		return nil
	}
	target, label, named := strings.Cut(string(found[1]), "|")
	if target = strings.TrimSuffix(target, `\`); !named {
		label = target
	}
	block.Advance(len(found[0]))
	return &wikiLink{target: target, label: strings.TrimSpace(label)}
}
