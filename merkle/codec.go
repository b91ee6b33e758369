// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Codec writes a value in the canonical encoding, or reads one. A form is a function that takes a
// Codec and names each part of the value once, in order; it serves for reading and for writing.
// After an error, all values that were read are invalid. The zero Codec writes. A Codec must be
// used by one goroutine only.
type Codec struct {
	Out  []byte                       // the bytes written so far
	Emit func(Digest, []byte) error   // takes the blocks of long contents, see AppendContent
	In   *Reader                      // nil to write
	Load func(Digest) ([]byte, error) // returns the blocks of long contents, see ReadContent

	Err error // the first error
}

// Encode returns the encoding of fields, see Fields.
func Encode(fields ...any) []byte {
	var c Codec
	c.Fields(fields...)
	return c.Out
}

// Decode reads fields from a whole block, see Fields.
func Decode(block []byte, fields ...any) error {
	c := Codec{In: NewReader(block)}
	c.Fields(fields...)
	return c.Done()
}

// Fail keeps the first error, and reports whether there is one.
func (c *Codec) Fail(err error) bool {
	if c.Err = cmp.Or(c.Err, err); c.Err == nil && c.In != nil {
		c.Err = c.In.Err()
	}
	return c.Err != nil
}

// Done returns the first error; unread values are an error.
func (c *Codec) Done() error {
	if c.In != nil {
		c.Fail(c.In.Done())
	}
	return c.Err
}

// blob is a text that is encoded as a byte string.
type blob string

// Bytes is a byte string as a field.
func Bytes(s *string) any { return (*blob)(s) }

// Fields reads or writes values in order. A field is a pointer to a text, a number, a bool, a byte
// string (see also Bytes) or a link; another form; or a constant that must be there, such as the key of
// a map: a text or a non-negative number.
func (c *Codec) Fields(fields ...any) {
	for _, field := range fields {
		switch v := field.(type) {
		case *string:
			value(c, v, (*Reader).Text, AppendText[string])
		case *Digest:
			value(c, v, (*Reader).Link, AppendLink)
		case *blob:
			value(c, v, func(r *Reader) blob { return blob(r.Bytes()) }, func(b []byte, s blob) []byte { return AppendBytes(b, string(s)) })
		case *int64:
			value(c, v, (*Reader).Int, AppendInt)
		case *uint64:
			value(c, v, (*Reader).Uint, AppendUint)
		case *bool:
			value(c, v, (*Reader).Bool, AppendBool)
		case *[]byte:
			value(c, v, func(r *Reader) []byte { return bytes.Clone(r.Bytes()) }, AppendBytes[[]byte])
		case func(*Codec):
			v(c)
		case string:
			if c.In != nil {
				c.In.Key(v)
			} else {
				c.Out = AppendText(c.Out, v)
			}
		case int:
			if is := v; c.Number(&is, math.MaxInt) && is != v {
				c.Fail(fmt.Errorf("%d in place of %d: %w", is, v, ErrRange))
			}
		default:
			panic(fmt.Sprintf("merkle: no form of %T", field))
		}
	}
}

func value[T any](c *Codec, v *T, read func(*Reader) T, write func([]byte, T) []byte) {
	if c.In != nil {
		*v = read(c.In)
	} else {
		c.Out = write(c.Out, *v)
	}
}

// Record reads or writes a list of fields.
func (c *Codec) Record(fields ...any) {
	c.Fixed(len(fields))
	c.Fields(fields...)
}

// Record is the form of a list of fields.
func Record(fields ...any) func(*Codec) { return func(c *Codec) { c.Record(fields...) } }

// Map begins a map of n pairs. Each pair is a constant field and a value, in the canonical order.
func (c *Codec) Map(n int) {
	if c.In != nil {
		c.In.FixedMap(n)
	} else {
		c.Out = AppendMap(c.Out, n)
	}
}

