// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ops_test

import (
	"cmp"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/internal/foveatest"
)

// TestPurgeNamesWhatItCannotReach: the answer of a purge has the remotes, and what was put on IPFS
// before it, archives and states alone; nothing where nothing was handed out.
func TestPurgeNamesWhatItCannotReach(t *testing.T) {
	k, key := foveatest.StartKubo(t, false), newKey(t)
	p := newPlace(t, k, key, map[string]string{"a.org": "* One\nthe first secret\n* Two\nthe second secret\n"})
	purge := func(left, text string) *api.PurgeResponse {
		t.Helper()
		p.write("a.org", left)
		r, err := api.OpPurge.Call(t.Context(), p.svc, api.PurgeRequest{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if err := p.m.Ingest(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if r := purge("* One\n* Two\nthe second secret\n", "first secret"); len(r.Remotes) > 0 || len(r.IPFS) > 0 {
		t.Errorf("nothing was handed out: %+v", r)
	}
	at := filepath.Join(t.TempDir(), "stick")
	if _, err := ops.OpRemoteAdd.Call(t.Context(), p.svc, ops.RemoteAddRequest{Name: "stick", URL: at, Plain: true}); err != nil {
		t.Fatal(err)
	}
	state := p.checkpoint(api.CheckpointRequest{To: api.PlaceIPFS, StateOnly: true})
	sent := p.checkpoint(api.CheckpointRequest{To: api.PlaceIPFS})
	if again := p.checkpoint(api.CheckpointRequest{To: api.PlaceIPFS, StateOnly: true}); again.CID != state.CID || len(again.Errors) > 0 {
		t.Errorf("the same state again: %+v", again)
	}
	want := []string{sent.Archive, state.CID}
	if r := purge("* One\n* Two\n", "second secret"); !slices.Equal(r.Remotes, []string{"stick"}) || !slices.Equal(r.IPFS, want) || want[0] == want[1] {
		t.Errorf("%+v, and %s is on IPFS", r, want)
	}
}

// TestPurgeNamesEveryCID: also what was cut off on its way to IPFS, and what was read from there;
// each once.
func TestPurgeNamesEveryCID(t *testing.T) {
	k, key := foveatest.StartKubo(t, false), newKey(t)
	p := newPlace(t, k, key, map[string]string{"a.org": "* One\na secret\n"})
	var want []string
	put := func(req api.CheckpointRequest) {
		t.Helper()
		req.To = api.PlaceIPFS
		c := p.checkpoint(req)
		if c.Failed() != nil {
			t.Fatal(c.Failed())
		}
		want = append(want, cmp.Or(c.Archive, c.CID))
	}
	put(api.CheckpointRequest{})
	put(api.CheckpointRequest{Seal: true})
	p.write("a.org", "* One\na secret\nand more\n")
	put(api.CheckpointRequest{StateOnly: true})

	// A daemon that dies amid a push has perhaps all of it.
	p.write("b.org", "* Two\n")
	k.Signal(syscall.SIGSTOP)
	if c := p.checkpoint(api.CheckpointRequest{To: api.PlaceIPFS, StateOnly: true, Plain: true}); c.Failed() == nil {
		t.Errorf("with a daemon that does nothing: %+v", c)
	} else {
		want = append(want, c.Root)
	}
	k.Kill()
	k.Start()

	q := newPlace(t, k, key, map[string]string{"other.org": "* Other\n"})
	restore := func(cid string) {
		t.Helper()
		if _, err := api.OpRestore.Call(t.Context(), q.svc, api.RestoreRequest{From: api.PlaceIPFS, CID: cid}); err != nil {
			t.Fatal(err)
		}
	}
	restore(want[0])
	restore(want[0])
	clone := newClone(t, k, key, ops.IPFSPrefix+want[0])
	for m, has := range map[*machine][]string{p: want, q: want[:1], clone: want[:1]} {
		m.write("a.org", "* One\n")
		r, err := api.OpPurge.Call(t.Context(), m.svc, api.PurgeRequest{Text: "a secret"})
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(r.IPFS)
		if !slices.Equal(r.IPFS, has) {
			t.Errorf("%q, want %q", r.IPFS, has)
		}
	}
}
