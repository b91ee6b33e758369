// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foreign

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"go.yaml.in/yaml/v4"

	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/inert"
)

// note is a note that is being converted to a document.
type note struct {
	Document
	r     *reader
	names []string        // by which links may refer to it
	text  string          // Markdown
	raw   string          // the source of its title and text
	has   map[string]bool // its tags, with a colon before them, and the keys of its properties
}

// note returns a new note with id, path and digest.
func (r *reader) note(source, at string, text []byte) *note {
	key := "fovea import\x00" + string(r.Kind) + "\x00" + r.Label + "\x00" + source
	return &note{r: r, has: map[string]bool{}, Document: Document{
		Source: source, Path: at, Digest: TextDigest(string(text)),
		ID: uuid.NewHash(sha256.New(), uuid.NameSpaceURL, []byte(key), 8).String(),
	}}
}

func (m *note) problem(format string, a ...any) { m.r.problem(m.Source, format, a...) }

// add records the name of a tag or a property, and reports whether it is new.
func (m *note) add(name string) bool {
	isNew := !m.has[name]
	m.has[name] = true
	return isNew
}

// replaced reports the number of characters that became U+FFFD: those that control a terminal, are
// invisible or reorder text, and invalid bytes.
func (m *note) replaced() {
	const gone = "\uFFFD"
	if n := strings.Count(m.Title, gone) + strings.Count(m.Body, gone) - strings.Count(m.raw, gone); n > 0 {
		m.problem("characters that are not shown, or are no text, became U+FFFD: %d", n)
	}
}

// field is a key of front matter or of a JSON object with its value: nil, a text, true or false, a list or fields.
type field struct {
	key   string
	value any
}

// valueOf converts a value of JSON or YAML to that of a field. Fields of JSON are sorted.
func valueOf(v any) any {
	switch v := v.(type) {
	case json.Number:
		return v.String()
	case []any:
		for i := range v {
			v[i] = valueOf(v[i])
		}
	case map[string]any:
		var all []field
		for _, key := range slices.Sorted(maps.Keys(v)) {
			all = append(all, field{key, valueOf(v[key])})
		}
		return all
	case *yaml.Node:
		return valueOfYAML(v)
	}
	return v
}

func valueOfYAML(v *yaml.Node) any {
	switch {
	case v.Kind == yaml.ScalarNode && v.Tag == "!!null":
		return nil
	case v.Kind == yaml.ScalarNode:
		return v.Value
	case v.Kind == yaml.SequenceNode:
		list := []any{}
		for _, item := range v.Content {
			list = append(list, valueOfYAML(item))
		}
		return list
	}
	var all []field
	for key, v := range corpus.FrontMatterPairs(v) {
		all = append(all, field{key, valueOfYAML(v)})
	}
	return all
}

// texts returns a value as texts, and whether it consists only of texts.
func texts(v any) (all []string, ok bool) {
	switch v := v.(type) {
	case nil:
		return nil, true
	case string:
		return []string{v}, true
	case bool:
		return []string{fmt.Sprint(v)}, true
	case []any:
		for _, item := range v {
			one, ok := texts(item)
			if !ok || len(one) > 1 {
				return nil, false
			}
			all = append(all, one...)
		}
		return all, true
	}
	return nil, false
}

// pop removes the first of some keys with a text or a number from fields, and returns its value.
func pop(fields *[]field, keys ...string) string {
	for _, key := range keys {
		for i, f := range *fields {
			if one, ok := f.value.(string); ok && f.key == key {
				*fields = slices.Delete(*fields, i, i+1)
				return one
			}
		}
	}
	return ""
}

// named are keys whose values are names for links, tagged those that list tags.
var (
	named  = map[string]bool{"permalink": true, "aliases": true, "alias": true}
	tagged = map[string]bool{"tags": true, "labels": true, "categories": true}
)

// take converts fields to tags, names for links and properties. The keys of nested fields get the
// key of their field as a prefix, except those of properties.
func (m *note) take(above string, fields []field) {
	for _, f := range fields {
		all, plain := texts(f.value)
		inner, nested := f.value.([]field)
		switch top := above == ""; {
		case top && plain && f.key == wordsKey && !m.Entry:
			m.words(all)
		case top && plain && tagged[f.key] && (m.Entry || f.key == "tags"):
			m.tags(all)
		case plain:
			if top && named[f.key] {
				m.names = append(m.names, all...)
			}
			m.property(above+f.key, strings.Join(all, ", "))
		case nested && top && f.key == "properties":
			m.take("", inner)
		case nested && top:
			m.take(f.key+"_", inner)
		default:
			m.problem("%s%s holds more than text, left out", above, f.key)
		}
	}
}

// tags adds tags; a text may list several. A tag that is not valid in Org is changed, which is
// reported once.
func (m *note) tags(texts []string) {
	for _, word := range strings.FieldsFunc(strings.Join(texts, ","), func(c rune) bool { return c == ',' || c == ';' }) {
		word = strings.TrimPrefix(strings.Trim(word, " \t\n[]\"'"), "#")
		t := tag(word)
		if inert.Lookup("tag", t).Kind != "" { // Fovea or Org would act on it
			t = "source_" + t
		}
		if t != word && !m.r.changed[word] {
			m.r.changed[word] = true
			m.problem("the tag %q cannot be that of a note here; it became %q", word, t)
		}
		switch err := inert.Tag(t); {
		case t == "" || !m.add(":"+t):
		case err != nil:
			m.problem("the tag %q is left out: %v", t, err)
		default:
			m.Tags = append(m.Tags, t)
		}
	}
}

// tag converts a text to a tag of Org, "" if no character is left.
func tag(text string) string {
	bad := func(r rune) bool { return !strings.ContainsRune("_@#%0123456789", r) && !unicode.IsLetter(r) }
	return strings.Map(func(r rune) rune {
		if bad(r) {
			return '_'
		}
		return r
	}, strings.TrimFunc(text, bad))
}

// property sets a property on one line, under another key if Org or Fovea would act on this one. It
// omits an empty property.
func (m *note) property(key, value string) {
	value = oneLine(inert.Line(value))
	k := propertyKey(key)
	row := inert.Lookup("property", k)
	isOfInbox := row.Only != "" && strings.HasPrefix(path.Base(m.Path), "inbox")
	if k == "" || row.By == inert.ByWriter || isOfInbox || inert.Property(k, value) != nil {
		k = propertyKey("source_" + key)
	}
	if err := inert.Property(k, value); err != nil {
		m.problem("%s is left out: %v", k, err)
	} else if !m.add(k) {
		m.problem("%s is there twice, the second left out", k)
	} else if value != "" {
		m.Properties = append(m.Properties, [2]string{k, value})
	}
}

// propertyKey converts a key to one of Org, without the + of KEY+, which would append to another property.
func propertyKey(key string) string {
	key = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(" -.:+", r):
			return '_'
		case r < ' ' || r == utf8.RuneError:
			return -1
		}
		return r
	}, strings.ToUpper(strings.TrimSpace(key)))
	return cutText(key, 64)
}

// oneLine replaces each run of white space by one blank.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// cutText truncates a text to n bytes.
func cutText(text string, n int) string {
	return strings.ToValidUTF8(text[:min(n, len(text))], "")
}
