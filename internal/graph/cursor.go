// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"encoding/binary"
	"errors"
	"unsafe"
)

var errShort = errors.New("damaged: a length does not fit the section")

// cursor reads the sections of an image without copying: its strings share the
// section's memory. After a fault it keeps returning zero values; err tells.
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

// count reads a number of things of at least size bytes each, so that a
// damaged count cannot ask for more memory than the section could fill.
func (c *cursor) count(size int) int {
	v, rest := c.uint(), len(c.s)-c.at
	if v > uint64(rest) || int(v)*size > rest {
		c.fail()
		return 0
	}
	return int(v)
}

func (c *cursor) string() string { return c.take(c.uint()) }

// take reads a string of n bytes. The empty one points nowhere, so that the
// collector need not follow it.
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
