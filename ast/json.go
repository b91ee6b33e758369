// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ast

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/document"
)

// DecodeTree reads a tree from JSON (doc/format/ast.md) and checks it. Anything
// malformed is rejected as a whole with ErrTree and the place of the error, such as
// "contents[3].properties.TAGS: …". Time and memory are O(len(data)), depth is at most
// MaxTreeDepth.
func DecodeTree(data []byte) (*Tree, error) {
	if !utf8.Valid(data) {
		return nil, fmt.Errorf("the JSON is not UTF-8: %w", document.ErrTree)
	}
	if at := loneSurrogate(data); at >= 0 {
		return nil, fmt.Errorf("byte %d: half of a surrogate pair, which is not a character: %w", at, document.ErrTree)
	}
	d := treeDecoder{json: json.NewDecoder(bytes.NewReader(data))}
	d.json.UseNumber()
	t, err := d.whole()
	if err == nil {
		return t, t.Check()
	}
	return nil, fmt.Errorf("%s%w", place(d.way), err)
}

// treeDecoder decodes a tree token by token.
type treeDecoder struct {
	json  *json.Decoder
	way   []string // path of the current token: one step for each open object whose key was read
	count int      // number of nodes so far
}

func (d *treeDecoder) whole() (*Tree, error) {
	tok, err := d.token()
	if err != nil {
		return nil, err
	}
	if tok != json.Delim('{') {
		return nil, d.bad("a tree is an object, not %s", tok)
	}
	t, err := d.tree()
	if err != nil {
		return nil, err
	}
	if _, err := d.json.Token(); !errors.Is(err, io.EOF) {
		return nil, d.bad("more text after the tree")
	}
	return t, nil
}

// tree decodes an object after its brace.
func (d *treeDecoder) tree() (*Tree, error) {
	d.count++
	t, seen := &Tree{Bare: true}, map[string]bool{}
	for {
		tok, err := d.token()
		if err != nil {
			return nil, err
		}
		if tok == json.Delim('}') {
			break
		}
		key := document.Lower(tok.(string)) // the JSON decoder ensures that a key is a string
		if seen[key] {
			return nil, d.bad("the key %s occurs twice", document.Quote(key))
		}
		seen[key] = true
		d.way = append(d.way, key)
		if err := d.field(t, key); err != nil {
			return nil, err
		}
		d.way = d.way[:len(d.way)-1]
	}
	if !seen["type"] {
		return nil, d.bad("no type")
	}
	t.Attrs = document.Attributes(t.Attrs...)
	return t, nil
}

// kinds are the kinds of values by key, for messages.
var kinds = map[string]string{"type": "text", "raw-content": "text", "scope": "text", "contents": "a list", "properties": "an object"}

// field decodes the value of a key.
func (d *treeDecoder) field(t *Tree, key string) error {
	tok, err := d.token()
	if err != nil {
		return err
	}
	text, isText := tok.(string)
	switch kind := kinds[key]; {
	case key == "type" && isText:
		t.Type = strings.ReplaceAll(document.Lower(text), "_", "-")
	case key == "raw-content" && isText:
		t.Content, t.Bare = text, false
	case key == "scope" && isText:
		t.Scope = text
	case key == "contents" && tok == json.Delim('['):
		return d.contents(t)
	case key == "properties" && tok == json.Delim('{'):
		return d.properties(t)
	case kind == "":
		return d.bad("unknown key; there are type, properties, contents, raw-content and scope")
	case tok != nil || key == "type":
		return d.bad("must be %s, not %s", kind, tok)
	}
	return nil
}

// step replaces the last step to the current token.
func (d *treeDecoder) step(to string) { d.way[len(d.way)-1] = to }

// contents decodes the list of an object's contents.
func (d *treeDecoder) contents(t *Tree) error {
	for {
		d.step("contents[" + strconv.Itoa(len(t.Kids)) + "]")
		tok, err := d.token()
		if err != nil || tok == json.Delim(']') {
			return err
		}
		kid, err := d.kid(tok)
		if err != nil {
			return err
		}
		t.Kids = append(t.Kids, kid)
	}
}

// kid decodes one of the contents of an object.
func (d *treeDecoder) kid(tok json.Token) (*Tree, error) {
	text, isText := tok.(string)
	switch {
	case d.count >= MaxTreeNodes:
		return nil, d.bad("more than %d nodes", MaxTreeNodes)
	case isText:
		d.count++
		return &Tree{Type: TypePlainText, Content: text}, nil
	case tok != json.Delim('{'):
		return nil, d.bad("contents are trees and texts, not %s", tok)
	case len(d.way) >= MaxTreeDepth:
		return nil, d.bad("deeper than %d", MaxTreeDepth)
	}
	return d.tree()
}

