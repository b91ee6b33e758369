// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/servermemory"
)

// lines reads the file of a mirror, which must have no bad line.
func lines(t *testing.T, path string) servermemory.Graph {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	g, bad := servermemory.ReadLines(text)
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	return g
}

// TestMirrorOfABusyGraph: what another process commits, and writes into the file, while
// one opens the graph is no reason to keep a copy of the file.
func TestMirrorOfABusyGraph(t *testing.T) {
	svc, _ := newPlace(t).open(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "memory.jsonl")
	var created sync.WaitGroup
	busy := client(t, store(t, svc, file))
	create := func(name string) {
		t.Helper()
		if _, text, failed := call(t, busy, "create_entities", `{"entities":[{"name":"`+name+`","entityType":"t","observations":[]}]}`); failed {
			t.Error(text)
		}
	}
	create("A")
	loaded := false
	store(t, api.Service(func(ctx context.Context, c api.Call) (any, error) {
		answer, err := svc(ctx, c)
		if c.Op.Name == "query" && !loaded {
			loaded = true
			created.Go(func() { create("B") })
		}
		return answer, err
	}), file)
	created.Wait()
	if kept, err := filepath.Glob(filepath.Join(dir, "*.before-fovea*")); err != nil || len(kept) > 0 || !loaded {
		t.Errorf("kept %q, %v", kept, err)
	}
	if g := lines(t, file); len(g.Entities) != 2 {
		t.Errorf("the file has %v", g.Entities)
	}
}

