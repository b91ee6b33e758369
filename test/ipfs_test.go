// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"io"
	"testing"

	"github.com/fovea-memory/fovea/internal/archive"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/ipfs"
	"github.com/fovea-memory/fovea/internal/remote"
	"github.com/fovea-memory/fovea/merkle"
)

// client returns a client of a daemon.
func client(t testing.TB, k *foveatest.Kubo) *ipfs.Client {
	t.Helper()
	address, err := ipfs.ParseAddress(k.Address, false)
	if err != nil {
		t.Fatal(err)
	}
	c := ipfs.NewClient(address)
	t.Cleanup(c.Close)
	return c
}

// toIPFS puts a machine's histories on a daemon, plain or for one key.
func (a *machine) toIPFS(c *ipfs.Client, to ...archive.Recipient) (ipfs.Sent, error) {
	sources, release, err := a.m.Histories().Take(a.t.Context())
	if err != nil {
		return ipfs.Sent{}, err
	}
	defer release()
	return ipfs.Push(a.t.Context(), &ipfs.Job{Client: c, State: a.m.Histories().State, Sources: sources, To: to})
}

// fromIPFS opens a memory that was made of an archive.
func fromIPFS(t *testing.T, a *machine, c *ipfs.Client, d merkle.Digest, key archive.Identity) *machine {
	t.Helper()
	b := &machine{t: t, name: "a", d: disks{faultfs.New(), faultfs.New()}, hour: a.hour}
	found, err := c.Find(t.Context(), d, key)
	if err != nil {
		t.Fatal(err)
	}
	err = c.ReadArchive(t.Context(), found.Archive, key, func(r io.Reader) error {
		_, err := remote.ReadInto(t.Context(), b.d.state, r, "/memex")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	b.open()
	return b
}

// TestIPFSRoundTrip is contract P12: a memory with history, snapshots and what was purged goes to
// a real daemon and comes back, sealed or plain, in one push or several: the same root, and
// the same bytes for all of it.
func TestIPFSRoundTrip(t *testing.T) {
	c := client(t, foveatest.StartKubo(t, false))
	key, err := archive.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string][]archive.Recipient{"plain": nil, "sealed": {key.Recipient()}} {
		t.Run(name, func(t *testing.T) {
			a := busy(t)
			for i, text := range []string{"", "* Four\nand more\n", "* Four\n" + lines(3000)} {
				if text != "" {
					a.write("c.org", text)
				}
				sent, err := a.toIPFS(c, to...)
				if err != nil {
					t.Fatal(err)
				}
				if sent.Sealed != (to != nil) || sent.Root != a.m.View().Root() || (sent.CID == sent.Archive) != sent.Sealed {
					t.Fatalf("push %d: %+v", i, sent)
				}
				b := fromIPFS(t, a, c, sent.Archive, key)
				if got, want := bundled(t, t.Context(), b.m), bundled(t, t.Context(), a.m); string(got) != string(want) {
					t.Fatalf("push %d: %d bytes came back of %d", i, len(got), len(want))
				}
				if b.m.View().Root() != a.m.View().Root() {
					t.Fatalf("push %d: root %s, want %s", i, b.m.View().Root(), a.m.View().Root())
				}
				if again, err := a.toIPFS(c, to...); err != nil || again.CID != sent.CID || again.Bytes != 0 {
					t.Fatalf("the same again: %+v, %v", again, err)
				}
			}
		})
	}
}
