// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package token

import (
	"errors"
	"fmt"
)

// Counter counts the tokens of a text. It is deterministic and safe for concurrent use.
type Counter interface {
	// Name returns the short name used in configurations, output and caches.
	Name() string
	// Count returns the number of tokens of text, 0 for the empty text.
	Count(text string) int
}

// Names of the counters.
const (
	// O200k names the exact counter.
	O200k = "o200k"
	// Estimated names the estimate.
	Estimated = "estimate"
)

// ByName returns the counter with a name, O200k or Estimated. The vocabulary of O200k
// is loaded when the first text is counted, but not if all counts come from a cache. For
// any other name it returns [ErrUnknownCounter] with the known names.
func ByName(name string) (Counter, error) {
	switch name {
	case O200k:
		return lazyExact{}, nil
	case Estimated:
		return Estimate(), nil
	}
	return nil, fmt.Errorf("token: %w %q: known are %s and %s", ErrUnknownCounter, name, O200k, Estimated)
}

var (
	// ErrUnknownCounter is returned by [ByName] for an unknown name.
	ErrUnknownCounter = errors.New("unknown counter")
	// ErrCache is returned by [Cache.UnmarshalBinary] for bytes that MarshalBinary of this
	// version did not write, or that are damaged.
	ErrCache = errors.New("token cache is damaged or of another version")
)
