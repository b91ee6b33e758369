// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"fmt"

	"github.com/fovea-memory/fovea/merkle"
)

// Coder writes values in the canonical encoding, or reads them where it has an input, so that each
// form is stated once. A field is a pointer to a value, or a function that codes it.
type Coder struct {
	Out []byte
	In  *merkle.Reader
	err error // a list that was too long
}

// Record codes a list of as many fields.
func (c *Coder) Record(fields ...any) {
	c.head(merkle.AppendList, (*merkle.Reader).FixedList, len(fields))
	for _, field := range fields {
		c.Value(field)
	}
}

// Map codes a map: a key and its field by turns, in the canonical order of keys.
func (c *Coder) Map(pairs ...any) {
	c.head(merkle.AppendMap, (*merkle.Reader).FixedMap, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		if key := pairs[i].(string); c.In != nil {
			c.In.Key(key)
		} else {
			c.Out = merkle.AppendText(c.Out, key)
		}
		c.Value(pairs[i+1])
	}
}

func (c *Coder) head(write func([]byte, int) []byte, read func(*merkle.Reader, int), n int) {
	if c.In != nil {
		read(c.In, n)
	} else {
		c.Out = write(c.Out, n)
	}
}

// Value codes a field.
func (c *Coder) Value(field any) {
	switch v := field.(type) {
	case *string:
		codeBy(c, v, merkle.AppendText, (*merkle.Reader).Text)
	case *uint64:
		codeBy(c, v, merkle.AppendUint, (*merkle.Reader).Uint)
	case *bool:
		codeBy(c, v, merkle.AppendBool, (*merkle.Reader).Bool)
	case *[]byte:
		codeBy(c, v, merkle.AppendBytes, (*merkle.Reader).Bytes)
	case *merkle.Digest:
		codeBy(c, v, merkle.AppendLink, (*merkle.Reader).Link)
	case func():
		v()
	default:
		panic(fmt.Sprintf("place: no form of %T", field))
	}
}

func codeBy[T any](c *Coder, v *T, write func([]byte, T) []byte, read func(*merkle.Reader) T) {
	if c.In != nil {
		*v = read(c.In)
	} else {
		c.Out = write(c.Out, *v)
	}
}

// Each returns a field that is a list; code codes each value. Of a list longer than most, nothing is
// read.
func Each[T any](c *Coder, all *[]T, most int, code func(*T)) func() {
	return func() {
		if c.In == nil {
			c.Out = merkle.AppendList(c.Out, len(*all))
			for i := range *all {
				code(&(*all)[i])
			}
			return
		}
		*all = nil
		n := c.In.List()
		if c.err == nil && n > most {
			c.err = fmt.Errorf("a list of %d values, more than %d: %w", n, most, ErrTooLarge)
		}
		for len(*all) < n && c.err == nil && c.In.Err() == nil {
			var one T
			code(&one)
			*all = append(*all, one)
		}
	}
}

// Links returns a field that is a list of links, at most that many.
func Links(c *Coder, all *[]merkle.Digest, most int) func() {
	return Each(c, all, most, func(d *merkle.Digest) { c.Value(d) })
}

// optional returns a field that is a link, or null for the zero digest.
func (c *Coder) optional(d *merkle.Digest) func() {
	return func() {
		switch {
		case c.In != nil && c.In.Peek() == merkle.KindNull:
			c.In.Null()
		case c.In == nil && d.IsZero():
			c.Out = merkle.AppendNull(c.Out)
		default:
			c.Value(d)
		}
	}
}

// Read reads a block by the code that writes it. Errors: about its encoding, ErrTooLarge.
func Read(block []byte, code func(*Coder)) error {
	c := &Coder{In: merkle.NewReader(block)}
	code(c)
	if err := c.In.Done(); c.err == nil {
		return err
	}
	return c.err
}

// Written returns the block that a code writes.
func Written(code func(*Coder)) []byte {
	c := &Coder{}
	code(c)
	return c.Out
}