// List is the form of a list of any length.
func List[T any](all *[]T, one func(*T, *Codec)) func(*Codec) {
	return ListTo(math.MaxInt, all, one)
}

// ListTo is the form of a list of at most that many values. Reading a longer one is ErrTooLarge.
func ListTo[T any](most int, all *[]T, one func(*T, *Codec)) func(*Codec) {
	return func(c *Codec) {
		const room = 1 << 12 // maximum capacity that is reserved before elements are read
		n := c.Size(len(*all))
		if c.In == nil {
			for i := 0; i < n && c.Err == nil; i++ {
				one(&(*all)[i], c)
			}
			return
		}
		if n > most {
			c.Fail(fmt.Errorf("a list of %d values, more than %d: %w", n, most, ErrTooLarge))
		}
		for *all = slices.Grow((*all)[:0], min(n, most, room)); len(*all) < n && !c.Fail(nil); {
			*all = append(*all, *new(T))
			one(&(*all)[len(*all)-1], c)
		}
	}
}

// Links is the form of a list of at most that many links.
func Links(most int, all *[]Digest) func(*Codec) {
	return ListTo(most, all, func(d *Digest, c *Codec) { c.Fields(d) })
}

// Entries is the form of a map as the list of its entries, ordered by key.
func Entries[K comparable, V any](all map[K]V, order func(a, b K) int, one func(*K, *V, *Codec)) func(*Codec) {
	return func(c *Codec) {
		n := c.Size(len(all))
		if c.In == nil {
			for _, k := range slices.SortedFunc(maps.Keys(all), order) {
				v := all[k]
				one(&k, &v, c)
			}
			return
		}
		for range n {
			var k K
			var v V
			if one(&k, &v, c); c.Fail(nil) {
				return
			}
			all[k] = v
		}
	}
}

// Fixed begins a list of n values.
func (c *Codec) Fixed(n int) {
	if c.In != nil {
		c.In.FixedList(n)
	} else {
		c.Out = AppendList(c.Out, n)
	}
}

// Size begins a list of n values, and returns the number of values in the list.
func (c *Codec) Size(n int) int {
	if c.In != nil {
		return c.In.List()
	}
	c.Out = AppendList(c.Out, n)
	return n
}

// Has reads or writes null if an optional value is absent. It reports whether the value is
// present, which the caller then reads or writes.
func (c *Codec) Has(there bool) bool {
	switch {
	case c.In != nil && c.In.Peek() == KindNull:
		c.In.Null()
		return false
	case c.In == nil && !there:
		c.Out = AppendNull(c.Out)
		return false
	}
	return true
}

// ErrRange is returned for a number out of range.
var ErrRange = errors.New("a number out of range")

// Number reads or writes a number from 0 to most. It reports whether there was no error so far.
func (c *Codec) Number(n *int, most uint64) bool {
	wide := uint64(*n)
	if c.Fields(&wide); c.In != nil && wide > most {
		c.Fail(ErrRange)
	}
	*n = int(wide)
	return !c.Fail(nil)
}

// Content is the form of a text whose bytes may be in blocks of their own.
func Content(s *string) func(*Codec) {
	return func(c *Codec) {
		var err error
		if c.In != nil {
			*s, err = ReadContent(c.In, c.Load)
		} else {
			c.Out, err = AppendContent(c.Out, *s, c.Emit)
		}
		c.Fail(err)
	}
}

// Nested is the form of a content whose bytes another form encodes. size estimates their number.
func Nested(size int, form func(*Codec)) func(*Codec) {
	return func(c *Codec) {
		in, text := Codec{Out: make([]byte, 0, size), Emit: c.Emit, Load: c.Load}, ""
		if c.In == nil {
			form(&in)
			text = string(in.Out)
			c.Fail(in.Err)
		}
		if c.Fields(Content(&text)); c.In != nil && c.Err == nil {
			in.In = NewReader([]byte(text))
			form(&in)
			c.Fail(in.Done())
		}
	}
}
