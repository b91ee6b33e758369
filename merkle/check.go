// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"
)

// MaxDepth is the maximum nesting depth of lists and maps.
const MaxDepth = 64

// Check returns nil if b is the canonical encoding of exactly one value, else
// an error that wraps ErrCanonical and states the byte offset and the reason.
// It takes O(len(b)) and does not allocate.
func Check(b []byte) error {
	c := checker{b: b}
	c.value(0)
	if c.reason == "" && c.pos < len(b) {
		c.start = c.pos
		c.refuse("bytes after the value")
	}
	if c.reason != "" {
		return fmt.Errorf("check block: byte %d: %s: %w", c.start, c.reason, ErrCanonical)
	}
	return nil
}

type checker struct {
	b      []byte
	pos    int    // offset of the next byte to read
	start  int    // offset of the current item, or of the rejected one
	reason string // why the bytes are rejected; "" if they are not
}

func (c *checker) refuse(reason string) {
	if c.reason == "" {
		c.reason = reason
		c.pos = len(c.b)
	}
}

// value skips one value that is nested in depth lists and maps.
func (c *checker) value(depth int) {
	major, arg := c.head()
	switch {
	case c.reason != "":
	case major == majorBytes || major == majorText:
		c.stringBytes(major, arg)
	case major == majorList:
		if !c.enter(depth, arg) {
			return
		}
		for ; arg > 0 && c.reason == ""; arg-- {
			c.value(depth + 1)
		}
	case major == majorMap:
		if !c.enter(depth, arg) {
			return
		}
		c.pairs(depth, arg)
	case major == majorTag:
		c.link()
	}
}

// head reads an item's first byte and argument.
func (c *checker) head() (major byte, arg uint64) {
	if c.reason != "" {
		return 0, 0
	}
	c.start = c.pos
	if c.pos >= len(c.b) {
		c.refuse("the input ends before the value")
		return 0, 0
	}
	first := c.b[c.pos]
	c.pos++
	if first >= 0xe0 {
		if first != itemFalse && first != itemTrue && first != itemNull {
			c.refuse("a float, or a simple value other than false, true and null")
		}
		return first, 0
	}
	major, short := first&0xe0, first&0x1f
	if short < 24 {
		return major, uint64(short)
	}
	if short > 27 {
		c.refuse("an indefinite length, or a reserved one")
		return 0, 0
	}
	size := 1 << (short - 24)
	if len(c.b)-c.pos < size {
		c.refuse("the input ends inside a length or number")
		return 0, 0
	}
	var wide [8]byte
	copy(wide[8-size:], c.b[c.pos:c.pos+size])
	arg = binary.BigEndian.Uint64(wide[:])
	c.pos += size
	if minArg := [...]uint64{24, 1 << 8, 1 << 16, 1 << 32}[short-24]; arg < minArg {
		c.refuse("a length or number that is not in its shortest form")
	}
	return major, arg
}

// enter rejects a list or map that is nested too deeply or has more values than
// bytes remain: a value takes at least one byte.
func (c *checker) enter(depth int, n uint64) bool {
	if depth >= MaxDepth {
		c.refuse("lists and maps nested more deeply than the limit")
		return false
	}
	if n > uint64(len(c.b)-c.pos) {
		c.refuse("a list or map longer than the input")
		return false
	}
	return true
}

// stringBytes skips the bytes of a text or byte string and returns them.
func (c *checker) stringBytes(major byte, n uint64) []byte {
	if n > uint64(len(c.b)-c.pos) {
		c.refuse("a string longer than the input")
		return nil
	}
	s := c.b[c.pos : c.pos+int(n)]
	if major == majorText && !utf8.Valid(s) {
		c.refuse("text that is not UTF-8")
	}
	c.pos += int(n)
	return s
}

// pairs skips the keys and values of a map.
func (c *checker) pairs(depth int, n uint64) {
	var last []byte
	for i := range n {
		major, size := c.head()
		if c.reason == "" && major != majorText {
			c.refuse("a map key that is not text")
		}
		if c.reason != "" {
			return
		}
		start := c.start
		key := c.stringBytes(major, size)
		if i > 0 && (len(key) < len(last) || len(key) == len(last) && string(key) <= string(last)) {
			c.refuse("map keys out of order, or a repeated key")
		}
		if c.reason != "" {
			c.start = start
			return
		}
		last = key
		c.value(depth + 1)
	}
}

// link skips the rest of a link, after the first byte of its tag.
func (c *checker) link() {
	rest := c.b[c.start:]
	if len(rest) < linkSize || string(rest[:len(linkHeader)]) != linkHeader {
		c.refuse("a tag that is not a link to a dag-cbor block by sha2-256")
		return
	}
	c.pos = c.start + linkSize
}
