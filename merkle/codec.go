// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle

import (
	"cmp"
	"errors"
	"maps"
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

// Encode returns what a form writes.
func Encode(form func(*Codec)) []byte {
	var c Codec
	form(&c)
	return c.Out
}

// Decode has a form read all of a block.
func Decode(block []byte, form func(*Codec)) error {
	c := Codec{In: NewReader(block)}
	form(&c)
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

// List is a list of any length.
func List[T any](c *Codec, all *[]T, one func(*T, *Codec)) {
	if c.In == nil {
		c.Out = AppendList(c.Out, len(*all))
		for i := range *all {
			one(&(*all)[i], c)
		}
		return
	}
	const most = 1 << 12 // elements for which there is room before they are read
	n := c.In.List()
	*all = slices.Grow(*all, min(n, most))
	for range n {
		*all = append(*all, *new(T))
		if one(&(*all)[len(*all)-1], c); c.Fail(nil) {
			return
		}
	}
}

// Entries is a map as the list of its entries, in an order of the keys.
func Entries[K comparable, V any](c *Codec, all map[K]V, order func(a, b K) int, one func(*K, *V, *Codec)) {
	if c.In == nil {
		c.Out = AppendList(c.Out, len(all))
		for _, k := range slices.SortedFunc(maps.Keys(all), order) {
			v := all[k]
			one(&k, &v, c)
		}
		return
	}
	for range c.In.List() {
		var k K
		var v V
		if one(&k, &v, c); c.Fail(nil) {
			return
		}
		all[k] = v
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

// Map begins a map of n pairs, whose keys Key names.
func (c *Codec) Map(n int) {
	if c.In != nil {
		c.In.FixedMap(n)
	} else {
		c.Out = AppendMap(c.Out, n)
	}
}

// Key is the next key of a map.
func (c *Codec) Key(name string) {
	if c.In != nil {
		c.In.Key(name)
	} else {
		c.Out = AppendText(c.Out, name)
	}
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

func value[T any](c *Codec, v *T, read func(*Reader) T, write func([]byte, T) []byte) {
	if c.In != nil {
		*v = read(c.In)
	} else {
		c.Out = write(c.Out, *v)
	}
}

// Text is a text.
func (c *Codec) Text(s *string) { value(c, s, (*Reader).Text, AppendText[string]) }

// Bytes is a byte string.
func (c *Codec) Bytes(s *string) {
	value(c, s, func(r *Reader) string { return string(r.Bytes()) }, AppendBytes[string])
}

// Link is a link to a block.
func (c *Codec) Link(d *Digest) { value(c, d, (*Reader).Link, AppendLink) }

// Int is an integer.
func (c *Codec) Int(n *int64) { value(c, n, (*Reader).Int, AppendInt) }

// Uint is a number from 0.
func (c *Codec) Uint(n *uint64) { value(c, n, (*Reader).Uint, AppendUint) }

// ErrRange is returned for a number out of range.
var ErrRange = errors.New("a number out of range")

// Number is a number from 0 to most.
func (c *Codec) Number(n *int, most uint64) {
	wide := uint64(*n)
	if c.Uint(&wide); c.In != nil && wide > most {
		c.Fail(ErrRange)
	}
	*n = int(wide)
}

// Content is a text whose bytes can be blocks of their own.
func (c *Codec) Content(s *string) {
	var err error
	if c.In != nil {
		*s, err = ReadContent(c.In, c.Load)
	} else {
		c.Out, err = AppendContent(c.Out, *s, c.Emit)
	}
	c.Fail(err)
}

// Nested is a content that has a form of its own. size is about how many bytes it writes.
func (c *Codec) Nested(size int, form func(*Codec)) {
	in, text := Codec{Out: make([]byte, 0, size)}, ""
	if c.In == nil {
		form(&in)
		text = string(in.Out)
		c.Fail(in.Err)
	}
	if c.Content(&text); c.In != nil && c.Err == nil {
		in = Codec{In: NewReader([]byte(text))}
		form(&in)
		c.Fail(in.Done())
	}
}
