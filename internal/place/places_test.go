// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place_test

import (
	"io"
	"testing"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/place/placetest"
)

// TestPlaces: a folder is a place; test.TestBucket has a bucket.
func TestPlaces(t *testing.T) {
	folder, err := place.OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	placetest.Check(t, folder)
}

// TestPlacesInMemory: a folder in memory, one at the other end of a pipe, and the place of tests are
// places.
func TestPlacesInMemory(t *testing.T) {
	folder := place.FolderIn(faultfs.New())
	placetest.Check(t, folder)
	toThere, fromHere := io.Pipe()
	toHere, fromThere := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- place.Serve(t.Context(), folder, toThere, fromThere) }()
	p := place.Pipe(toHere, fromHere, func() error { return <-ended })
	placetest.Check(t, p)
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	placetest.Check(t, placetest.NewMemory())
}
