// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"fmt"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/merkle"
)

// AppendAuthor appends the encoding of an author: the list [kind], or [kind, name] for an
// agent; the empty list for none.
func AppendAuthor(b []byte, a author.Author) []byte {
	switch a.Kind {
	case 0:
		return merkle.AppendList(b, 0)
	case author.Agent:
		b = merkle.AppendText(merkle.AppendList(b, 2), author.Agent.String())
		return merkle.AppendText(b, a.Name)
	}
	return merkle.AppendText(merkle.AppendList(b, 1), a.Kind.String())
}

// ReadAuthor decodes the output of AppendAuthor. Decoding errors are in the reader;
// ErrFormat is returned for an author of an unknown kind.
func ReadAuthor(r *merkle.Reader) (author.Author, error) {
	parts := r.List()
	if r.Err() != nil || parts == 0 {
		return author.Author{}, nil
	}
	word := r.Text()
	kind, known := author.ParseKind(word)
	if r.Err() != nil {
		return author.Author{}, nil
	}
	want := 1
	if kind == author.Agent {
		want = 2
	}
	if !known || parts != want {
		return author.Author{}, fmt.Errorf("an author of the kind %q with %d parts: %w", word, parts, ErrFormat)
	}
	a := author.Author{Kind: kind}
	if kind == author.Agent {
		a.Name = r.Text()
	}
	return a, nil
}
