// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle

import "errors"

var (
	// ErrCanonical is returned for bytes that are not the canonical encoding of
	// a value: damaged, truncated, or written by another program.
	ErrCanonical = errors.New("not a canonical encoding")
	// ErrKind is returned for a canonical value whose kind or range is not the
	// one the caller expects.
	ErrKind = errors.New("value of another kind than expected")
	// ErrDigest is returned if a fetched block does not have the requested
	// digest.
	ErrDigest = errors.New("block does not match its digest")
	// ErrSyntax is returned by Parse for text that is not a digest.
	ErrSyntax = errors.New("not a digest: want a CID (bafyrei...) or 64 hex digits")
	// ErrTooLarge is returned if a content, list or block exceeds a limit of
	// the format.
	ErrTooLarge = errors.New("larger than the format allows")
	// ErrShape is returned if canonical blocks do not form the canonical tree
	// of their content.
	ErrShape = errors.New("blocks do not form the canonical tree")
	// ErrFormat is returned for a map block whose format is unknown to this
	// version.
	ErrFormat = errors.New("unknown format")
)
