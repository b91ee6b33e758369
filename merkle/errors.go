// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle

import "errors"

var (
	// ErrCanonical is returned when bytes are not the one canonical encoding
	// of a value: damaged, cut, or written by something else.
	ErrCanonical = errors.New("not a canonical encoding")
	// ErrKind is returned when a value is well encoded but not of the kind, or
	// not in the range, that the reader asked for.
	ErrKind = errors.New("value of another kind than expected")
	// ErrDigest is returned when a fetched block is not the one its digest
	// names.
	ErrDigest = errors.New("block does not match its digest")
	// ErrSyntax is returned by Parse for text that is not a digest.
	ErrSyntax = errors.New("not a digest: want a CID (bafyrei...) or 64 hex digits")
	// ErrTooLarge is returned when a content, a list or a block is longer than
	// the format allows.
	ErrTooLarge = errors.New("larger than the format allows")
	// ErrShape is returned when blocks are well encoded but do not form the one
	// tree that their content has.
	ErrShape = errors.New("blocks do not form the canonical tree")
	// ErrProof is returned when a proof does not lead from the root to the key.
	ErrProof = errors.New("proof does not hold for this root and key")
	// ErrFormat is returned for a map block of a format this version cannot read.
	ErrFormat = errors.New("unknown format")
)