// properties decodes an object's attributes.
func (d *treeDecoder) properties(t *Tree) error {
	for {
		d.step("properties")
		tok, err := d.token()
		if err != nil || tok == json.Delim('}') {
			return err
		}
		key := tok.(string)
		d.step("properties." + key)
		if tok, err = d.token(); err != nil {
			return err
		}
		v, err := d.value(tok)
		if err != nil {
			return err
		}
		t.Attrs = append(t.Attrs, document.Attr{Key: key, Value: v})
	}
}

// value decodes the value that begins with a token.
func (d *treeDecoder) value(tok json.Token) (document.Value, error) {
	if tok != json.Delim('[') {
		return d.single(tok)
	}
	var items []document.Value
	for {
		tok, err := d.token()
		if err != nil {
			return document.Value{}, err
		}
		if tok == json.Delim(']') {
			return document.ListValue(items...), nil
		}
		v, err := d.single(tok)
		if err != nil {
			return document.Value{}, err
		}
		items = append(items, v)
	}
}

func (d *treeDecoder) single(tok json.Token) (document.Value, error) {
	switch v := tok.(type) {
	case nil:
		return document.Value{}, nil
	case bool:
		return document.BoolValue(v), nil
	case string:
		return document.TextValue(v), nil
	case json.Number:
		return document.NumberValue(v.String())
	default:
		return document.Value{}, d.bad("unsupported type: %s as a value; there are null, true, false, numbers, text and a list of these", tok)
	}
}

func (d *treeDecoder) token() (json.Token, error) {
	tok, err := d.json.Token()
	switch {
	case err == nil:
		return tok, nil
	case errors.Is(err, io.EOF):
		return nil, d.bad("the JSON ends too early")
	default:
		return nil, fmt.Errorf("byte %d: %w: %w", d.json.InputOffset(), err, document.ErrTree)
	}
}

// bad returns an error. Its message names a token in args by its kind.
func (d *treeDecoder) bad(format string, args ...any) error {
	for i, a := range args {
		switch v := a.(type) {
		case nil:
			args[i] = "null"
		case json.Delim:
			args[i] = map[rune]string{'{': "an object", '[': "a list"}[rune(v)]
		case json.Number:
			args[i] = "a number"
		case bool:
			args[i] = strconv.FormatBool(v)
		}
	}
	return invalid(format, args...)
}

// loneSurrogate returns the offset of an escape \ud800 to \udfff outside a pair, which the
// JSON decoder would replace; -1 for none.
func loneSurrogate(data []byte) int {
	for at := 0; ; {
		i := bytes.IndexByte(data[at:], '\\')
		if i < 0 {
			return -1
		}
		at += i
		switch u := escape(data[at:]); {
		case u>>10 == 0xd800>>10 && escape(data[at+6:])>>10 == 0xdc00>>10:
			at += 12
		case u>>11 == 0xd800>>11:
			return at
		default:
			at += 2 // any escaped character, also a backslash
		}
		if at >= len(data) {
			return -1
		}
	}
}

// escape reads \uXXXX at the beginning of b, 0 for anything else.
func escape(b []byte) uint64 {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0
	}
	u, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	if err != nil {
		return 0
	}
	return u
}

// JSON returns the tree on one line, as DecodeTree reads it. Decoding the JSON of a valid
// tree with UTF-8 content returns an equal tree. A plain text in the contents is a string.
// O(nodes).
func (t *Tree) JSON() []byte { return t.appendJSON(nil) }

func (t *Tree) appendJSON(b []byte) []byte {
	b = document.AppendQuoted(append(b, `{"type":`...), t.Type)
	if t.Scope != "" {
		b = document.AppendQuoted(append(b, `,"scope":`...), t.Scope)
	}
	for i, a := range t.Attrs {
		b = append(b, separator(i, `,"properties":{`)...)
		b = a.Value.AppendJSON(append(document.AppendQuoted(b, a.Key), ':'))
	}
	if len(t.Attrs) > 0 {
		b = append(b, '}')
	}
	if !t.Bare {
		b = document.AppendQuoted(append(b, `,"raw-content":`...), t.Content)
	}
	for i, kid := range t.Kids {
		b = append(b, separator(i, `,"contents":[`)...)
		if kid.Type == TypePlainText && !kid.Bare && len(kid.Attrs)+len(kid.Kids)+len(kid.Scope) == 0 {
			b = document.AppendQuoted(b, kid.Content)
		} else {
			b = kid.appendJSON(b)
		}
	}
	if len(t.Kids) > 0 {
		b = append(b, ']')
	}
	return append(b, '}')
}

// separator returns the text before an item of a list: its head before the first.
func separator(i int, head string) string {
	if i == 0 {
		return head
	}
	return ","
}