// TestMirror: the file is taken over once, holds the graph after each change whichever
// of two processes made it, and is made again when somebody broke it.
func TestMirror(t *testing.T) {
	p := newPlace(t)
	file := filepath.Join(t.TempDir(), "memory.jsonl")
	const before = `{"type":"entity","name":"A","entityType":"t","observations":["o"]}` + "\n" +
		`{"type":"relation","from":"A","to":"B","relationType":"r"}` + "\n"
	if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	svc, _ := p.open(t)
	one := client(t, store(t, svc, file))
	two := client(t, store(t, svc, file))
	everything := func() servermemory.Graph {
		t.Helper()
		g, err := store(t, svc, "").Graph(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	if g := everything(); len(g.Entities) != 1 || len(g.Relations) != 1 {
		t.Fatalf("not taken over: %+v", g)
	}
	for i, step := range []struct{ tool, args string }{
		{"create_entities", `{"entities":[{"name":"C","entityType":"t","observations":["<&>"]}]}`},
		{"create_entities", `{"entities":[{"name":"D","entityType":"t","observations":[]}]}`},
		{"add_observations", `{"observations":[{"entityName":"A","contents":["p"]}]}`},
		{"create_relations", `{"relations":[{"from":"C","to":"D","relationType":"r"}]}`},
		{"delete_entities", `{"entityNames":["C"]}`},
		{"create_entities", `{"entities":[{"name":"E","entityType":"t","observations":[]},{"name":"F","entityType":"t","observations":[]}]}`},
	} {
		c := one
		if i%2 == 1 {
			c = two
		}
		if _, text, failed := call(t, c, step.tool, step.args); failed {
			t.Fatal(text)
		}
		if d := cmp.Diff(everything(), lines(t, file)); d != "" {
			t.Errorf("after %s: %s", step.tool, d)
		}
	}
	want := everything()
	lacking := []string{
		before[:40], "\x00\n", `{"type":"entity","name":"Z","entityType":"t","observations":[]}` + "\n",
		`{"type":"entity","name":"` + want.Entities[0].Name + `","entityType":"t","observations":["only in the file"]}` + "\n",
	}
	for _, broken := range append([]string{""}, slices.Concat(lacking, lacking)...) {
		if err := os.WriteFile(file, []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		store(t, svc, file)
		if d := cmp.Diff(want, lines(t, file)); d != "" {
			t.Errorf("%q: %s", broken, d)
		}
	}
	copies, err := filepath.Glob(file + ".before-fovea-*")
	if err != nil {
		t.Fatal(err)
	}
	var kept []string // each content that the graph lacked, once
	for _, name := range copies {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
		}
		kept = append(kept, string(text))
	}
	if d := cmp.Diff(lacking, kept, cmpopts.SortSlices(strings.Compare)); d != "" {
		t.Errorf("what the graph lacked was not kept: %s", d)
	}
}

// TestMirrorOfNoChange: a change that finds nothing to do leaves what others wrote into the file; the
// next one that does something writes the file.
func TestMirrorOfNoChange(t *testing.T) {
	svc, _ := newPlace(t).open(t)
	file := filepath.Join(t.TempDir(), "memory.jsonl")
	c := client(t, store(t, svc, file))
	const a, other = `{"entities":[{"name":"A","entityType":"t","observations":[]}]}`, `{"type":"entity","name":"Z"}` + "\n"
	call(t, c, "create_entities", a)
	if err := os.WriteFile(file, []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		tool, args string
		isOther    bool
	}{
		{"create_entities", a, true}, {"delete_entities", `{"entityNames":["B"]}`, true}, {"delete_entities", `{"entityNames":["A"]}`, false},
	} {
		_, text, failed := call(t, c, step.tool, step.args)
		if g := lines(t, file); failed || strings.Contains(fmt.Sprint(g), "Z") != step.isOther {
			t.Errorf("%s %s: %s, %v", step.tool, step.args, text, g)
		}
	}
}

// TestMirrorThatIsHeld: who waits for the mirror stops with its context, and nothing is written.
func TestMirrorThatIsHeld(t *testing.T) {
	svc, _ := newPlace(t).open(t)
	file := filepath.Join(t.TempDir(), "memory.jsonl")
	holder := flock.New(filepath.Join(filepath.Dir(file), ".memory.jsonl.lock"))
	if err := holder.Lock(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	opened := make(chan error, 1)
	go func() {
		_, err := servermemory.Open(ctx, svc, file)
		opened <- err
	}()
	select {
	case err := <-opened:
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "nothing was written") {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Error("it still waits")
	}
	if err := holder.Unlock(); err != nil {
		t.Fatal(err)
	}
	store(t, svc, file)
}

// TestMirrorAfterAFailure: a change that fails after its first step leaves the file as it was;
// with the next change the file has that step too.
func TestMirrorAfterAFailure(t *testing.T) {
	svc, _ := newPlace(t).open(t)
	file := filepath.Join(t.TempDir(), "memory.jsonl")
	edits := 0
	s := store(t, api.Service(func(ctx context.Context, c api.Call) (any, error) {
		if c.Op.Name == "edit" {
			if edits++; edits == 4 { // two create, the next adds to A
				return nil, fmt.Errorf("the disk is full")
			}
		}
		return svc(ctx, c)
	}), file)
	c := client(t, s)
	call(t, c, "create_entities", `{"entities":[{"name":"A","entityType":"t","observations":[]},{"name":"B","entityType":"t","observations":[]}]}`)
	const both = `{"observations":[{"entityName":"A","contents":["x"]},{"entityName":"B","contents":["x"]}]}`
	if _, text, failed := call(t, c, "add_observations", both); !failed || !strings.Contains(text, "the disk is full") {
		t.Fatalf("failed %v: %s", failed, text)
	}
	if _, text, failed := call(t, c, "create_entities", `{"entities":[{"name":"C","entityType":"t","observations":[]}]}`); failed {
		t.Fatal(text)
	}
	g, err := s.Graph(t.Context())
	if err != nil || len(g.Entities) != 3 || len(g.Entities[0].Observations) != 1 || len(g.Entities[1].Observations) != 0 {
		t.Errorf("%v, %v", g, err)
	}
	if d := cmp.Diff(g, lines(t, file), cmpopts.EquateEmpty()); d != "" {
		t.Errorf("the file: %s", d)
	}
}
