// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"context"
	"io"
)

// WritePieces passes the pieces of a bundle to put, in order, sealed if there are recipients. Only
// the last may be shorter than size. put must not keep the bytes.
func WritePieces(ctx context.Context, sources []Source, to []Recipient, size int, put func(piece []byte) error) error {
	cut := &cutter{size: size, put: put}
	err := Sealed(cut, to, func(w io.Writer) error {
		_, err := WriteBundle(ctx, w, sources)
		return err
	})
	if err == nil {
		err = cut.flush()
	}
	return err
}

// cutter cuts a stream into pieces of a size.
type cutter struct {
	size int
	put  func(piece []byte) error
	buf  []byte
}

// Write adds bytes, and puts each piece that becomes full.
func (c *cutter) Write(data []byte) (int, error) {
	n := len(data)
	for len(data) > 0 {
		k := min(len(data), c.size-len(c.buf))
		c.buf, data = append(c.buf, data[:k]...), data[k:]
		if len(c.buf) == c.size {
			if err := c.flush(); err != nil {
				return 0, err
			}
		}
	}
	return n, nil
}

// flush puts the last piece. An empty stream has none.
func (c *cutter) flush() error {
	if len(c.buf) == 0 {
		return nil
	}
	piece := c.buf
	c.buf = c.buf[:0]
	return c.put(piece)
}

// Joined reads pieces as one stream.
type Joined struct {
	// Next returns the next piece, io.EOF after the last one.
	Next func() ([]byte, error)
	rest []byte
	err  error
}

// Read reads the next bytes. After an error it returns no more.
func (j *Joined) Read(b []byte) (int, error) {
	for len(j.rest) == 0 && j.err == nil {
		if j.rest, j.err = j.Next(); j.err != nil {
			return 0, j.err
		}
	}
	if j.err != nil {
		return 0, j.err
	}
	n := copy(b, j.rest)
	j.rest = j.rest[n:]
	return n, nil
}

// Err returns the error that ended the stream, nil for io.EOF.
func (j *Joined) Err() error {
	if j.err == io.EOF {
		return nil
	}
	return j.err
}
