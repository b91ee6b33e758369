// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package document

import (
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

// Value is a typed value of an attribute. It is immutable, and comparable by ==, because
// it is its canonical encoding. The zero Value is null.
type Value struct{ enc string } // "" for null

// decimalHead begins a decimal: a map of one pair whose key is "d".
const decimalHead = "\xa1\x61d"

// BoolValue returns a truth value.
func BoolValue(v bool) Value { return Value{string(merkle.AppendBool(nil, v))} }

// IntValue returns an integer.
func IntValue(v int64) Value { return Value{string(merkle.AppendInt(nil, v))} }

// TextValue returns a text; invalid UTF-8 becomes U+FFFD.
func TextValue(s string) Value {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return Value{string(merkle.AppendText(make([]byte, 0, len(s)+5), s))}
}

// NumberValue returns the number of a JSON literal: an integer if it is the decimal
// spelling of an int64, else a decimal. Errors: ErrValue.
func NumberValue(literal string) (Value, error) {
	if v, err := strconv.ParseInt(literal, 10, 64); err == nil && strconv.FormatInt(v, 10) == literal {
		return IntValue(v), nil
	}
	if !isNumber(literal) {
		return Value{}, fmt.Errorf("%s is no number: %w", Quote(literal), ErrValue)
	}
	return Value{string(merkle.AppendText([]byte(decimalHead), literal))}, nil
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
	return Value{string(b)}
}

// Equal is ==, for comparing in tests.
func (v Value) Equal(o Value) bool { return v == o }

// Kind returns the kind of the value.
func (v Value) Kind() Kind {
	if v.enc == "" {
		return KindNull
	}
	switch first := v.enc[0]; {
	case first < 0x40:
		return KindInt
	case first < 0x80:
		return KindText
	case first < 0xa0:
		return KindList
	case first < 0xc0:
		return KindDecimal
	default:
		return KindBool
	}
}

// Bool returns a truth value; false for another kind.
func (v Value) Bool() bool { return v == BoolValue(true) }

// Int returns an integer; 0 for another kind.
func (v Value) Int() int64 {
	if v.Kind() != KindInt {
		return 0
	}
	arg, _ := head(v.enc)
	if negative := v.enc[0] >= 0x20; negative {
		return -1 - int64(arg)
	}
	return int64(arg)
}

// Items returns the values of a list; nil for another kind.
func (v Value) Items() []Value {
	if v.Kind() != KindList {
		return nil
	}
	count, _ := head(v.enc)
	return slices.AppendSeq(make([]Value, 0, count), v.Each())
}

// Count returns how many items a list has, 0 for null and 1 for any other value.
func (v Value) Count() int {
	switch v.Kind() {
	case KindNull:
		return 0
	case KindList:
		n, _ := head(v.enc)
		return n
	default:
		return 1
	}
}

// Each yields the items of a list, or any other value itself.
func (v Value) Each() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if v.Kind() != KindList {
			yield(v)
			return
		}
		count, at := head(v.enc)
		for range count {
			end := at + itemSize(v.enc[at:])
			if !yield(Value{v.enc[at:end]}.normal()) {
				return
			}
			at = end
		}
	}
}

// itemSize returns the encoded size of the first item of enc, which is valid.
func itemSize(enc string) int {
	switch (Value{enc}).Kind() {
	case KindText:
		length, at := head(enc)
		return at + length
	case KindDecimal:
		length, at := head(enc[len(decimalHead):])
		return len(decimalHead) + at + length
	default:
		_, at := head(enc)
		return at
	}
}

// head decodes the argument of the first item of enc and returns the offset after it.
func head(enc string) (arg, end int) {
	short := int(enc[0] & 0x1f)
	if short < 24 || enc[0] >= 0xe0 {
		return short, 1
	}
	end = 1 + 1<<(short-24)
	for _, b := range []byte(enc[1:end]) {
		arg = arg<<8 | int(b)
	}
	return arg, end
}

// String returns the value as written in a property: a text, a number's literal, true or
// false, "" for null, the items of a list separated by spaces. It may share the value's
// memory.
func (v Value) String() string {
	switch v.Kind() {
	case KindText:
		_, at := head(v.enc)
		return v.enc[at:]
	case KindDecimal:
		text := v.enc[len(decimalHead):]
		_, at := head(text)
		return text[at:]
	case KindInt:
		return strconv.FormatInt(v.Int(), 10)
	case KindBool:
		return strconv.FormatBool(v.Bool())
	case KindList:
		var words []string
		for item := range v.Each() {
			words = append(words, item.String())
		}
		return strings.Join(words, " ")
	default:
		return ""
	}
}

// encodedNull is the encoding of null in a block.
const encodedNull = "\xf6"

// Encoded returns the value's canonical encoding, which ParseValue reads.
func (v Value) Encoded() string {
	if v.enc == "" {
		return encodedNull
	}
	return v.enc
}

// Append appends the value's canonical encoding.
func (v Value) Append(b []byte) []byte { return append(b, v.Encoded()...) }

// ParseValue reads a value from its canonical encoding, whose memory it shares.
// Anything else is ErrValue.
func ParseValue(enc string) (Value, error) {
	r := merkle.NewReader([]byte(enc))
	checkValue(r, true)
	if err := r.Done(); err != nil {
		return Value{}, fmt.Errorf("value: %w: %w", ErrValue, err)
	}
	if v := (Value{enc}); v.sound() {
		return v.normal(), nil
	}
	return Value{}, fmt.Errorf("value: a decimal that is no number: %w", ErrValue)
}

// normal gives null its one form.
func (v Value) normal() Value {
	if v.enc == encodedNull {
		return Value{}
	}
	return v
}

// checkValue reads over a value; the reader's error tells what is none.
func checkValue(r *merkle.Reader, lists bool) {
	switch r.Peek() {
	case merkle.KindNull:
		r.Null()
	case merkle.KindBool:
		r.Bool()
	case merkle.KindInt:
		r.Int()
	case merkle.KindMap:
		r.FixedMap(1)
		r.Key("d")
		r.Text()
	case merkle.KindList:
		if !lists {
			r.Text() // the error: a list is no item
			return
		}
		for range r.List() {
			checkValue(r, false)
		}
	default:
		r.Text()
	}
}

// sound reports whether all decimals in a value are numbers, and none an int64.
func (v Value) sound() bool {
	for item := range v.Each() {
		if item.Kind() == KindDecimal {
			if n, err := NumberValue(item.String()); err != nil || n != item {
				return false
			}
		}
	}
	return true
}

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
