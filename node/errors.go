// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import "errors"

var (
	// ErrDigest is returned for bytes that do not match their digest.
	ErrDigest = errors.New("content does not match its digest")
	// ErrFormat is returned for a block of a format this version cannot read.
	ErrFormat = errors.New("unknown format")
	// ErrShape is returned for nodes that do not form the document.
	ErrShape = errors.New("nodes do not form the document")
)
