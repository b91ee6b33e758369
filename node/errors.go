// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import "errors"

var (
	// ErrDigest is returned when bytes are not those their digest names.
	ErrDigest = errors.New("content does not match its digest")
	// ErrFormat is returned for a block of a format this version cannot read.
	ErrFormat = errors.New("unknown format")
	// ErrShape is returned when nodes do not fit the document they are said to be.
	ErrShape = errors.New("nodes do not form the document")
	// ErrTree is returned for a tree that cannot be taken in; the error before it
	// names the place.
	ErrTree = errors.New("not a tree that can be kept")
	// ErrValue is returned for what is no value of an attribute.
	ErrValue = errors.New("not a value of an attribute")
)
