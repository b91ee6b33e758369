// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle

import "encoding/binary"

// Major types of CBOR (RFC 8949, section 3.1): the high three bits of an item's
// first byte.
const (
	majorUint  = 0x00
	majorInt   = 0x20
	majorBytes = 0x40
	majorText  = 0x60
	majorList  = 0x80
	majorMap   = 0xa0
	majorTag   = 0xc0
)

// Items of a single byte.
const (
	itemFalse = 0xf4
	itemTrue  = 0xf5
	itemNull  = 0xf6
)

// linkHeader precedes the digest in a link: tag 42, a byte string of 37 bytes,
// the identity multibase prefix, and the header of the CID.
const linkHeader = "\xd8\x2a\x58\x25\x00" + cidHeader

// linkSize is the encoded size of a link in bytes.
const linkSize = len(linkHeader) + DigestSize

// AppendMap appends the head of a map of n pairs. The caller appends the pairs,
// with keys by AppendText: unique, shorter keys first, keys of equal length in
// byte order. A negative n counts as 0.
func AppendMap(dst []byte, n int) []byte { return appendHead(dst, majorMap, uint64(max(n, 0))) }

// AppendList appends the head of a list of n values, which the caller appends.
// A negative n counts as 0.
func AppendList(dst []byte, n int) []byte { return appendHead(dst, majorList, uint64(max(n, 0))) }

// AppendText appends a text. s must be valid UTF-8; otherwise the encoding is
// not canonical and Check rejects it. Use AppendBytes for text that may be
// invalid.
func AppendText[S string | []byte](dst []byte, s S) []byte {
	return append(appendHead(dst, majorText, uint64(len(s))), s...)
}

// AppendBytes appends a byte string.
func AppendBytes[S string | []byte](dst []byte, s S) []byte {
	return append(appendHead(dst, majorBytes, uint64(len(s))), s...)
}

// AppendInt appends an integer.
func AppendInt(dst []byte, v int64) []byte {
	if v < 0 {
		return appendHead(dst, majorInt, uint64(-1-v))
	}
	return appendHead(dst, majorUint, uint64(v))
}

// AppendUint appends a non-negative integer.
func AppendUint(dst []byte, v uint64) []byte { return appendHead(dst, majorUint, v) }

// AppendBool appends a boolean.
func AppendBool(dst []byte, v bool) []byte {
	if v {
		return append(dst, itemTrue)
	}
	return append(dst, itemFalse)
}

// AppendNull appends null.
func AppendNull(dst []byte) []byte { return append(dst, itemNull) }

// AppendLink appends a link to the block with digest d.
func AppendLink(dst []byte, d Digest) []byte {
	return append(append(dst, linkHeader...), d[:]...)
}

// appendHead appends an item's first byte and argument in the shortest form.
func appendHead(dst []byte, major byte, arg uint64) []byte {
	switch {
	case arg < 24:
		return append(dst, major|byte(arg))
	case arg < 1<<8:
		return append(dst, major|24, byte(arg))
	case arg < 1<<16:
		return binary.BigEndian.AppendUint16(append(dst, major|25), uint16(arg))
	case arg < 1<<32:
		return binary.BigEndian.AppendUint32(append(dst, major|26), uint32(arg))
	default:
		return binary.BigEndian.AppendUint64(append(dst, major|27), arg)
	}
}
