// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"encoding/binary"
	"errors"
	"unsafe"
)

var errShort = errors.New("damaged: a length does not fit the section")

// cursor decodes the sections of an image without copying: its strings share the section's memory. After an
// error, which is in err, it returns zero values.
type cursor struct {
	s   string
	at  int
	err error
}

func (c *cursor) fail() {
	if c.err == nil {
		c.err = errShort
	}
	c.at = len(c.s)
}

func (c *cursor) uint() uint64 {
	if c.at < len(c.s) && c.s[c.at] < 0x80 { // most lengths are short
		c.at++
		return uint64(c.s[c.at-1])
	}
	rest := c.s[c.at:]
	v, n := binary.Uvarint(unsafe.Slice(unsafe.StringData(rest), len(rest)))
	if n <= 0 {
		c.fail()
		return 0
	}
	c.at += n
	return v
}

func (c *cursor) int() int64 {
	u := c.uint()
	v := int64(u >> 1)
	if u&1 != 0 {
		v = ^v
	}
	return v
}

// count decodes a number of items of at least size bytes each; more than the section can
// contain is an error, so that damage cannot cause a large allocation.
func (c *cursor) count(size int) int {
	v, rest := c.uint(), len(c.s)-c.at
	if v > uint64(rest) || int(v)*size > rest {
		c.fail()
		return 0
	}
	return int(v)
}

func (c *cursor) string() string { return c.take(c.uint()) }

// take decodes a string of n bytes. An empty one has no pointer for the collector to
// follow.
func (c *cursor) take(n uint64) string {
	if n == 0 {
		return ""
	}
	if n > uint64(len(c.s)-c.at) {
		c.fail()
		return ""
	}
	s := c.s[c.at:][:n]
	c.at += int(n)
	return s
}

func (c *cursor) byte() byte {
	if c.at >= len(c.s) {
		c.fail()
		return 0
	}
	c.at++
	return c.s[c.at-1]
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
