// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import "errors"

var (
	// ErrDamaged is returned when an encoded index does not read back: its check
	// sum or its structure is wrong. Build the index anew from the nodes.
	ErrDamaged = errors.New("damaged")

	// ErrVersion is returned when an encoded index has another FormatVersion or
	// AnalyzerVersion than this program. Build the index anew from the nodes.
	ErrVersion = errors.New("other version")
)
