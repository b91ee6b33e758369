// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package document

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/merkle"
)

// ErrValue is returned for an invalid value of an attribute.
var ErrValue = errors.New("not a value of an attribute")

// Kind is the kind of an attribute's value.
type Kind byte

// The kinds of values. A decimal is a number that is not an int64 and keeps its spelling.
// A list contains values of the other kinds.
const (
	KindNull Kind = iota
	KindBool
	KindInt
	KindDecimal
	KindText
	KindList
)

// Value is a typed value of an attribute. It is immutable, and comparable by ==. The zero
// Value is null.
type Value struct {
	kind Kind
	text string // as written in a property; for a list, its canonical encoding
}

// decimalHead begins the encoding of a decimal: a map of one pair whose key is "d".
const decimalHead = "\xa1\x61d"

// BoolValue returns a truth value.
func BoolValue(v bool) Value { return Value{KindBool, strconv.FormatBool(v)} }

// IntValue returns an integer.
func IntValue(v int64) Value { return Value{KindInt, strconv.FormatInt(v, 10)} }

// TextValue returns a text; invalid UTF-8 becomes U+FFFD.
func TextValue(s string) Value { return Value{KindText, strings.ToValidUTF8(s, "\uFFFD")} }

// NumberValue returns the number of a JSON literal: an integer if it is the decimal
// spelling of an int64, else a decimal. Errors: ErrValue.
func NumberValue(literal string) (Value, error) {
	if v, err := strconv.ParseInt(literal, 10, 64); err == nil && strconv.FormatInt(v, 10) == literal {
		return IntValue(v), nil
	}
	if !isNumber(literal) {
		return Value{}, fmt.Errorf("%s is not a number: %w", Quote(literal), ErrValue)
	}
	return Value{KindDecimal, literal}, nil
}

func isNumber(s string) bool {
	return s != "" && (s[0] == '-' || s[0] >= '0' && s[0] <= '9') && s[len(s)-1] >= '0' && s[len(s)-1] <= '9' && json.Valid([]byte(s))
}

// ListValue returns a list of values. Lists among them are flattened.
func ListValue(items ...Value) Value {
	var flat []Value
	for _, v := range items {
		flat = slices.AppendSeq(flat, v.Each())
	}
	b := merkle.AppendList(nil, len(flat))
	for _, v := range flat {
		b = v.Append(b)
	}
	return Value{KindList, string(b)}
}

// Equal is ==, for comparing in tests.
func (v Value) Equal(o Value) bool { return v == o }

// Kind returns the kind of the value.
func (v Value) Kind() Kind { return v.kind }

// Bool returns a truth value; false for another kind.
func (v Value) Bool() bool { return v == BoolValue(true) }

// Int returns an integer; 0 for another kind.
func (v Value) Int() int64 {
	if v.kind != KindInt {
		return 0
	}
	n, _ := strconv.ParseInt(v.text, 10, 64)
	return n
}

// Items returns the values of a list; nil for another kind.
func (v Value) Items() []Value {
	if v.kind != KindList {
		return nil
	}
	return slices.Collect(v.Each())
}

// Each yields the items of a list, or any other value itself.
func (v Value) Each() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if v.kind != KindList {
			yield(v)
			return
		}
		r := merkle.NewReader([]byte(v.text))
		for range r.List() {
			if item, _ := readItem(r); !yield(item) {
				return
			}
		}
	}
}

// String returns the value as written in a property: a text, a number's literal, true or
// false, "" for null, the items of a list separated by spaces.
func (v Value) String() string {
	if v.kind != KindList {
		return v.text
	}
	var words []string
	for item := range v.Each() {
		words = append(words, item.text)
	}
	return strings.Join(words, " ")
}

// Encoded returns the value's canonical encoding, which ParseValue reads.
func (v Value) Encoded() string {
	var short [64]byte // not on the heap
	return string(v.Append(short[:0]))
}

// Append appends the value's canonical encoding.
func (v Value) Append(b []byte) []byte {
	switch v.kind {
	case KindBool:
		return merkle.AppendBool(b, v.Bool())
	case KindInt:
		return merkle.AppendInt(b, v.Int())
	case KindDecimal:
		return merkle.AppendText(append(b, decimalHead...), v.text)
	case KindText:
		return merkle.AppendText(b, v.text)
	case KindList:
		return append(b, v.text...)
	default:
		return merkle.AppendNull(b)
	}
}

// size returns the length of the value's encoding, 0 for null.
func (v Value) size() int {
	var b [16]byte
	switch v.kind {
	case KindNull:
		return 0
	case KindBool, KindInt:
		return len(v.Append(b[:0]))
	case KindList:
		return len(v.text)
	}
	head := merkle.AppendList(b[:0], len(v.text)) // as long as the head of a text
	if v.kind == KindDecimal {
		head = append(head, decimalHead...)
	}
	return len(head) + len(v.text)
}

// ParseValue parses the canonical encoding of a value. Errors: ErrValue.
func ParseValue(enc string) (v Value, err error) {
	r := merkle.NewReader([]byte(enc))
	if r.Peek() == merkle.KindList {
		v = Value{KindList, enc}
		for range r.List() {
			_, bad := readItem(r)
			err = cmp.Or(err, bad)
		}
	} else {
		v, err = readItem(r)
	}
	if err = cmp.Or(r.Done(), err); err != nil {
		return Value{}, fmt.Errorf("value: %w: %w", ErrValue, err)
	}
	return v, nil
}

// readItem reads a value other than a list. Errors are returned or kept by the reader.
func readItem(r *merkle.Reader) (Value, error) {
	switch r.Peek() {
	case merkle.KindNull:
		r.Null()
		return Value{}, nil
	case merkle.KindBool:
		return BoolValue(r.Bool()), nil
	case merkle.KindInt:
		return IntValue(r.Int()), nil
	case merkle.KindMap:
		r.FixedMap(1)
		r.Key("d")
		v, err := NumberValue(r.Text())
		if err == nil && v.kind != KindDecimal {
			err = errInteger
		}
		return v, err
	default:
		return TextValue(r.Text()), nil
	}
}

var errInteger = errors.New("an integer as a decimal")

// MarshalJSON returns the value as JSON: a decimal as a number in its original digits.
func (v Value) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil), nil }

// AppendJSON appends the value as JSON.
func (v Value) AppendJSON(b []byte) []byte {
	switch v.Kind() {
	case KindNull:
		return append(b, "null"...)
	case KindText:
		return AppendQuoted(b, v.String())
	case KindList:
		b = append(b, '[')
		for i, item := range v.Items() {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.AppendJSON(b)
		}
		return append(b, ']')
	default:
		return append(b, v.String()...)
	}
}

// AppendQuoted appends a JSON string; invalid UTF-8 becomes U+FFFD.
func AppendQuoted(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, '\\', 'n')
		case r < 0x20:
			b = append(b, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}
