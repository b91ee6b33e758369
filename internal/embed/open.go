// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"context"
	"fmt"
)

// The kinds of embedders.
const (
	KindLexical = "lexical" // the built-in vectors
)

// Config says which embedder to open. The zero value is the built-in one.
type Config struct {
	Kind string // one of the kinds above; "" is KindLexical
}

// Open returns the embedder of the configuration. Errors: ErrConfig.
func Open(_ context.Context, c Config) (Embedder, error) {
	switch c.Kind {
	case "", KindLexical:
		return newLexical(), nil
	}
	return nil, failed("open embedder", c.Kind, fmt.Errorf("%w: there is no kind %q; use %s", ErrConfig, c.Kind, KindLexical))
}
