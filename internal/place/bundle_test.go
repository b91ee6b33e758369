// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place_test

import (
	"errors"
	"io"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/place"
)

func TestBundlePage(t *testing.T) {
	foveatest.FormatPage(t, "../../doc/format/bundle.md", map[string]int{
		"BundleFormat": place.BundleFormat, "MaxScopes": place.MaxScopes, "MaxBatch": place.MaxBatch,
		"MaxBlock": place.MaxBlock, "MaxRoots": place.MaxRoots, "MaxHeader": place.MaxHeader,
	})
}

// TestWriteNothing: a memory without a commit gives an error and not an empty bundle.
func TestWriteNothing(t *testing.T) {
	if _, err := place.WriteBundle(t.Context(), io.Discard, nil); !errors.Is(err, place.ErrNothing) {
		t.Errorf("%v, want ErrNothing", err)
	}
}
