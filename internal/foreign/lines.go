// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foreign

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/inert"
	"github.com/fovea-memory/fovea/internal/text"
)

// maxDerived is the maximum length in characters of a title that is made from a text.
const maxDerived = 80

// lines reads a file of JSON lines: each object becomes a headline of one file.
func (r *reader) lines() error {
	info, err := fs.Stat(r.In, r.File)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular(): // opening a pipe could block forever
		return ErrNoFile
	case info.Size() > maxBytes:
		return ErrTooMuch
	}
	all, err := fs.ReadFile(r.In, r.File)
	if err != nil {
		return err
	}
	if bytes.HasPrefix(all, []byte("\xff\xfe")) || bytes.HasPrefix(all, []byte("\xfe\xff")) {
		r.problem(r.File, "UTF-16, not UTF-8, left out")
		return nil
	}
	at := strings.TrimSuffix(path.Base(r.File), path.Ext(r.File)) + ".org"
	seen := map[string]bool{}
	for number, line := range Lines(all) {
		where := fmt.Sprintf("line %d", number)
		switch {
		case r.ctx.Err() != nil:
			return r.ctx.Err()
		case number > maxLines:
			return ErrTooMuch
		case len(line) > maxFile:
			r.problem(where, "longer than %d MiB, left out", maxFile>>20)
		default:
			r.object(where, at, line, seen)
		}
	}
	return nil
}

// Lines yields the numbers and texts of the lines that are not blank, without a byte order mark and
// surrounding white space.
func Lines(all []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		number := 0
		for line := range bytes.Lines(bytes.TrimPrefix(all, []byte("\ufeff"))) {
			number++
			if line = bytes.TrimSpace(line); len(line) > 0 && !yield(number, line) {
				return
			}
		}
	}
}

// spelled matches the character U+FFFD as a JSON escape.
var spelled = regexp.MustCompile(`(?i)\\ufffd`)

// object converts a JSON object to a document. If several keys have the same meaning, the first counts.
func (r *reader) object(where, at string, line []byte, seen map[string]bool) {
	top := map[string]any{}
	in := json.NewDecoder(bytes.NewReader(line))
	in.UseNumber()
	err := in.Decode(&top)
	if _, more := in.Token(); err != nil || more != io.EOF {
		r.problem(where, "not a JSON object, left out")
		return
	}
	fields, _ := valueOf(top).([]field)
	id := pop(&fields, "id", "uuid", "key")
	m := r.note(cmp.Or(id, fmt.Sprintf("%x", line)), at, line)
	if seen[m.ID] {
		r.problem(where, "has the id or the text of a line before, left out")
		return
	}
	seen[m.ID] = true
	m.Source, m.Entry, m.raw = where, true, spelled.ReplaceAllLiteralString(string(line), "\uFFFD")
	m.Title = oneLine(pop(&fields, "title", "name", "subject", "topic"))
	m.text = pop(&fields, "content", "text", "body", "memory", "observation", "summary")
	if m.Title == "" {
		first, _, _ := strings.Cut(strings.TrimLeft(m.text, "# \n\t"), "\n")
		m.Title = text.Truncate(strings.TrimSpace(first), maxDerived)
		m.raw += m.Title
	}
	if m.Title == "" {
		r.problem(where, "has neither a title nor a text, left out")
		return
	}
	if id != "" {
		m.property("source_id", id)
	}
	format := slices.Index(fields, field{"format", formatOrg})
	if format >= 0 {
		fields = slices.Delete(fields, format, format+1)
	}
	m.take("", fields)
	if format >= 0 {
		m.Body = strings.TrimRight(inert.Text(m.text), " \t\n") + "\n"
		m.replaced()
	} else {
		m.finish(names{})
	}
	r.docs = append(r.docs, m.Document)
}
