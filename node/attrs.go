// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/merkle"
)

// MaxAttr is the maximum size in bytes of an attribute, key and encoded value.
const MaxAttr = 1 << 20

// Attr is a hashed attribute of a node of a tree. Nodes of files have none.
type Attr struct {
	Key   string // upper case, as Attributes returns it
	Value Value
}

// Attributes returns attributes in the order and spelling that is hashed: sorted by key,
// keys in upper case (ASCII letters only), TODO-STATE as TODO, a repeated key or KEY+ as a
// list in the given order. The caller owns the result.
func Attributes(given ...Attr) []Attr {
	if len(given) == 0 {
		return nil
	}
	out := make([]Attr, len(given))
	for i, a := range given {
		out[i] = Attr{upper(a.Key), a.Value}
		if key, adds := strings.CutSuffix(out[i].Key, "+"); adds {
			out[i] = Attr{key, ListValue(a.Value)}
		}
		if out[i].Key == "TODO-STATE" {
			out[i].Key = "TODO"
		}
	}
	slices.SortStableFunc(out, func(a, b Attr) int { return cmp.Compare(a.Key, b.Key) })
	single := out[:0]
	for i := 0; i < len(out); {
		end := i + 1
		for end < len(out) && out[end].Key == out[i].Key {
			end++
		}
		a := out[i]
		if end > i+1 {
			a.Value = joined(out[i:end])
		}
		single, i = append(single, a), end
	}
	return single
}

// joined returns the list of the values of attributes with one key.
func joined(attrs []Attr) Value {
	values := make([]Value, len(attrs))
	for i := range attrs {
		values[i] = attrs[i].Value
	}
	return ListValue(values...)
}

// attr returns the value of an attribute, null if there is none.
func attr(attrs []Attr, key string) Value {
	for i := range attrs {
		if attrs[i].Key == key {
			return attrs[i].Value
		}
	}
	return Value{}
}

// declaredIn returns the id that attributes declare, "" for none.
func declaredIn(attrs []Attr) string {
	if id := strings.TrimSpace(attr(attrs, "ID").String()); unusable(id) == "" {
		return id
	}
	return ""
}

// checkAttrs returns the id that attributes declare, "" for none, or the key and the fault
// of an invalid attribute.
func checkAttrs(attrs []Attr) (id, key string, why error) {
	for i, a := range attrs {
		switch {
		case a.Key == "" || !utf8.ValidString(a.Key) || strings.ContainsFunc(a.Key, unicode.IsControl):
			return "", a.Key, fmt.Errorf("a key must be text without control characters: %w", ErrTree)
		case a.Key != upper(a.Key) || strings.HasSuffix(a.Key, "+") || i > 0 && attrs[i-1].Key >= a.Key:
			return "", a.Key, fmt.Errorf("keys must stand as Attributes leaves them: %w", ErrTree)
		case len(a.Key)+len(a.Value.enc) > MaxAttr:
			return "", a.Key, fmt.Errorf("an attribute of more than %d bytes: %w", MaxAttr, ErrTree)
		}
	}
	declared := attr(attrs, "ID")
	if kind := declared.Kind(); kind != KindNull && kind != KindText {
		return "", "ID", fmt.Errorf("an ID must be text: %w", ErrTree)
	}
	id = strings.TrimSpace(declared.String())
	if bad := unusable(id); bad != "" {
		return "", "ID", fmt.Errorf("%s: %w", bad, ErrTree)
	}
	return id, "", nil
}

// upper converts ASCII letters alone to upper case: a digest must not depend on the
// Unicode version of a machine.
func upper(s string) string { return mapASCII(s, 'a', 'z', 'A'-'a') }

// lower converts ASCII letters alone to lower case.
func lower(s string) string { return mapASCII(s, 'A', 'Z', 'a'-'A') }

func mapASCII(s string, from, to byte, by int) string {
	for i := range len(s) {
		if s[i] >= from && s[i] <= to {
			b := []byte(s)
			for ; i < len(b); i++ {
				if b[i] >= from && b[i] <= to {
					b[i] = byte(int(b[i]) + by)
				}
			}
			return string(b)
		}
	}
	return s
}

// appendAttrs appends the attributes of an own block: a list of pairs, or, if that exceeds
// a chunk, its encoding as content.
func appendAttrs(b []byte, attrs []Attr, emit Emit) ([]byte, error) {
	begin := len(b)
	b = merkle.AppendList(b, len(attrs))
	for _, a := range attrs {
		b = merkle.AppendList(b, 2)
		b = a.Value.Append(merkle.AppendText(b, a.Key))
	}
	if len(b)-begin <= merkle.ChunkSize {
		return b, nil
	}
	list := string(b[begin:])
	return merkle.AppendContent(b[:begin], list, emit)
}

// readAttrs decodes the output of appendAttrs, and rejects anything else.
func readAttrs(r *merkle.Reader, get func(merkle.Digest) ([]byte, error)) ([]Attr, error) {
	raw := r.Raw()
	if r.Err() != nil {
		return nil, r.Err()
	}
	list := merkle.NewReader(raw)
	n := list.List()
	if chunked := n > 0 && list.Peek() == merkle.KindInt; chunked {
		text, err := merkle.ReadContent(merkle.NewReader(raw), get)
		if err != nil {
			return nil, err
		}
		list = merkle.NewReader([]byte(text))
		n = list.List()
	} else if len(raw) > merkle.ChunkSize {
		return nil, fmt.Errorf("attributes of %d bytes in one block: %w", len(raw), ErrTree)
	}
	var attrs []Attr
	for range n {
		list.FixedList(2)
		key := list.Text()
		v := string(list.Raw())
		if list.Err() != nil {
			break
		}
		value, err := ParseValue(v)
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %w", quote(key), err)
		}
		attrs = append(attrs, Attr{key, value})
	}
	if err := list.Done(); err != nil {
		return nil, err
	}
	if _, key, err := checkAttrs(attrs); err != nil {
		return nil, fmt.Errorf("attribute %s: %w", quote(key), err)
	}
	return attrs, nil
}
