// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package token

import "errors"

var (
	// ErrUnknownCounter is returned by [ByName] for a name that no counter has.
	ErrUnknownCounter = errors.New("unknown counter")
	// ErrCache is returned by [Cache.UnmarshalBinary] for bytes that no version
	// of MarshalBinary wrote, or that were damaged since.
	ErrCache = errors.New("token cache is damaged or of another version")
)
