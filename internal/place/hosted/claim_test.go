// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hosted_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/hive"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/place/hosted"
	"github.com/fovea-memory/fovea/internal/place/placetest"
)

// memex is a memory on a machine of its own, and the agent that works there.
type memex struct {
	t   *testing.T
	end func() error // of the memory
	ctx context.Context
	svc api.Service
}

type opener = func(ctx context.Context, address string, create bool) (place.Place, error)

// begin opens the memory of an agent below a folder.
func begin(t *testing.T, dir, agent string, open opener) *memex {
	t.Helper()
	m, err := fovea.Open(t.Context(), filepath.Join(dir, "memex"), &fovea.Options{StateDir: filepath.Join(dir, "state"), Adopt: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	actor := author.Actor{Author: author.Named(agent), May: func(string) error { return nil }}
	return &memex{t: t, end: m.Close, ctx: author.WithActor(t.Context(), actor),
		svc: api.NewLocal(m, &api.LocalOptions{Places: place.Openers{"nats": open}})}
}

func (m *memex) renew(number uint64) (*ops.ClaimResponse, error) {
	return ops.OpTaskRenew.Call(m.ctx, m.svc, ops.RenewRequest{Task: "paint", Number: number})
}

func (m *memex) claim() (*ops.ClaimResponse, error) {
	return ops.OpTaskClaim.Call(m.ctx, m.svc, ops.ClaimRequest{Task: "paint"})
}

func (m *memex) meet(url string) {
	m.t.Helper()
	if _, err := ops.OpRemoteAdd.Call(m.t.Context(), m.svc, ops.RemoteAddRequest{Name: "team", URL: url, Passphrase: "geheim"}); err != nil {
		m.t.Fatal(err)
	}
}

func (m *memex) sync() {
	m.t.Helper()
	if _, err := ops.OpSync.Call(m.t.Context(), m.svc, ops.SyncRequest{}); err != nil {
		m.t.Fatal(err)
	}
}

// release ends a claim.
func (m *memex) release(c *ops.ClaimResponse) {
	m.t.Helper()
	if _, err := ops.OpTaskRelease.Call(m.ctx, m.svc, ops.ClaimEndRequest{Task: "paint", Number: c.Number}); err != nil {
		m.t.Fatal(err)
	}
}

// TestTwoMemexes: of two machines with the same remote one gets a task; the other one is refused before it
// knows of the claim, and then by the name of the holder, and gets the task under a greater number once it is
// released. Without a remote no claim is provisional; with one that grants nothing yet it is.
func TestTwoMemexes(t *testing.T) {
	s := placetest.StartServers(t, 1, "")
	url := s.URL("team", "")
	dir, far := t.TempDir(), t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "memex"), 0o700),
		os.WriteFile(filepath.Join(dir, "memex", "tasks.org"), []byte("* TODO Paint\n:PROPERTIES:\n:ID: paint\n:END:\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	alone := begin(t, dir, "ada", hosted.OpenerOf(time.Hour))
	c, err := alone.claim()
	if err != nil || c.Provisional != "" || c.Granted {
		t.Fatalf("without a remote: %+v, %v", c, err)
	}
	alone.release(c)
	if err := errors.Join(alone.end(), os.CopyFS(far, os.DirFS(dir))); err != nil {
		t.Fatal(err)
	}
	young := begin(t, dir, "ada", hosted.OpenerOf(time.Hour))
	young.meet(url)
	if c, err = young.claim(); err != nil || !strings.Contains(c.Provisional, "keep claims since") || c.Granted {
		t.Fatalf("with a referee that was made anew: %+v, %v", c, err)
	}
	young.release(c)
	if err := young.end(); err != nil {
		t.Fatal(err)
	}
	ada, bob := begin(t, dir, "ada", hosted.OpenerOf(0)), begin(t, far, "bob", hosted.OpenerOf(0))
	bob.meet(url)
	adult(t, machines(t, s, 1, 0)[0])
	won, err := ada.claim()
	if err != nil || won.Provisional != "" || !won.Granted {
		t.Fatalf("%+v, %v", won, err)
	}
	if c, err := bob.claim(); !errors.Is(err, hive.ErrHeld) || !strings.Contains(err.Error(), "on another machine") {
		t.Errorf("both hold it: %+v, %v", c, err)
	}
	ada.sync()
	bob.sync()
	if c, err := bob.claim(); !errors.Is(err, hive.ErrHeld) || !strings.Contains(err.Error(), "by another: ada") {
		t.Errorf("after a sync: %+v, %v", c, err)
	}
	ada.release(won)
	ada.sync()
	bob.sync()
	if c, err := bob.claim(); err != nil || c.Provisional != "" || c.Number <= won.Number {
		t.Errorf("released there: %+v after %+v, %v", c, won, err)
	}
}

// TestServersDoNotAnswer: a renewal that the servers do not answer costs nothing but the word for it: the next
// one goes on, and until then nobody else gets the task.
func TestServersDoNotAnswer(t *testing.T) {
	s := placetest.StartServers(t, 1, "")
	dir := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "memex"), 0o700),
		os.WriteFile(filepath.Join(dir, "memex", "tasks.org"), []byte("* TODO Paint\n:PROPERTIES:\n:ID: paint\n:END:\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	var isSilent atomic.Bool
	open := hosted.OpenerOf(0)
	ada := begin(t, dir, "ada", func(ctx context.Context, address string, create bool) (place.Place, error) {
		if isSilent.Load() {
			return nil, place.ErrNoAnswer
		}
		return open(ctx, address, create)
	})
	ada.meet(s.URL("team", ""))
	adult(t, machines(t, s, 1, 0)[0])
	won, err := ada.claim()
	if err != nil || !won.Granted {
		t.Fatalf("%+v, %v", won, err)
	}
	for _, silent := range []bool{true, false, true} {
		isSilent.Store(silent)
		if c, err := ada.renew(won.Number); err != nil || c.Granted == silent || c.Number != won.Number || (c.Provisional != "") != silent {
			t.Errorf("silent %v: %+v, %v", silent, c, err)
		}
	}
	isSilent.Store(false)
	ada.release(won)
	if c, err := ada.claim(); err != nil || !c.Granted {
		t.Errorf("released after a renewal without an answer: %+v, %v", c, err)
	}
}
