// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
	_ "github.com/fovea-memory/fovea/internal/daemon" // for the operations of all packages
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/travel"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/working"
)

// company is a memory that several agents use, with a clock that stands until a test moves it.
type company struct {
	t     *testing.T
	m     *fovea.Memory
	svc   api.Service
	moved atomic.Int64 // nanoseconds
}

func newCompany(t *testing.T, store vfs.FS) *company {
	t.Helper()
	w := &world{t: t, dir: t.TempDir()}
	w.write(map[string]string{"a.org": "* A\n"})
	c := &company{t: t}
	begin := time.Now().Add(time.Hour)
	now := func() time.Time { return begin.Add(time.Duration(c.moved.Load())) }
	m, err := fovea.Open(t.Context(), w.dir, &fovea.Options{StateDir: t.TempDir() + "/state", Store: store, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	c.m, c.svc = m, ops.Guarded(api.NewLocal(m, &api.LocalOptions{Now: now}))
	if err := m.Ingest(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return c
}

// as is a call of an agent, "" for the owner, in a session.
func (c *company) as(agent, session string) context.Context {
	g := api.Grant{Role: api.Owner}
	if agent != "" {
		g = api.Grant{Agent: agent, Role: api.Agent}
	}
	return author.WithScopes(author.WithGrant(c.t.Context(), g), api.Scopes{Session: session})
}

// note has an agent write a block in a session.
func (c *company) note(agent, session string) error {
	block := working.Block{Type: working.Task, TaskID: "T", Description: "in " + session}
	r, err := api.OpBlockAdd.Call(c.as(agent, session), c.svc, api.BlockAddRequest{Blocks: []working.Block{block}})
	if err == nil && r.Blocks[0].Error != "" {
		c.t.Fatal(r.Blocks[0].Error)
	}
	return err
}

// TestWhatAgentsHeapUpIsBounded: each operation by which an agent writes has a row in the table of
// SECURITY.md with a bound of what it leaves.
func TestWhatAgentsHeapUpIsBounded(t *testing.T) {
	text, err := os.ReadFile("../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n## What an agent may heap up\n")
	table, _, _ = strings.Cut(table, "\n## ")
	ctx := author.WithGrant(t.Context(), api.Grant{Agent: "ada", Role: api.Agent})
	known := 0
	for _, op := range api.Operations {
		if op.Effect == api.Reads || ops.MayAsk(ctx, op) != nil {
			continue
		}
		if known++; !strings.Contains(table, "`"+op.Name+"`") {
			t.Errorf("an agent may use %s, and nothing says how much that may leave", op.Name)
		}
	}
	if known < 20 {
		t.Errorf("%d operations by which an agent writes", known)
	}
	for _, bound := range []int{fovea.MaxSessions, travel.MaxNamed} {
		if said := fmt.Sprint(bound); !strings.Contains(strings.ReplaceAll(table, ",", ""), said) {
			t.Errorf("the bound of %s is not said", said)
		}
	}
}

// TestSessionsOfAnAgentAreBounded: an agent has so many sessions in use and no more, which hinders
// nobody else; those at rest are closed for others, and nothing of them is lost.
func TestSessionsOfAnAgentAreBounded(t *testing.T) {
	c := newCompany(t, nil)
	for i := range fovea.MaxSessions {
		if err := c.note("ada", fmt.Sprint("s", i)); err != nil {
			t.Fatal(i, err)
		}
	}
	err := c.note("ada", "more")
	if fovea.KindOf(err) != fovea.Busy || !strings.Contains(err.Error(), fmt.Sprint(fovea.MaxSessions)) {
		t.Errorf("one more: %v", err)
	}
	for _, other := range []struct{ agent, session string }{{"ada", "s5"}, {"bob", "b"}, {"bob", "s6"}} {
		if err := c.note(other.agent, other.session); err != nil {
			t.Errorf("%v: %v", other, err)
		}
	}
	for i := range fovea.MaxSessions + 3 { // the owner is never refused
		if _, err := c.m.Scope(c.as("", ""), fmt.Sprint("session/o", i)); err != nil {
			t.Fatal(err)
		}
	}
	before := openFiles(t)
	c.moved.Add(int64(time.Hour))
	if err := c.note("ada", "s5"); err != nil {
		t.Error(err)
	}
	for i := range 10 {
		if err := c.note("ada", fmt.Sprint("late", i)); err != nil {
			t.Errorf("after an hour: %v", err)
		}
	}
	if after := openFiles(t); after > before {
		t.Errorf("%d files were open, and %d are", before, after)
	}
	c.moved.Add(int64(time.Hour))
	for i := range fovea.MaxSessions {
		r, err := api.OpBlocks.Call(c.as("ada", fmt.Sprint("s", i)), c.svc, api.BlocksRequest{})
		if err != nil || len(r) != 1 || r[0].Description != fmt.Sprint("in s", i) {
			t.Fatalf("session %d: %+v, %v", i, r, err)
		}
	}
	if err := c.m.Ingest(t.Context(), nil); err != nil {
		t.Error(err)
	}
}

// openFiles counts the descriptors of this process, where the system lists them.
func openFiles(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil && runtime.GOOS == "linux" {
		t.Fatal(err)
	}
	return len(all)
}

// TestNamesOfStatesAreBounded: beyond a number of kept states only the owner keeps another.
func TestNamesOfStatesAreBounded(t *testing.T) {
	c := newCompany(t, faultfs.New())
	for i := range travel.MaxNamed - 1 {
		if _, err := c.m.History().Snapshot(c.as("", ""), fmt.Sprint("kept ", i)); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []fovea.Kind{0, fovea.Denied, fovea.Denied} {
		_, err := api.OpCheckpoint.Call(c.as("ada", ""), c.svc, api.CheckpointRequest{Name: fmt.Sprint("mine ", i)})
		if (err == nil) != (i == 0) || err != nil && fovea.KindOf(err) != want {
			t.Errorf("state %d: %v", i, err)
		}
	}
	if _, err := api.OpSnapshot.Call(c.as("", ""), c.svc, api.SnapshotRequest{Name: "the owner's"}); err != nil {
		t.Error(err)
	}
}
