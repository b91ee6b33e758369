// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/fovea-memory/fovea/merkle"
)

// Block is one block of an archive. Its bytes have its digest.
type Block struct {
	Digest merkle.Digest
	// Data is valid until the next call of Next.
	Data []byte
	// Number is the number of the block in the archive, from 1.
	Number int
	// Offset is the byte at which its section begins.
	Offset int64
	// Raw means that its CID has the codec raw; see NewMixedReader.
	Raw bool
}

// Reader reads an archive. It is for one goroutine. After an error, or io.EOF, all calls return it.
type Reader struct {
	from   *bufio.Reader
	roots  []merkle.Digest
	buf    []byte // of one block
	err    error
	offset int64
	count  int
	mixed  bool // accepts raw blocks too
}

// NewMixedReader is NewReader for a stream from an IPFS node, which may have raw blocks.
func NewMixedReader(r io.Reader) (*Reader, error) {
	a, err := NewReader(r)
	if err == nil {
		a.mixed = true
	}
	return a, err
}

// NewReader reads the header of an archive. Errors are an Error with ErrStream,
// ErrTruncated, ErrTooLarge, or that of r.
func NewReader(r io.Reader) (*Reader, error) {
	a := &Reader{from: bufio.NewReaderSize(r, buffer)}
	if err := a.header(); err != nil {
		a.err = &Error{Err: err}
		return nil, a.err
	}
	return a, nil
}

func (a *Reader) header() error {
	size, err := a.length(MaxHeader)
	switch {
	case err == io.EOF:
		return fmt.Errorf("it is empty: %w", ErrTruncated)
	case errors.Is(err, ErrTooLarge):
		return errors.Join(ErrStream, err)
	case err != nil:
		return err
	}
	if first, err := a.from.Peek(1); err == nil && first[0] != headerFirst { // such as an HTML page
		return ErrStream
	}
	if err := a.fill(size); err != nil {
		return err
	}
	if err := merkle.Decode(a.buf, codeRoots(&a.roots)); err != nil {
		return fmt.Errorf("%w: %w", ErrStream, err)
	}
	if len(a.roots) == 0 {
		return fmt.Errorf("no roots: %w", ErrStream)
	}
	return nil
}

// Roots returns the roots in the header. The archive may lack them.
func (a *Reader) Roots() []merkle.Digest { return slices.Clone(a.roots) }

// Next returns the next block, io.EOF after the last one. A stream that was cut off between two
// blocks ends like a complete one: only the links in blocks show whether all are there. Errors are an Error with merkle.ErrDigest, ErrStream, ErrTruncated,
// ErrTooLarge, or that of the stream.
func (a *Reader) Next() (Block, error) {
	if a.err != nil {
		return Block{}, a.err
	}
	b := Block{Number: a.count + 1, Offset: a.offset}
	if err := a.block(&b); err == io.EOF {
		a.err = err
	} else if err != nil {
		a.err = &Error{b.Number, b.Digest, b.Offset, err}
	}
	if a.err != nil {
		return Block{}, a.err
	}
	a.count++
	return b, nil
}

func (a *Reader) block(b *Block) error {
	size, err := a.length(cidSize + MaxBlock)
	if err != nil {
		return err
	}
	if size < cidSize {
		return fmt.Errorf("%d bytes are too few for a block: %w", size, ErrStream)
	}
	var cid [cidSize]byte
	if err := a.read(cid[:]); err != nil {
		return err
	}
	b.Raw = a.mixed && string(cid[:len(rawHeader)]) == rawHeader
	if !b.Raw && string(cid[:len(cidHeader)]) != cidHeader {
		return fmt.Errorf("its name is not a CID of version 1, dag-cbor, sha2-256: %w", ErrStream)
	}
	b.Digest = merkle.Digest(cid[len(cidHeader):])
	if err := a.fill(size - cidSize); err != nil {
		return err
	}
	if merkle.Sum(a.buf) != b.Digest {
		return merkle.ErrDigest
	}
	b.Data = a.buf
	return nil
}

// length reads a length of at most limit in its shortest form. It returns io.EOF at the end.
func (a *Reader) length(limit int) (int, error) {
	n := 0
	for shift := 0; ; shift += 7 {
		c, err := a.from.ReadByte()
		if err == io.EOF && shift > 0 {
			err = ErrTruncated
		}
		if err != nil {
			return 0, err
		}
		a.offset++
		n |= int(c&0x7f) << shift
		switch {
		case n > limit || shift > 21:
			return 0, fmt.Errorf("more than %d bytes: %w", limit, ErrTooLarge)
		case c == 0 && shift > 0:
			return 0, fmt.Errorf("a length that is not in its shortest form: %w", ErrStream)
		case c < 0x80:
			return n, nil
		}
	}
}

// fill reads n bytes into the buffer.
func (a *Reader) fill(n int) error {
	a.buf = slices.Grow(a.buf[:0], n)[:n]
	return a.read(a.buf)
}

func (a *Reader) read(b []byte) error {
	n, err := io.ReadFull(a.from, b)
	a.offset += int64(n)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return ErrTruncated
	}
	return err
}

var (
	// ErrStream is returned for an archive that a Writer would not write.
	ErrStream = errors.New("not an archive that this version reads (CARv1 of dag-cbor blocks)")
	// ErrTruncated is returned for a stream that ends too early.
	ErrTruncated = errors.New("it ends too early; the file was cut off or not copied completely")
	// ErrTooLarge is returned for a header or a block above the limits of the format.
	ErrTooLarge = merkle.ErrTooLarge
)

// Error is a defect of an archive, with its position.
type Error struct {
	// Block is the number of the block, from 1; 0 is the header.
	Block int
	// Digest is the digest of the block, zero if it was not read.
	Digest merkle.Digest
	// Offset is the byte at which the block or the header begins.
	Offset int64
	// Err is the defect.
	Err error
}

// Error returns the block, its position and the defect.
func (e *Error) Error() string {
	switch {
	case e.Block == 0:
		return fmt.Sprintf("archive: header: %v", e.Err)
	case e.Digest.IsZero():
		return fmt.Sprintf("archive: block %d at byte %d: %v", e.Block, e.Offset, e.Err)
	}
	return fmt.Sprintf("archive: block %d (%s) at byte %d: %v", e.Block, e.Digest, e.Offset, e.Err)
}

// Unwrap returns the defect.
func (e *Error) Unwrap() error { return e.Err }
