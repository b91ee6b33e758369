// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/disk"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/ipfs"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/travel"
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
func (a *machine) toIPFS(c *ipfs.Client, to ...place.Recipient) (ipfs.Sent, error) {
	sources, release, err := a.m.Histories().Take(a.t.Context())
	if err != nil {
		return ipfs.Sent{}, err
	}
	defer release()
	return ipfs.Push(a.t.Context(), &ipfs.Job{Client: c, State: a.m.Histories().State, Sources: sources, To: to})
}

// fromIPFS opens a memory that was made of an archive.
func fromIPFS(t *testing.T, a *machine, c *ipfs.Client, d merkle.Digest, key place.Identity) *machine {
	t.Helper()
	b := &machine{t: t, name: "a", d: disks{faultfs.New(), faultfs.New()}, hour: a.hour}
	found, err := c.Find(t.Context(), d, key)
	if err != nil {
		t.Fatal(err)
	}
	err = c.ReadArchive(t.Context(), found.Archive, key, func(r io.Reader) error {
		_, err := place.ReadInto(t.Context(), b.d.state, r, "/memex")
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
	key, err := place.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string][]place.Recipient{"plain": nil, "sealed": {key.Recipient()}} {
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

// fetchState fetches a plain state into an empty state folder.
func fetchState(t *testing.T, c *ipfs.Client, root merkle.Digest) (*faultfs.FS, error) {
	t.Helper()
	in := faultfs.New()
	to, _, err := disk.Open(in, &disk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = c.FetchState(t.Context(), root, to)
	return in, errors.Join(err, to.Close())
}

// TestIPFSState is contracts P19 and P21: by the CID of a commit, or by the root alone, the state
// comes back with the same files and root, as a commit that can be undone.
func TestIPFSState(t *testing.T) {
	c := client(t, foveatest.StartKubo(t, false))
	a := newMachine(t, map[string]string{
		"a.org":     "#+TITLE: A\n* One\n:PROPERTIES:\n:ID: one\n:END:\n* Same\n* Same\n** Below\n* Same\n",
		"sub/b.org": "* Three\n", "long.org": "* Long\n" + lines(20000),
	})
	var roots []merkle.Digest
	for i, change := range []func(){
		func() {},
		func() { a.write("a.org", "* One\nof another text\n* Same\n") },
		func() { a.write("sub/b.org", ""); a.write("new.org", "* New\n"+strings.Repeat("** Child\n", 700)) },
		func() { a.write("new.org", "* New\n"+strings.Repeat("** Child\n", 699)+"** Other\n") },
	} {
		change()
		sent, err := a.toIPFS(c)
		if err != nil {
			t.Fatal(err)
		}
		found, err := c.Find(t.Context(), sent.CID, nil)
		if err != nil || found.Root != sent.Root || found.Seq != a.m.View().Head().Seq || sent.CID != a.m.View().Head().Digest {
			t.Fatalf("push %d: %s names %+v, %v", i, sent.CID, found, err)
		}
		roots = append(roots, sent.Root)
	}
	for i, root := range roots {
		in, err := fetchState(t, c, root)
		if err != nil {
			t.Fatalf("state %d: %v", i, err)
		}
		b := newMachine(t, map[string]string{"other.org": "* Of another memory\n"})
		before := b.m.View().Root()
		if _, _, err := travel.RestoreStore(t.Context(), travel.Of(b.m.History()), in, "ipfs", nil); err != nil {
			t.Fatalf("state %d: %v", i, err)
		}
		if b.m.View().Root() != root {
			t.Errorf("state %d has root %s, want %s", i, b.m.View().Root(), root)
		}
		if _, _, err := b.m.History().Rollback(t.Context(), "0", nil); err != nil || b.m.View().Root() != before {
			t.Errorf("state %d is not undone: %v", i, err)
		}
	}
}

// TestIPFSDelta: one edit costs few blocks, and what is on the daemon outlives its garbage
// collection; what it lost is put there again.
func TestIPFSDelta(t *testing.T) {
	k := foveatest.StartKubo(t, false)
	c := client(t, k)
	files := map[string]string{}
	for i := range 40 {
		files[fmt.Sprintf("n%d.org", i)] = strings.Repeat(fmt.Sprintf("* Headline of %d\nwith some text\n", i), 50)
	}
	key, err := place.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string][]place.Recipient{"plain": nil, "sealed": {key.Recipient()}} {
		a := newMachine(t, files)
		if _, err := a.toIPFS(c, to...); err != nil {
			t.Fatal(err)
		}
		for i := range 40 { // packs are joined on the way
			a.write("n7.org", files["n7.org"]+fmt.Sprintf("edited %d times\n", i))
			sent, err := a.toIPFS(c, to...)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 && sent.Bytes > 16<<10 {
				t.Errorf("%s: one edit takes %d bytes", name, sent.Bytes)
			}
			if i%20 != 19 {
				continue
			}
			k.Run("repo", "gc")
			b := fromIPFS(t, a, c, sent.Archive, key)
			if b.m.View().Root() != a.m.View().Root() {
				t.Errorf("%s: after %d edits the root is another one", name, i)
			}
			if !sent.Sealed {
				if _, err := fetchState(t, c, sent.Root); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
		for pin := range strings.FieldsSeq(k.Run("pin", "ls", "--type=recursive", "--quiet")) {
			k.Run("pin", "rm", pin)
		}
		k.Run("repo", "gc")
		sent, err := a.toIPFS(c, to...)
		if err != nil {
			t.Fatalf("%s: a daemon that lost all: %v", name, err)
		}
		fromIPFS(t, a, c, sent.Archive, key)
	}
}

// TestIPFSBadInput: what is damaged, incomplete or nothing of Fovea's is refused by name.
func TestIPFSBadInput(t *testing.T) {
	k := foveatest.StartKubo(t, false)
	c := client(t, k)
	a := newMachine(t, map[string]string{"a.org": "* One\n** Two\n", "b.org": "* Three\n" + lines(20000)})
	key, err := place.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	plain, err := a.toIPFS(c)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := a.toIPFS(c, key.Recipient())
	if err != nil {
		t.Fatal(err)
	}
	other, err := place.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Find(t.Context(), sealed.CID, other); !errors.Is(err, place.ErrNoKey) {
		t.Errorf("another key: %v", err)
	}
	lisp := filepath.Join(t.TempDir(), "image.lisp")
	if err := os.WriteFile(lisp, []byte("(setq memory #.(delete-file \"notes\"))\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, cid := range map[string]string{
		"raw": strings.TrimSpace(k.Run("add", "--quiet", "--cid-version=1", lisp)),
		"v0":  strings.TrimSpace(k.Run("add", "--quiet", lisp)),
	} {
		if _, err := ipfs.ParseCID(cid); !errors.Is(err, ipfs.ErrCID) {
			t.Errorf("%s: %v", name, err)
		}
	}
	put, err := ipfs.ParseCID(strings.TrimSpace(k.Run("block", "put", "--cid-codec=dag-cbor", lisp)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Find(t.Context(), put, nil); !errors.Is(err, ipfs.ErrOther) {
		t.Errorf("a Lisp image as a block: %v", err)
	}
	if _, err := c.Find(t.Context(), merkle.Sum(nil), nil); !errors.Is(err, ipfs.ErrDaemon) {
		t.Errorf("a CID of nothing: %v", err)
	}
	if _, err := fetchState(t, c, plain.CID); err == nil {
		t.Error("a commit is a state")
	}
	// A child is missing.
	found, err := c.Find(t.Context(), plain.Archive, nil)
	if err != nil {
		t.Fatal(err)
	}
	own := a.m.View()
	for n := range own.All() {
		if len(n.Content) > 0 && len(n.Content) < 100 && n.Path == "a.org" {
			for pin := range strings.FieldsSeq(k.Run("pin", "ls", "--type=recursive", "--quiet")) {
				k.Run("pin", "rm", pin)
			}
			k.Run("block", "rm", n.Own.String())
			break
		}
	}
	if _, err := fetchState(t, c, plain.Root); !errors.Is(err, ipfs.ErrDaemon) && !errors.Is(err, ipfs.ErrAnswer) {
		t.Errorf("a state without a child: %v", err)
	}
	err = c.ReadArchive(t.Context(), found.Archive, nil, func(r io.Reader) error {
		_, err := io.Copy(io.Discard, r)
		return err
	})
	if !errors.Is(err, ipfs.ErrDaemon) && !errors.Is(err, ipfs.ErrAnswer) {
		t.Errorf("an archive without a block: %v", err)
	}
}

// TestIPFSDaemonDies: a daemon that is killed, stopped or started again amid pushes and reads
// ends them within the deadline; nothing is half known, and the next push makes up for it.
func TestIPFSDaemonDies(t *testing.T) {
	k := foveatest.StartKubo(t, false)
	c := client(t, k)
	c.Link.Limit = time.Second
	a := newMachine(t, map[string]string{"a.org": "* One\n" + lines(50000)})
	bounded := func(what string, do func() error) error {
		begin := time.Now()
		err := do()
		if took := time.Since(begin); took > 20*time.Second {
			t.Errorf("%s took %v", what, took)
		}
		return err
	}
	for round := range 6 {
		a.write(fmt.Sprintf("r%d.org", round), "* Round\n"+lines(20000+round))
		ctx, cancel := context.WithCancel(t.Context())
		go func() { // amid the push
			defer cancel()
			if round%2 == 0 {
				k.Signal(syscall.SIGSTOP)
			} else {
				k.Signal(syscall.SIGKILL)
			}
		}()
		err := bounded("a push", func() error {
			_, err := a.toIPFS(c)
			return err
		})
		<-ctx.Done()
		if err != nil && !errors.Is(err, ipfs.ErrSlow) && !errors.Is(err, ipfs.ErrDown) && !errors.Is(err, ipfs.ErrDaemon) && !errors.Is(err, ipfs.ErrAnswer) {
			t.Errorf("round %d: %v", round, err)
		}
		err = bounded("a read", func() error {
			_, err := c.Find(t.Context(), a.m.View().Head().Digest, nil)
			return err
		})
		if !errors.Is(err, ipfs.ErrSlow) && !errors.Is(err, ipfs.ErrDown) {
			t.Errorf("round %d: a read: %v", round, err)
		}
		k.Kill()
		k.Start()
		sent, err := a.toIPFS(c)
		if err != nil {
			t.Fatalf("round %d: with a daemon again: %v", round, err)
		}
		if b := fromIPFS(t, a, c, sent.Archive, nil); string(bundled(t, t.Context(), b.m)) != string(bundled(t, t.Context(), a.m)) {
			t.Fatalf("round %d: other bytes", round)
		}
	}
	k.Kill()
	if err := bounded("a push to nobody", func() error {
		_, err := a.toIPFS(c)
		return err
	}); !errors.Is(err, ipfs.ErrDown) {
		t.Errorf("without a daemon: %v", err)
	}
}
