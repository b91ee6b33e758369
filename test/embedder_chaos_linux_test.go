// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/embed"
	"github.com/fovea-memory/fovea/internal/foveatest"
)

// TestEmbedderChaos kills, stops, restarts and replaces a real Ollama while agents write and
// search. No note is lost and no request fails; what words find is what they find without an
// embedder; and in the end every note has its vector, of the model that runs.
func TestEmbedderChaos(t *testing.T) {
	o := foveatest.StartOllama(t)
	o.Create(1)
	w := newWorld(t, map[string]string{"a.org": "* Pump\nThe pump hums at night.\n"})
	if err := w.m.Close(); err != nil {
		t.Fatal(err)
	}
	connect := func(ctx context.Context) (embed.Embedder, error) {
		return embed.Open(ctx, embed.Config{Kind: embed.KindOllama, URL: o.URL, Timeout: 2 * time.Second})
	}
	m, err := fovea.Open(t.Context(), w.dir, &fovea.Options{StateDir: w.state, Embedder: connect})
	if err != nil {
		t.Fatal(err)
	}
	w.m = m
	w.ingest()
	svc := api.WithSync(ops.Guarded(api.NewLocal(m, &api.LocalOptions{EmbedTimeout: 50 * time.Millisecond})), api.SyncNone)

	running, stop := context.WithCancel(t.Context())
	var all, writing sync.WaitGroup
	all.Go(func() { m.Meaning().Run(running) })
	var written, searches atomic.Int64
	const writers, each = 2, 400
	events := map[int64]func(){
		60: o.Kill, 160: o.Start, 260: func() { o.Signal(syscall.SIGSTOP) }, 360: func() { o.Signal(syscall.SIGCONT) },
		460: func() { o.Create(2) }, 560: o.Kill, 660: o.Start,
	}
	ids := make([][]string, writers)
	var chaos sync.Mutex
	for i := range writers {
		ctx := author.WithGrant(t.Context(), api.Grant{Agent: fmt.Sprintf("agent%d", i), Role: api.Agent})
		writing.Go(func() {
			for n := range each {
				r, err := api.OpRemember.Call(ctx, svc, api.RememberRequest{Title: fmt.Sprintf("Matter %d of %d", n, i), Body: fmt.Sprintf("the pump of house %d hums", n)})
				if err != nil {
					t.Errorf("a note is refused: %v", err)
					return
				}
				ids[i] = append(ids[i], r.ID)
				if event := events[written.Add(1)]; event != nil {
					chaos.Lock()
					event()
					chaos.Unlock()
				}
			}
		})
		all.Go(func() {
			for running.Err() == nil {
				hits, err := api.OpSearch.Call(ctx, svc, api.SearchRequest{Text: "the pump that hums"})
				if err != nil || len(hits) == 0 {
					t.Errorf("a search finds %v, %v", hits, err)
					return
				}
				if _, err := api.OpContext.Call(ctx, svc, api.ContextRequest{Question: "which pump hums?", Budget: 500}); err != nil {
					t.Errorf("a window: %v", err)
					return
				}
				searches.Add(1)
			}
		})
	}
	writing.Wait()
	stop()
	all.Wait()
	if searches.Load() == 0 {
		t.Error("nothing was searched for")
	}
	for _, id := range slices.Concat(ids...) {
		if _, ok := m.View().Get(id); !ok {
			t.Errorf("the note %s is lost", id)
		}
	}
	if n := len(slices.Concat(ids...)); n != writers*each {
		t.Fatalf("%d notes of %d", n, writers*each)
	}
	settle(t, m)
	if s := m.Meaning().Status(); s.Pending != 0 || s.Fault != nil || s.Vectors < writers*each {
		t.Errorf("in the end there are %+v", s)
	}
	gone, err := m.Notes().Forget(t.Context(), ids[0][0], nil)
	if err != nil || gone.Seq == 0 {
		t.Fatal(err)
	}
	before := m.Meaning().Status().Vectors
	settle(t, m)
	if after := m.Meaning().Status().Vectors; after != before-1 {
		t.Errorf("%d vectors after a note was forgotten, %d before", after, before)
	}
	owner := author.WithGrant(t.Context(), api.Grant{Role: api.Owner})
	words, err := api.OpSearch.Call(owner, svc, api.SearchRequest{Text: "matter 7 pump", Mode: "lexical", Limit: 50})
	if err != nil {
		t.Fatal(err)
	}
	plain := newWorld(t, nil)
	plain.dir = w.dir
	plain.state = t.TempDir() + "/plain"
	plain.reopen()
	plain.ingest()
	want, err := api.OpSearch.Call(t.Context(), plain.serve(), api.SearchRequest{Text: "matter 7 pump", Limit: 50})
	if err != nil || !slices.Equal(hitIDs(words), hitIDs(want)) {
		t.Errorf("words find %v, and %v without an embedder (%v)", hitIDs(words), hitIDs(want), err)
	}
}

// settle makes the missing vectors, by the model that runs now.
func settle(t *testing.T, m *fovea.Memory) {
	t.Helper()
	var err error
	for range 20 {
		if err = m.Meaning().Fill(t.Context(), nil); err == nil && m.Meaning().Status().Pending == 0 {
			return
		}
		<-time.After(250 * time.Millisecond) // the server left alone after a failure is asked again
	}
	t.Errorf("vectors are missing: %v", err)
}

func hitIDs(hits []api.Hit) []string {
	var ids []string
	for _, h := range hits {
		ids = append(ids, h.ID)
	}
	return ids
}
