// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foreign

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/fovea-memory/fovea/internal/inert"
	"github.com/fovea-memory/fovea/internal/text"
)

// Keys of JSON objects that have a meaning here, in the order in which they count.
var (
	titleFields = []string{"title", "name", "subject", "topic"}
	textFields  = []string{"content", "text", "body", "memory", "observation", "summary"}
	idFields    = []string{"id", "uuid", "key"}
	tagFields   = []string{"tags", "labels", "categories"}
)

// maxDerived is the longest title made of a text, in characters.
const maxDerived = 80

// lines reads a file of JSON lines: each object becomes a headline of one file.
func (r *reader) lines() error {
	if info, err := fs.Stat(r.In, r.File); err != nil || !info.Mode().IsRegular() { // to open a pipe could take for ever
		return cmp.Or(err, ErrNoFile)
	}
	f, err := r.In.Open(r.File)
	if err != nil {
		return err
	}
	defer f.Close()
	stem := strings.TrimSuffix(path.Base(r.File), path.Ext(r.File))
	seen := map[string]bool{}
	return EachLine(f, MaxFile, func(number int, line []byte, fault error) error {
		r.bytes += len(line)
		where := fmt.Sprintf("line %d", number)
		switch {
		case r.ctx.Err() != nil:
			return r.ctx.Err()
		case number == 1 && (bytes.HasPrefix(line, []byte("\xff\xfe")) || bytes.HasPrefix(line, []byte("\xfe\xff"))):
			r.problem(r.File, "UTF-16, not UTF-8, left out")
			return fs.SkipAll
		case r.bytes > MaxBytes || number > MaxLines:
			return ErrTooMuch
		case fault != nil:
			r.problem(where, "%v, left out", fault)
		case len(line) > 0:
			r.object(where, stem+".org", line, seen)
		}
		return nil
	})
}

// EachLine calls each with the number and the text of each line, without a byte order mark and the
// white space around it, or with what is wrong with it: a line longer than longest is read to its
// end and left out. It ends with the error of each, fs.SkipAll being none, or with that of in.
func EachLine(in io.Reader, longest int, each func(number int, line []byte, fault error) error) error {
	scan := bufio.NewReader(in)
	for number := 1; ; number++ {
		var line []byte
		part, err := scan.ReadSlice('\n')
		for ; errors.Is(err, bufio.ErrBufferFull); part, err = scan.ReadSlice('\n') {
			if len(line) <= longest {
				line = append(line, part...)
			}
		}
		if err != nil && err != io.EOF {
			return err
		}
		if line = append(line, part...); number == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		var fault error
		if line = bytes.TrimSpace(line); len(line) > longest {
			line, fault = nil, fmt.Errorf("longer than %d MiB", longest>>20)
		}
		if stop := each(number, line, fault); stop == fs.SkipAll {
			return nil
		} else if stop != nil {
			return stop
		}
		if err == io.EOF {
			return nil
		}
	}
}

// object makes a document of a JSON object.
func (r *reader) object(where, at string, line []byte, seen map[string]bool) {
	fields := map[string]any{}
	in := json.NewDecoder(bytes.NewReader(line))
	in.UseNumber()
	err := in.Decode(&fields)
	if _, more := in.Token(); err != nil || more != io.EOF {
		r.problem(where, "not a JSON object, left out")
		return
	}
	id := take(fields, idFields)
	source := id
	if source == "" {
		source = fmt.Sprintf("%x", line)
	}
	m := &markdown{Document: r.document(source, at, line), has: map[string]bool{}}
	if seen[m.ID] {
		r.problem(where, "has the id or the text of a line before, left out")
		return
	}
	seen[m.ID] = true
	m.Source, m.Entry, m.raw = where, true, spelled.ReplaceAllLiteralString(string(line), "\uFFFD")
	m.Title, m.text = strings.Join(strings.Fields(take(fields, titleFields)), " "), take(fields, textFields)
	if m.Title == "" {
		first, _, _ := strings.Cut(strings.TrimLeft(m.text, "# \n\t"), "\n")
		m.Title = text.Truncate(strings.TrimSpace(first), maxDerived)
		m.raw += m.Title
	}
	if m.Title == "" {
		r.problem(where, "has neither a title nor a text, left out")
		return
	}
	for _, key := range tagFields {
		if list, ok := texts(fields[key]); ok {
			m.tags(r, list)
			delete(fields, key)
		}
	}
	if id != "" {
		m.property(r, "source_id", id)
	}
	isOrg := fields["format"] == formatOrg
	if isOrg {
		delete(fields, "format")
	}
	r.fields(m, "", fields)
	if isOrg {
		m.Body = strings.TrimRight(inert.Text(m.text), " \t\n") + "\n"
		r.replaced(&m.Document, m.raw)
	} else {
		m.finish(r, names{})
	}
	r.docs = append(r.docs, m.Document)
}

// spelled is the character U+FFFD as JSON may spell it.
var spelled = regexp.MustCompile(`(?i)\\ufffd`)

// fields makes properties of the fields that are left. The fields of an object get its key before
// theirs, but for those of properties.
func (r *reader) fields(m *markdown, above string, fields map[string]any) {
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		list, ok := texts(fields[key])
		inner, nested := fields[key].(map[string]any)
		switch {
		case fields[key] == nil:
		case ok:
			m.property(r, above+key, strings.Join(list, ", "))
		case nested && above == "" && key == "properties":
			r.fields(m, "", inner)
		case nested && above == "":
			r.fields(m, key+"_", inner)
		default:
			r.problem(m.Source, "%s%s holds more than text, left out", above, key)
		}
	}
}

// take removes the first of some fields that is a text or a number, and returns it.
func take(fields map[string]any, keys []string) string {
	for _, key := range keys {
		switch v := fields[key].(type) {
		case string:
			delete(fields, key)
			return v
		case json.Number:
			delete(fields, key)
			return v.String()
		}
	}
	return ""
}

// texts returns a value of JSON or YAML, or a list of values, as texts, and whether it is nothing else.
func texts(v any) (all []string, ok bool) {
	var items []any
	switch v := v.(type) {
	case nil:
		return nil, true
	case string:
		return []string{v}, true
	case json.Number:
		return []string{v.String()}, true
	case bool:
		return []string{fmt.Sprint(v)}, true
	case []any:
		items = v
	case *yaml.Node:
		switch {
		case v.Kind == yaml.ScalarNode && v.Tag == "!!null":
			return nil, true
		case v.Kind == yaml.ScalarNode:
			return []string{v.Value}, true
		case v.Kind != yaml.SequenceNode:
			return nil, false
		}
		for _, item := range v.Content {
			items = append(items, item)
		}
	default:
		return nil, false
	}
	for _, item := range items {
		one, ok := texts(item)
		if !ok || len(one) > 1 {
			return nil, false
		}
		all = append(all, one...)
	}
	return all, true
}
