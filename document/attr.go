// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package document

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxAttr is the maximum size in bytes of an attribute: its key and its encoded value. Null takes 0 bytes.
const MaxAttr = 1 << 20

// ErrTree is returned for an invalid tree or attribute; the error that wraps it names
// the place.
var ErrTree = errors.New("not a valid tree")

// Attr is a hashed attribute of a node of a tree. Nodes of files have none.
type Attr struct {
	Key   string // upper case, as Attributes returns it
	Value Value
}

// Attributes returns attributes as they are hashed: sorted by key,
// keys in upper case (ASCII letters only), TODO-STATE as TODO, a repeated key or KEY+ as a
// list in the given order. The caller owns the result.
func Attributes(given ...Attr) []Attr {
	if len(given) == 0 {
		return nil
	}
	out := make([]Attr, len(given))
	for i, a := range given {
		out[i] = Attr{Upper(a.Key), a.Value}
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

// joined returns the values of attributes as one list.
func joined(attrs []Attr) Value {
	values := make([]Value, len(attrs))
	for i := range attrs {
		values[i] = attrs[i].Value
	}
	return ListValue(values...)
}

// Lookup returns the value of an attribute, null if there is none.
func Lookup(attrs []Attr, key string) Value {
	for i := range attrs {
		if attrs[i].Key == key {
			return attrs[i].Value
		}
	}
	return Value{}
}

// DeclaredID returns the id that attributes declare, "" for none.
func DeclaredID(attrs []Attr) string {
	if id := strings.TrimSpace(Lookup(attrs, "ID").String()); UnusableID(id) == "" {
		return id
	}
	return ""
}

// CheckAttrs returns the id that attributes declare, "" for none. For an invalid attribute
// it returns the key and the error.
func CheckAttrs(attrs []Attr) (id, key string, why error) {
	for i, a := range attrs {
		switch {
		case a.Key == "" || !utf8.ValidString(a.Key) || strings.ContainsFunc(a.Key, unicode.IsControl):
			return "", a.Key, fmt.Errorf("a key must be text without control characters: %w", ErrTree)
		case a.Key != Upper(a.Key) || strings.HasSuffix(a.Key, "+") || i > 0 && attrs[i-1].Key >= a.Key:
			return "", a.Key, fmt.Errorf("keys must be as Attributes returns them: %w", ErrTree)
		case len(a.Key)+a.Value.size() > MaxAttr:
			return "", a.Key, fmt.Errorf("an attribute of more than %d bytes: %w", MaxAttr, ErrTree)
		}
	}
	declared := Lookup(attrs, "ID")
	if kind := declared.Kind(); kind != KindNull && kind != KindText {
		return "", "ID", fmt.Errorf("an ID must be text: %w", ErrTree)
	}
	id = strings.TrimSpace(declared.String())
	if bad := UnusableID(id); bad != "" {
		return "", "ID", fmt.Errorf("%s: %w", bad, ErrTree)
	}
	return id, "", nil
}

// Upper converts only ASCII letters to upper case: a digest must not depend on the
// Unicode version of a machine.
func Upper(s string) string { return mapASCII(s, 'a', 'z', 'A'-'a') }

// Lower converts only ASCII letters to lower case.
func Lower(s string) string { return mapASCII(s, 'A', 'Z', 'a'-'A') }

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
