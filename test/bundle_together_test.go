// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api/ops"
)

// TestTogether: bundles that are brought in at the same time, and exchanges with one remote, do
// not disturb one another.
func TestTogether(t *testing.T) {
	x := newExchanging(t)
	file, place := filepath.Join(t.TempDir(), "b.fovea"), filepath.Join(t.TempDir(), "place")
	if _, err := ops.OpBundleWrite.Call(t.Context(), x.svc, ops.BundleRequest{File: file, Plain: true}); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(place, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := ops.OpRemoteAdd.Call(t.Context(), x.svc, ops.RemoteAddRequest{Name: "r", URL: place, Plain: true}); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := ops.OpBundleRead.Call(t.Context(), x.svc, ops.BundleReadRequest{File: file}); err != nil {
				t.Errorf("%v (%v)", err, fovea.KindOf(err))
			}
		})
		all.Go(func() {
			if _, err := ops.OpSync.Call(t.Context(), x.svc, ops.SyncRequest{Name: "r"}); err != nil {
				t.Errorf("%v (%v)", err, fovea.KindOf(err))
			}
		})
	}
	all.Wait()
	heads, err := os.ReadDir(filepath.Join(place, "heads"))
	if err != nil || len(heads) != 1 {
		t.Errorf("logs %v, %v, want one", heads, err)
	}
}
