// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package token

import "errors"

var (
	// ErrUnknownCounter is returned by [ByName] for an unknown name.
	ErrUnknownCounter = errors.New("unknown counter")
	// ErrCache is returned by [Cache.UnmarshalBinary] for bytes that MarshalBinary of this
	// version did not write, or that are damaged.
	ErrCache = errors.New("token cache is damaged or of another version")
)
