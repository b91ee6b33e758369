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
// malformed is refused whole with ErrTree and the place of the fault, such as
// "contents[3].properties.TAGS: …". Time and memory are O(len(data)); depth is
// bounded by MaxTreeDepth, not by the stack.
func DecodeTree(data []byte) (*Tree, error) {
	if !utf8.Valid(data) {
		return nil, fmt.Errorf("the JSON is not UTF-8: %w", document.ErrTree)
	}
	if at := loneSurrogate(data); at >= 0 {
		return nil, fmt.Errorf("byte %d: half of a surrogate pair, which is no character: %w", at, document.ErrTree)
	}
	d := treeDecoder{json: json.NewDecoder(bytes.NewReader(data))}
	d.json.UseNumber()
	t, err := d.decode()
	if err == nil {
		return t, t.Check()
	}
	return nil, fmt.Errorf("%s%w", place(d.steps(), ""), err)
}

// treeDecoder decodes a tree token by token, with an explicit stack.
type treeDecoder struct {
	json  *json.Decoder
	open  []*draftTree
	count int
}

// draftTree is an object being decoded.
type draftTree struct {
	tree  Tree
	seen  map[string]bool
	kids  bool            // within its contents
	given []document.Attr // its properties, in file order
	at    string          // the current key, for messages
}

// steps returns the path to the current token.
func (d *treeDecoder) steps() []string {
	var steps []string
	for _, o := range d.open {
		switch {
		case o.kids:
			steps = append(steps, "contents["+strconv.Itoa(len(o.tree.Kids))+"]")
		case o.at != "":
			steps = append(steps, o.at)
		}
	}
	return steps
}

func (d *treeDecoder) decode() (*Tree, error) {
	tok, err := d.token()
	if err != nil {
		return nil, err
	}
	if tok != json.Delim('{') {
		return nil, d.bad("a tree is an object, not %s", tok)
	}
	d.begin()
	for {
		done, err := d.step()
		if err != nil {
			return nil, err
		}
		if done == nil {
			continue
		}
		d.open = nil
		if _, err := d.json.Token(); !errors.Is(err, io.EOF) {
			return nil, d.bad("more text after the tree")
		}
		return done, nil
	}
}

func (d *treeDecoder) begin() {
	d.count++
	d.open = append(d.open, &draftTree{seen: map[string]bool{}, tree: Tree{Bare: true}})
}

// step decodes one key of the innermost object or one of its contents. It returns the
// tree at its end.
func (d *treeDecoder) step() (*Tree, error) {
	o := d.open[len(d.open)-1]
	o.at = ""
	tok, err := d.token()
	switch {
	case err != nil:
		return nil, err
	case o.kids:
		return nil, d.kid(o, tok)
	case tok == json.Delim('}'):
		return d.end(o)
	}
	key := document.Lower(tok.(string)) // the JSON decoder ensures that a key is a string
	if o.seen[key] {
		return nil, d.bad("the key %s stands twice", document.Quote(key))
	}
	o.seen[key], o.at = true, key
	return nil, d.field(o, key)
}

// kid decodes the next token of an object's contents.
func (d *treeDecoder) kid(o *draftTree, tok json.Token) error {
	if d.count >= MaxTreeNodes {
		return d.bad("more than %d nodes", MaxTreeNodes)
	}
	switch v := tok.(type) {
	case string:
		d.count++
		o.tree.Kids = append(o.tree.Kids, &Tree{Type: TypePlainText, Content: v})
		return nil
	case json.Delim:
		if v == ']' {
			o.kids = false
			return nil
		}
		if v == '{' {
			if len(d.open) >= MaxTreeDepth {
				return d.bad("deeper than %d", MaxTreeDepth)
			}
			d.begin()
			return nil
		}
	}
	return d.bad("contents hold trees and texts, not %s", tok)
}

