// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/fovea-memory/fovea/merkle"
)

// Limits of the format. A Writer keeps them, and a Reader rejects more.
const (
	MaxBlock  = 1 << 20 // bytes of a block
	MaxRoots  = 64
	MaxHeader = 4 << 10 // bytes of the header, without its length
)

const (
	version     = 1
	headerFirst = 0xa2 // a map of two pairs
	// cidHeader precedes the digest in a CID: version 1, dag-cbor, sha2-256, 32 bytes.
	cidHeader = "\x01\x71\x12\x20"
	// rawHeader is the same with the codec raw.
	rawHeader = "\x01\x55\x12\x20"
	cidSize   = len(cidHeader) + merkle.DigestSize
	maxLength = 3 // bytes of the length of a section, up to MaxBlock
	buffer    = 64 << 10
)

// AppendHeader appends the header of an archive, as a Writer writes it.
func AppendHeader(b []byte, roots []merkle.Digest) []byte {
	h := merkle.Encode(codeRoots(&roots))
	return append(binary.AppendUvarint(b, uint64(len(h))), h...)
}

// codeRoots encodes or decodes a header.
func codeRoots(roots *[]merkle.Digest) func(*merkle.Codec) {
	return func(c *merkle.Codec) {
		c.Map(2)
		c.Fields("roots", merkle.Links(MaxRoots, roots), "version", version)
	}
}

// Writer writes an archive. It is for one goroutine. After an error all calls return it.
type Writer struct {
	to    *bufio.Writer
	err   error
	size  int64
	count int
}

// NewWriter writes the header of an archive with 1 to MaxRoots roots. Errors: ErrTooLarge,
// those of w.
func NewWriter(w io.Writer, roots ...merkle.Digest) (*Writer, error) {
	if len(roots) == 0 || len(roots) > MaxRoots {
		return nil, fmt.Errorf("archive: %d roots, not 1 to %d: %w", len(roots), MaxRoots, ErrTooLarge)
	}
	a := &Writer{to: bufio.NewWriterSize(w, buffer)}
	a.write(AppendHeader(nil, roots))
	return a, a.err
}

// Put writes a block and returns its digest. It does not retain the block. Errors: ErrTooLarge,
// those of the stream.
func (a *Writer) Put(block []byte) (merkle.Digest, error) { return a.put(cidHeader, block) }

// PutRaw is Put with the codec raw, which only a mixed reader accepts.
func (a *Writer) PutRaw(block []byte) (merkle.Digest, error) { return a.put(rawHeader, block) }

func (a *Writer) put(header string, block []byte) (merkle.Digest, error) {
	d := merkle.Sum(block)
	if len(block) > MaxBlock && a.err == nil {
		return d, &Error{a.count + 1, d, a.size, fmt.Errorf("%d bytes: %w", len(block), ErrTooLarge)}
	}
	var name [maxLength + cidSize]byte
	a.write(appendName(name[:0], header, d, len(block)))
	a.write(block)
	a.count++
	return d, a.err
}

// appendName appends the length and the CID of a block.
func appendName(b []byte, header string, d merkle.Digest, size int) []byte {
	b = binary.AppendUvarint(b, uint64(cidSize+size))
	return append(append(b, header...), d[:]...)
}

// AppendBlock appends a block as a Writer writes it.
func AppendBlock(b, block []byte) []byte {
	return append(appendName(b, cidHeader, merkle.Sum(block), len(block)), block...)
}

func (a *Writer) write(b []byte) {
	if a.err != nil {
		return
	}
	n, err := a.to.Write(b)
	a.size += int64(n)
	if err != nil {
		a.err = fmt.Errorf("write archive: byte %d: %w", a.size, err)
	}
}

// Size returns the number of bytes written so far.
func (a *Writer) Size() int64 { return a.size }

// Blocks returns the number of blocks written so far.
func (a *Writer) Blocks() int { return a.count }

// Close flushes the buffer. It does not close the underlying stream.
func (a *Writer) Close() error {
	if a.err == nil {
		if err := a.to.Flush(); err != nil {
			a.err = fmt.Errorf("write archive: %w", err)
		}
	}
	return a.err
}
