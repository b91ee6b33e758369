// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle

import (
	"fmt"
	"math"
)

// Kind is the kind of an encoded value.
type Kind byte

// The kinds of values. Peek returns KindNone if no value follows.
const (
	KindNone Kind = iota
	KindInt       // an integer from -2^64 to 2^64-1
	KindBytes
	KindText
	KindList
	KindMap
	KindLink
	KindBool
	KindNull
)

var kindNames = [...]string{"nothing", "int", "bytes", "text", "list", "map", "link", "bool", "null"}

// String returns the name of the kind for messages.
func (k Kind) String() string { return kindNames[k] }

// Reader reads the values of one block in the order in which they were
// appended. The first error is permanent: all later reads return zero values
// and Err returns the error, so a decoder can check once at the end. A Reader
// must be used by one goroutine only.
type Reader struct {
	b   []byte
	pos int
	err error
}

// NewReader returns a Reader for a block. It checks the whole block in
// O(len(block)); if the block is not canonical, Err returns ErrCanonical from
// the start. The Reader retains block, which must not change while the Reader
// is in use.
func NewReader(block []byte) *Reader {
	r := &Reader{b: block}
	if err := Check(block); err != nil {
		r.err = err
	}
	return r
}

// Err returns nil or the first error, which wraps ErrCanonical or ErrKind.
func (r *Reader) Err() error { return r.err }

// Done returns Err, or ErrKind if there are unread values.
func (r *Reader) Done() error {
	if r.err == nil && r.pos < len(r.b) {
		r.fail(fmt.Sprintf("end, not %s", r.Peek()))
	}
	return r.err
}

// Peek returns the kind of the next value without reading it. It returns
// KindNone after the last value and after an error.
func (r *Reader) Peek() Kind {
	if r.err != nil || r.pos >= len(r.b) {
		return KindNone
	}
	switch first := r.b[r.pos]; first & 0xe0 {
	case majorUint, majorInt:
		return KindInt
	case majorBytes:
		return KindBytes
	case majorText:
		return KindText
	case majorList:
		return KindList
	case majorMap:
		return KindMap
	case majorTag:
		return KindLink
	default:
		if first == itemNull {
			return KindNull
		}
		return KindBool
	}
}

// Map reads the head of a map and returns the number of its pairs. Each pair is
// a key, which is a text, and a value. The block is large enough to hold them.
func (r *Reader) Map() int { return int(r.expect(KindMap)) }

// List reads the head of a list and returns the number of its values. The block
// is large enough to hold them.
func (r *Reader) List() int { return int(r.expect(KindList)) }

// FixedMap reads the head of a map, which must have n pairs.
func (r *Reader) FixedMap(n int) { r.expectLen(KindMap, n) }

// FixedList reads the head of a list, which must have n values.
func (r *Reader) FixedList(n int) { r.expectLen(KindList, n) }

// Key reads a text that must equal name: the next key of a map with known keys.
func (r *Reader) Key(name string) {
	at := r.pos
	if got := r.stringBytes(KindText); r.err == nil && string(got) != name {
		r.pos = at
		r.fail(fmt.Sprintf("key %q, not %q", name, got[:min(len(got), 60)]))
	}
}

// Text reads a text. The string is a copy.
func (r *Reader) Text() string { return string(r.stringBytes(KindText)) }

// Bytes reads a byte string. The slice points into the block.
func (r *Reader) Bytes() []byte { return r.stringBytes(KindBytes) }

// Int reads an integer. A value outside the range of int64 is ErrKind.
func (r *Reader) Int() int64 {
	at, negative := r.pos, r.Peek() == KindInt && r.b[r.pos]&0xe0 == majorInt
	v := r.expect(KindInt)
	switch {
	case v > math.MaxInt64:
		r.pos = at
		r.fail("int of 64 bits, not a larger one")
		return 0
	case negative:
		return -1 - int64(v)
	default:
		return int64(v)
	}
}

// Uint reads a non-negative integer. A negative one is ErrKind.
func (r *Reader) Uint() uint64 {
	if r.Peek() == KindInt && r.b[r.pos]&0xe0 == majorInt {
		r.fail("int from 0, not a negative one")
		return 0
	}
	return r.expect(KindInt)
}

// Bool reads a boolean.
func (r *Reader) Bool() bool {
	at := r.pos
	r.expect(KindBool)
	return r.err == nil && r.b[at] == itemTrue
}

// Null reads a null.
func (r *Reader) Null() { r.expect(KindNull) }

// Link reads a link and returns the digest in it.
func (r *Reader) Link() (d Digest) {
	at := r.pos
	r.expect(KindLink)
	if r.err == nil {
		copy(d[:], r.b[at+len(linkHeader):])
	}
	return d
}

// Raw reads the next value, of any kind, with all nested values, and returns
// its encoding. The slice points into the block.
func (r *Reader) Raw() []byte {
	if r.Peek() == KindNone {
		r.fail("a value, not nothing")
		return nil
	}
	c := checker{b: r.b, pos: r.pos}
	c.value(0)
	raw := r.b[r.pos:c.pos:c.pos]
	r.pos = c.pos
	return raw
}

// expect reads the head of a value of kind k and returns its argument.
// NewReader has checked the block, so the head is complete and the declared
// bytes exist.
func (r *Reader) expect(k Kind) uint64 {
	if got := r.Peek(); got != k {
		r.fail(fmt.Sprintf("%s, not %s", k, got))
		return 0
	}
	if k == KindLink {
		r.pos += linkSize
		return 0
	}
	c := checker{b: r.b, pos: r.pos}
	_, arg := c.head()
	r.pos = c.pos
	return arg
}

func (r *Reader) stringBytes(k Kind) []byte {
	n := int(r.expect(k))
	if r.err != nil {
		return nil
	}
	s := r.b[r.pos : r.pos+n : r.pos+n]
	r.pos += n
	return s
}

func (r *Reader) expectLen(k Kind, n int) {
	at := r.pos
	if got := r.expect(k); r.err == nil && got != uint64(n) {
		r.pos = at
		r.fail(fmt.Sprintf("%s of %d, not of %d", k, n, got))
	}
}

func (r *Reader) fail(want string) {
	if r.err == nil {
		r.err = fmt.Errorf("read block: byte %d: want %s: %w", r.pos, want, ErrKind)
	}
}