// end completes an object and adds it to its parent.
func (d *treeDecoder) end(o *draftTree) (*Tree, error) {
	o.tree.Attrs = document.Attributes(o.given...)
	if !o.seen["type"] {
		return nil, d.bad("no type")
	}
	t := &o.tree
	if len(d.open) == 1 {
		return t, nil
	}
	d.open = d.open[:len(d.open)-1]
	up := d.open[len(d.open)-1]
	up.tree.Kids = append(up.tree.Kids, t)
	return nil, nil
}

// field decodes the value of a key.
func (d *treeDecoder) field(o *draftTree, key string) error {
	tok, err := d.token()
	if err != nil {
		return err
	}
	text, isText := tok.(string)
	switch {
	case key == "type" && isText:
		o.tree.Type = strings.ReplaceAll(document.Lower(text), "_", "-")
	case key == "raw-content" && isText:
		o.tree.Content, o.tree.Bare = text, false
	case key == "scope" && isText:
		o.tree.Scope = text
	case key == "contents" && tok == json.Delim('['):
		o.kids = true
	case key == "properties" && tok == json.Delim('{'):
		return d.properties(o)
	case tok == nil && (key == "raw-content" || key == "contents" || key == "properties" || key == "scope"):
	case key == "type" || key == "raw-content" || key == "scope":
		return d.bad("must be text, not %s", tok)
	case key == "contents":
		return d.bad("must be a list, not %s", tok)
	case key == "properties":
		return d.bad("must be an object, not %s", tok)
	default:
		return d.bad("unknown key; there are type, properties, contents, raw-content and scope")
	}
	return nil
}

// properties decodes an object's attributes.
func (d *treeDecoder) properties(o *draftTree) error {
	for {
		o.at = "properties"
		tok, err := d.token()
		if err != nil || tok == json.Delim('}') {
			return err
		}
		key := tok.(string)
		o.at = "properties." + key
		if tok, err = d.token(); err != nil {
			return err
		}
		v, err := d.value(tok)
		if err != nil {
			return err
		}
		o.given = append(o.given, document.Attr{Key: key, Value: v})
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

// bad returns an error; a token in args is named by its kind.
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
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), document.ErrTree)
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

// JSON returns the tree on one line, as DecodeTree reads it. A valid tree whose content
// is UTF-8 is decoded to an equal one. A plain text in the contents is a string.
// O(nodes).
func (t *Tree) JSON() []byte {
	type frame struct {
		tree *Tree
		next int
	}
	b := t.appendHead(nil)
	for stack := []frame{{t, 0}}; len(stack) > 0; {
		top := &stack[len(stack)-1]
		if top.next == len(top.tree.Kids) {
			if top.next > 0 {
				b = append(b, ']')
			}
			b = append(b, '}')
			stack = stack[:len(stack)-1]
			continue
		}
		if top.next > 0 {
			b = append(b, ',')
		} else {
			b = append(b, `,"contents":[`...)
		}
		kid := top.tree.Kids[top.next]
		top.next++
		if kid.Type == TypePlainText && !kid.Bare && len(kid.Attrs)+len(kid.Kids)+len(kid.Scope) == 0 {
			b = document.AppendQuoted(b, kid.Content)
			continue
		}
		b = kid.appendHead(b)
		stack = append(stack, frame{kid, 0})
	}
	return b
}

// appendHead appends an object without its contents and closing brace.
func (t *Tree) appendHead(b []byte) []byte {
	b = document.AppendQuoted(append(b, `{"type":`...), t.Type)
	if t.Scope != "" {
		b = document.AppendQuoted(append(b, `,"scope":`...), t.Scope)
	}
	for i, a := range t.Attrs {
		if i == 0 {
			b = append(b, `,"properties":{`...)
		} else {
			b = append(b, ',')
		}
		b = a.Value.AppendJSON(append(document.AppendQuoted(b, a.Key), ':'))
	}
	if len(t.Attrs) > 0 {
		b = append(b, '}')
	}
	if !t.Bare {
		b = document.AppendQuoted(append(b, `,"raw-content":`...), t.Content)
	}
	return b
}
