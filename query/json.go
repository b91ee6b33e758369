// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// beginsJSON reports whether a text is JSON: it starts with a bracket and a quote.
func beginsJSON(text string) bool {
	rest, ok := strings.CutPrefix(text, "[")
	return ok && strings.HasPrefix(strings.TrimLeftFunc(rest, unicode.IsSpace), `"`)
}

func (p *parser) json() (Expr, error) {
	d := json.NewDecoder(strings.NewReader(p.text))
	d.UseNumber()
	f, err := p.jsonForm(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, p.errorAt(p.tokenOffset(d), "text after the list", "a JSON query is one list; join several with [\"and\", ...]")
	}
	return p.expr(f)
}

// tokenOffset returns the offset of the next token of the decoder.
func (p *parser) tokenOffset(d *json.Decoder) int {
	at := int(d.InputOffset())
	return len(p.text) - len(strings.TrimLeft(p.text[at:], " \t\r\n,:"))
}

func (p *parser) jsonForm(d *json.Decoder) (form, error) {
	offset := p.tokenOffset(d)
	if p.depth++; p.depth > maxFormDepth {
		return form{}, p.tooDeep(offset)
	}
	defer func() { p.depth-- }()
	token, err := d.Token()
	if err != nil {
		return form{}, p.errorAt(min(offset, len(p.text)), "invalid JSON: "+jsonErrorText(err),
			"quotes, commas and brackets are as in [\"and\",[\"todo\",\"NEXT\"],[\"tags\",\"work\"]]")
	}
	switch token := token.(type) {
	case string:
		return form{kind: stringForm, text: token, at: offset}, nil
	case json.Number:
		return form{kind: stringForm, text: token.String(), at: offset}, nil
	case bool:
		return form{kind: stringForm, text: fmt.Sprint(token), at: offset}, nil
	case json.Delim:
		return p.jsonList(d, token, offset)
	}
	return form{}, p.errorAt(offset, "null in a query", "leave it out")
}

// jsonList reads the members of a list or an object. The keys and values of an object
// become members of the list around it.
func (p *parser) jsonList(d *json.Decoder, open json.Delim, start int) (form, error) {
	f := form{kind: listForm, at: start}
	for d.More() {
		member, err := p.jsonForm(d)
		if err != nil {
			return f, err
		}
		isObject := member.kind == listForm && p.text[member.at] == '{'
		switch {
		case isObject && open == '{':
			return f, p.errorAt(member.at, "an object as a value", "a value is a text, a number or a list of these")
		case isObject:
			f.list = append(f.list, member.list...)
			continue
		case open == '{' && len(f.list)%2 == 0:
			member.kind = keyForm
		}
		f.list = append(f.list, member)
	}
	if _, err := d.Token(); err != nil {
		return f, p.errorAt(start, "the list has no end: "+jsonErrorText(err), "close it")
	}
	return f, nil
}

// jsonErrorText returns the decoder's error without its prefix.
func jsonErrorText(err error) string {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "it ends too early"
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}
