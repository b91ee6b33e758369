// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"errors"
	"fmt"

	"github.com/fovea-memory/fovea/merkle"
)

var (
	// ErrStream is returned for bytes that are no archive of the form that a Writer writes.
	ErrStream = errors.New("not an archive that this version reads (CARv1 of dag-cbor blocks)")
	// ErrTruncated is returned for a stream that ends inside of something.
	ErrTruncated = errors.New("it ends too early; the file was cut off or not carried over whole")
	// ErrTooLarge is returned for a header or a block above the limits of the format.
	ErrTooLarge = errors.New("larger than the format allows")
)

// Error is what is wrong with an archive, and where.
type Error struct {
	// Block is the number of the block, from 1; 0 is the header.
	Block int
	// Digest is what the block is named, zero if that was not read.
	Digest merkle.Digest
	// Offset is the byte at which the block or the header begins.
	Offset int64
	// Err is what is wrong.
	Err error
}

// Error names the block, its place and what is wrong.
func (e *Error) Error() string {
	switch {
	case e.Block == 0:
		return fmt.Sprintf("archive: header: %v", e.Err)
	case e.Digest.IsZero():
		return fmt.Sprintf("archive: block %d at byte %d: %v", e.Block, e.Offset, e.Err)
	}
	return fmt.Sprintf("archive: block %d (%s) at byte %d: %v", e.Block, e.Digest, e.Offset, e.Err)
}

// Unwrap returns what is wrong.
func (e *Error) Unwrap() error { return e.Err }
