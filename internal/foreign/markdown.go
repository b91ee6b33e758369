// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foreign

import (
	"bytes"
	"errors"
	"path"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"go.yaml.in/yaml/v4"

	"github.com/fovea-memory/fovea/internal/inert"
	"github.com/fovea-memory/fovea/internal/skill"
)

// markdown is a Markdown file on its way to a document.
type markdown struct {
	Document
	names []string        // what links may call it
	text  string          // below the front matter
	raw   string          // of an object, the line that it was
	has   map[string]bool // its tags, with a colon before them, and the keys of its properties
}

// add reports whether a tag or a property is new to it.
func (m *markdown) add(name string) bool {
	isNew := !m.has[name]
	m.has[name] = true
	return isNew
}

// titleKeys are the keys of front matter that name a note, by kind.
var titleKeys = map[Kind]string{Claude: "name", BasicMemory: "title", OKF: "title", Markdown: "title"}

// nameKeys are keys whose values links use as names.
var nameKeys = map[string]bool{"permalink": true, "aliases": true, "alias": true}

// begin reads the front matter of a file.
func (r *reader) begin(name string, text []byte) *markdown {
	stem := strings.TrimSuffix(name, path.Ext(name))
	m := &markdown{Document: r.document(name, stem+".org", text), has: map[string]bool{}}
	head, body, err := skill.CutFrontMatter(string(text))
	m.text = body
	var top *yaml.Node
	if err == nil {
		top, err = skill.ParseFrontMatter(head)
	}
	if err == nil {
		r.head(m, "", top)
	} else if !errors.Is(err, skill.ErrNone) {
		r.problem(name, "%v; it stays as text", err)
		m.text = asCode(head) + body
	}
	if m.Title == "" {
		m.Title = path.Base(stem)
	}
	m.names = append(m.names, name, stem, path.Base(stem), m.Title)
	return m
}

// asCode returns front matter that nobody could read as a block of code, so that nothing in it is
// taken for Markdown.
func asCode(head string) string {
	if head == "" {
		return ""
	}
	fence := strings.Repeat("`", 3+strings.Count(head, "`")) // longer than any in it
	return fence + "yaml\n" + strings.TrimRight(head, "\r\n") + "\n" + fence + "\n\n"
}

// head takes the keys of front matter: title and tags, names for links, and properties. A mapping
// becomes properties with joined keys.
func (r *reader) head(m *markdown, above string, top *yaml.Node) {
	for key, v := range skill.FrontMatterPairs(top) {
		values, plain := texts(v)
		switch {
		case above == "" && key == titleKeys[r.Kind] && plain && len(values) == 1:
			if m.Title != "" {
				r.problem(m.Source, "%s is there twice, the first left out", key)
			}
			m.Title = strings.Join(strings.Fields(values[0]), " ")
			continue
		case above == "" && key == wordsKey && plain:
			m.words(r, values)
			continue
		case above == "" && key == "tags" && plain:
			m.tags(r, values)
			continue
		case v.Kind == yaml.MappingNode && above == "":
			r.head(m, key+"_", v)
			continue
		case !plain:
			r.problem(m.Source, "%s%s holds more than text, left out", above, key)
			continue
		}
		if above == "" && nameKeys[key] {
			m.names = append(m.names, values...)
		}
		m.property(r, above+key, strings.Join(values, ", "))
	}
}

// tags adds tags, of which a text may list several. One that Org cannot have as it is becomes
// another, which is told once.
func (m *markdown) tags(r *reader, texts []string) {
	for _, word := range strings.FieldsFunc(strings.Join(texts, ","), func(c rune) bool { return c == ',' || c == ';' }) {
		word = strings.TrimPrefix(strings.Trim(word, " \t\n[]\"'"), "#")
		t := tag(word)
		if inert.Lookup("tag", t).Kind != "" { // Fovea or Org would act
			t = "source_" + t
		}
		if t != word && !r.changed[word] {
			r.changed[word] = true
			r.problem(m.Source, "the tag %q cannot be that of a note here; it became %q", word, t)
		}
		switch err := inert.Tag(t); {
		case t == "" || !m.add(":"+t):
		case err != nil:
			r.problem(m.Source, "the tag %q is left out: %v", t, err)
		default:
			m.Tags = append(m.Tags, t)
		}
	}
}

// property sets a property, by another key where the plain one would act in Org or Fovea.
func (m *markdown) property(r *reader, key, value string) {
	value = inert.Line(value)
	k := propertyKey(key)
	row := inert.Lookup("property", k)
	isOfInbox := row.Only != "" && strings.HasPrefix(path.Base(m.Path), "inbox")
	if k == "" || row.By == inert.ByWriter || isOfInbox || inert.Property(k, value) != nil {
		k = propertyKey("source_" + key)
	}
	if err := inert.Property(k, value); err != nil {
		r.problem(m.Source, "%s is left out: %v", k, err)
	} else if !m.add(k) {
		r.problem(m.Source, "%s is there twice, the second left out", k)
	} else {
		m.set(k, value)
	}
}

// names finds the documents that links mean.
type names map[string]*markdown

// newNames collects what all documents are called; the first of two with one name keeps it.
func newNames(all []*markdown) names {
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

// wiki returns the document that [[target]] means.
func (n names) wiki(target string) *markdown {
	target, _, _ = strings.Cut(target, "#")
	target = Fold(strings.TrimSpace(target))
	if m := n[target]; m != nil {
		return m
	}
	return n[strings.TrimSuffix(target, ".md")]
}

// path returns the document that a relative link in a file means.
func (n names) path(from, target string) *markdown {
	target, _, _ = strings.Cut(target, "#")
	if target == "" || strings.Contains(target, "://") {
		return nil
	}
	if m := n[Fold(path.Join(path.Dir(from), target))]; m != nil && !strings.HasPrefix(target, "/") {
		return m
	}
	return n[Fold(strings.TrimPrefix(path.Clean(target), "/"))]
}

// wikiLink is [[target]] or [[target|label]]. It may stand in the label of a link, where Markdown has no other link.
type wikiLink struct {
	ast.Link
	target, label string
}

// maxWiki is the longest wiki link in bytes. Each bracket is searched only so far for its end.
const maxWiki = 1 << 10

// wikiParser finds them, embedded ones (![[x]]) too, before Markdown's own.
type wikiParser struct{}

func (wikiParser) Trigger() []byte { return []byte{'[', '!'} }

func (wikiParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	rest, ok := bytes.CutPrefix(bytes.TrimPrefix(line, []byte("!")), []byte("[["))
	if !ok {
		return nil
	}
	inside, _, ok := bytes.Cut(rest[:min(len(rest), maxWiki)], []byte("]]"))
	if !ok || len(bytes.TrimSpace(inside)) == 0 || bytes.ContainsAny(inside, "[\n") {
		return nil
	}
	target, label, named := strings.Cut(string(inside), "|")
	if target = strings.TrimSuffix(target, `\`); !named {
		label = target
	}
	block.Advance(len(line) - len(rest) + len(inside) + 2)
	return &wikiLink{target: target, label: strings.TrimSpace(label)}
}
