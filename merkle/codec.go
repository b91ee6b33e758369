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

// Codec writes a value in the canonical encoding, or reads one. A form, which is a function that
// takes a Codec, names each part of the value once, in its order, and so serves for both. After an
// error nothing of what was read counts. The zero Codec writes. A Codec must be used by one
// goroutine only.
type Codec struct {
	Out  []byte                       // what was written so far
	Emit func(Digest, []byte) error   // takes the blocks of long contents, see AppendContent
	In   *Reader                      // nil to write
	Load func(Digest) ([]byte, error) // returns the blocks of long contents, see ReadContent

	Err error // the first error
}

// Encode returns what fields write, see Fields.
func Encode(fields ...any) []byte {
	var c Codec
	c.Fields(fields...)
	return c.Out
}

// Decode has fields read all of a block, see Fields.
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

// Done returns the first error; values that are left to read are one.
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

// Fields codes values in their order. A field is a pointer to a text, a number, a bool, a byte string
// (see also Bytes) or a link; a form of its own; or a constant, a text or a number from 0, that must be
// there, such as the key of a map.
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
			c.word(v)
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

// word is a text that must be there.
func (c *Codec) word(text string) {
	if c.In != nil {
		c.In.Key(text)
	} else {
		c.Out = AppendText(c.Out, text)
	}
}

// Record is a list of some fields.
func (c *Codec) Record(fields ...any) {
	c.Fixed(len(fields))
	c.Fields(fields...)
}

// Record is the form of a list of some fields.
func Record(fields ...any) func(*Codec) { return func(c *Codec) { c.Record(fields...) } }

// Map begins a map of n pairs: fields that are by turns a constant and a value, in the canonical order.
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

// ListTo is the form of a list of at most that many values. Of a longer one nothing is read: ErrTooLarge.
func ListTo[T any](most int, all *[]T, one func(*T, *Codec)) func(*Codec) {
	return func(c *Codec) {
		const room = 1 << 12 // elements for which there is room before they are read
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

// Entries is the form of a map as the list of its entries, in an order of the keys.
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

// Size begins a list of n values, and returns how many there are.
func (c *Codec) Size(n int) int {
	if c.In != nil {
		return c.In.List()
	}
	c.Out = AppendList(c.Out, n)
	return n
}

// Has is null where a value is not there, and reports whether it is, so that the caller goes on
// with it.
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

// Number is a number from 0 to most. It reports whether all is well so far.
func (c *Codec) Number(n *int, most uint64) bool {
	wide := uint64(*n)
	if c.Fields(&wide); c.In != nil && wide > most {
		c.Fail(ErrRange)
	}
	*n = int(wide)
	return !c.Fail(nil)
}

// Content is the form of a text whose bytes can be blocks of their own.
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

// Nested is the form of a content that has a form of its own. size is about how many bytes it writes.
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
