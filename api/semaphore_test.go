// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
)

// TestRoom: only so many searches are made at a time, who waits may give up, and all
// others are answered.
func TestRoom(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.org"), []byte("* Gauge\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := fovea.Open(t.Context(), dir, &fovea.Options{StateDir: filepath.Join(t.TempDir(), "state")})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if err := m.Ingest(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) { inTurn(t, m) })
}

func inTurn(t *testing.T, m *fovea.Memory) {
	const room, askers = 2, 7
	inside, goOn := make(chan struct{}, askers+1), make(chan struct{})
	now := func() time.Time { // is asked for in the middle of a search
		inside <- struct{}{}
		<-goOn
		return time.Now()
	}
	svc := api.WithSync(api.NewLocal(m, &api.LocalOptions{AtOnce: room, Now: now}), api.SyncNone)
	search := func(ctx context.Context) error {
		hits, err := api.OpSearch.Call(ctx, svc, api.SearchRequest{Text: "gauge"})
		if err == nil && len(hits) != 1 {
			return fmt.Errorf("%d hits", len(hits))
		}
		return err
	}
	var all sync.WaitGroup
	for range askers {
		all.Go(func() {
			if err := search(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	synctest.Wait()
	ctx, giveUp := context.WithCancel(t.Context())
	all.Go(func() {
		if err := search(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("who gave up was told %v", err)
		}
	})
	synctest.Wait()
	giveUp()
	synctest.Wait()
	if len(inside) != room {
		t.Errorf("%d searches are made at a time, want %d", len(inside), room)
	}
	close(goOn)
	all.Wait()
	if len(inside) != askers {
		t.Errorf("%d searches were made, want %d", len(inside), askers)
	}
}
