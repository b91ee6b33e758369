// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import "errors"

var (
	// ErrRoot is returned when a commit's delta does not lead to the root it
	// names: the journal or image is damaged, or not this memory's.
	ErrRoot = errors.New("the delta does not lead to the root the commit names")
	// ErrDelta is returned when a commit's delta does not fit the state it is
	// applied to.
	ErrDelta = errors.New("the delta does not fit the state")
	// ErrFormat is returned for a commit or image of a format this version
	// cannot read.
	ErrFormat = errors.New("unknown format")
)
