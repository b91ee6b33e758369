// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package remotes_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/care"
	"github.com/fovea-memory/fovea/api/remotes"
	"github.com/fovea-memory/fovea/internal/foveatest"
)

// TestPurgeNamesWhatItCannotReach: the answer of a purge has the remotes, and the archive on IPFS
// that was put there before it; nothing where nothing was handed out.
func TestPurgeNamesWhatItCannotReach(t *testing.T) {
	k, key := foveatest.StartKubo(t, false), newKey(t)
	p := newPlace(t, k, key, map[string]string{"a.org": "* One\nthe first secret\n* Two\nthe second secret\n"})
	purge := func(left, text string) *care.PurgeResponse {
		t.Helper()
		p.write("a.org", left)
		r, err := care.OpPurge.Call(t.Context(), p.svc, care.PurgeRequest{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if err := p.m.Ingest(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if r := purge("* One\n* Two\nthe second secret\n", "first secret"); len(r.Remotes) > 0 || r.IPFS != "" {
		t.Errorf("nothing was handed out: %+v", r)
	}
	at := filepath.Join(t.TempDir(), "stick")
	if _, err := remotes.OpRemoteAdd.Call(t.Context(), p.svc, remotes.RemoteAddRequest{Name: "stick", URL: at, Plain: true}); err != nil {
		t.Fatal(err)
	}
	sent := p.checkpoint(api.CheckpointRequest{To: api.PlaceIPFS})
	if r := purge("* One\n* Two\n", "second secret"); !slices.Equal(r.Remotes, []string{"stick"}) || r.IPFS != sent.Archive || r.IPFS == "" {
		t.Errorf("%+v, and %s is on IPFS", r, sent.Archive)
	}
}
