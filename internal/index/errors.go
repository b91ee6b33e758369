// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import "errors"

var (
	// ErrDamaged is returned for an encoded index with a wrong checksum or structure.
	// Rebuild the index from the nodes.
	ErrDamaged = errors.New("damaged")

	// ErrVersion is returned for an encoded index with another FormatVersion or
	// AnalyzerVersion. Rebuild the index from the nodes.
	ErrVersion = errors.New("other version")
)
