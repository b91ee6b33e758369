// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bundle_test

import (
	"errors"
	"io"
	"testing"

	"github.com/fovea-memory/fovea/internal/bundle"
	"github.com/fovea-memory/fovea/internal/foveatest"
)

func TestFormatPage(t *testing.T) {
	foveatest.FormatPage(t, "../../doc/format/bundle.md", map[string]int{
		"Format": bundle.Format, "MaxScopes": bundle.MaxScopes, "MaxBatch": bundle.MaxBatch,
	})
}

// TestWriteNothing: a memory without a commit gives an error and not an empty bundle.
func TestWriteNothing(t *testing.T) {
	if _, err := bundle.Write(t.Context(), io.Discard, nil); !errors.Is(err, bundle.ErrNothing) {
		t.Errorf("%v, want ErrNothing", err)
	}
}
