// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ops_test

import (
	"path/filepath"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// newClone makes a memory of what a CID names, as fovea clone does.
func newClone(t *testing.T, k *foveatest.Kubo, key place.Identity, cid string) *machine {
	t.Helper()
	state := filepath.Join(t.TempDir(), "state")
	keys := func() (api.Seals, error) { return api.Seals{Own: key}, nil }
	dir := t.TempDir()
	err := place.Unpack(state, func(in vfs.FS) error {
		from := ops.Source{Name: cid, Memex: dir, Seals: keys, IPFS: func() (string, error) { return "http://" + k.Address, nil }}
		_, err := from.Clone(t.Context(), in)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	p := placeAt(t, dir, k, key, nil, func(o *fovea.Options) { o.StateDir = state })
	restore := api.Call{Op: api.OpRestore.Operation, Request: api.RestoreRequest{Missing: true}, Sync: api.SyncNone}
	if _, err := p.svc(t.Context(), restore); err != nil {
		t.Fatal(err)
	}
	return p
}
