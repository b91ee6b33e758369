// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/disk"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// records calls fn with the kind and the data of each record of the history.
func (w *world) records(fn func(kind store.Kind, data []byte)) {
	w.t.Helper()
	dir := w.t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(w.state)); err != nil {
		w.t.Fatal(err)
	}
	state, err := disk.OpenFolder(dir)
	if err != nil {
		w.t.Fatal(err)
	}
	journal, _, err := disk.Open(state, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := journal.Replay(store.Pos{}, func(r store.Record) error {
		fn(r.Kind, r.Data)
		return nil
	}); err != nil {
		w.t.Fatal(err)
	}
	if err := journal.Close(); err != nil {
		w.t.Fatal(err)
	}
}

// repeated lists the blocks that the history has more than once.
func (w *world) repeated() []string {
	w.t.Helper()
	var again []string
	seen := map[string]bool{}
	w.records(func(kind store.Kind, data []byte) {
		if kind == store.Block && seen[string(data)] {
			again = append(again, string(data))
		}
		seen[string(data)] = true
	})
	return again
}

// saved ingests files as they are to be.
func (w *world) saved(files map[string]string) {
	w.t.Helper()
	w.write(files)
	w.ingest()
}

// noteOf is a document whose headline has a derived id, and a child.
func noteOf(title string) string { return "* " + title + "\nBody of " + title + ".\n** Below\n" }

func (w *world) rolledBack(ref string) {
	w.t.Helper()
	if _, _, err := w.m.History().Rollback(w.t.Context(), ref, nil); err != nil {
		w.t.Fatal(err)
	}
}

// TestEachBlockOnce: what comes again is not written again, and every moment can be
// had from what was written.
func TestEachBlockOnce(t *testing.T) {
	for name, run := range map[string]func(w *world){
		"edited back": func(w *world) {
			w.saved(map[string]string{"a.org": noteOf("Two")})
			w.saved(map[string]string{"a.org": noteOf("One")})
			w.saved(map[string]string{"a.org": noteOf("Two")})
		},
		"moved to another file": func(w *world) {
			w.remove("a.org")
			w.saved(map[string]string{"b.org": noteOf("One")})
		},
		"moved, by a process that did not write it": func(w *world) {
			w.checkpoint("")
			w.reopen()
			w.remove("a.org")
			w.saved(map[string]string{"b.org": noteOf("One")})
		},
		"equal notes in one commit": func(w *world) {
			w.saved(map[string]string{"b.org": noteOf("One"), "c.org": noteOf("Two"), "d.org": noteOf("Two")})
		},
		"rolled back": func(w *world) {
			w.saved(map[string]string{"a.org": noteOf("Two"), "b.org": noteOf("Three")})
			w.rolledBack("0")
			w.rolledBack("0")
		},
		"rolled back by another process": func(w *world) {
			w.saved(map[string]string{"a.org": noteOf("Two"), "b.org": noteOf("Three")})
			w.saved(map[string]string{"a.org": noteOf("Four")})
			w.checkpoint("")
			w.reopen()
			w.rolledBack("seq:1")
			w.rolledBack("seq:2")
		},
		"reverted": func(w *world) {
			w.saved(map[string]string{"a.org": noteOf("Two")})
			if _, _, _, err := w.m.History().Revert(w.t.Context(), []uint64{2}, nil); err != nil {
				w.t.Fatal(err)
			}
		},
		"long text": func(w *world) {
			long := "* Long\n" + strings.Repeat("A line of a long text.\n", 20_000)
			w.saved(map[string]string{"a.org": long})
			w.saved(map[string]string{"a.org": "* Short\n"})
			w.saved(map[string]string{"a.org": long})
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"a.org": noteOf("One")})
			w.ingest()
			run(w)
			for _, block := range w.repeated() {
				t.Errorf("written again: %.80q", block)
			}
			w.mustLast()
		})
	}
}

// mustLast compares every moment with what a process finds that reads the history
// from nothing.
func (w *world) mustLast() {
	w.t.Helper()
	moments := func() (all []map[string]string) {
		for seq := uint64(1); seq <= w.m.View().Head().Seq; seq++ {
			v, err := w.m.History().At(w.t.Context(), fmt.Sprintf("seq:%d", seq))
			if err != nil {
				w.t.Fatal(err)
			}
			all = append(all, documentsOf(v))
		}
		return all
	}
	want := moments()
	w.reopen()
	if diff := cmp.Diff(want, moments()); diff != "" {
		w.t.Errorf("read again (-want +got):\n%s", diff)
	}
	if got := w.kindsOf(); got != "" {
		w.t.Errorf("verify says %q", got)
	}
}

// TestBlockComesAfterItWent: what was left out of history and is then written by a
// person is stored.
func TestBlockComesAfterItWent(t *testing.T) {
	for name, leaveOut := range map[string]func(ctx context.Context, m *fovea.Memory) error{
		"purged": func(ctx context.Context, m *fovea.Memory) error {
			_, _, err := m.Mending().Purge(ctx, nil, "Body of Two", nil)
			return err
		},
		"thinned": func(ctx context.Context, m *fovea.Memory) error {
			_, _, blocks, err := m.Mending().Retain(ctx, time.Hour, 0, 0, nil)
			if err == nil && blocks == 0 {
				err = fmt.Errorf("nothing was thinned")
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"a.org": noteOf("One")})
			w.ingest()
			w.saved(map[string]string{"a.org": noteOf("Two")})
			for i := range 30 {
				w.clock = w.clock.Add(time.Hour)
				w.saved(map[string]string{"a.org": noteOf(fmt.Sprint("Later ", i))})
			}
			if err := leaveOut(t.Context(), w.m); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				w.saved(map[string]string{"a.org": noteOf("Two")})
				want := documentsOf(w.m.View())
				w.saved(map[string]string{"a.org": noteOf("Other")})
				w.reopen()
				v, err := w.m.History().At(t.Context(), fmt.Sprintf("seq:%d", w.m.View().Head().Seq-1))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, documentsOf(v)); diff != "" {
					t.Errorf("what came again (-want +got):\n%s", diff)
				}
				if got := w.kindsOf(); strings.Contains("\n"+got, "\nblock: ") {
					t.Errorf("verify says %q", got)
				}
			}
		})
	}
}

// TestDamagedOnlyCopy: damage in the one copy of a block that a later commit brought
// back is found at the latest by who needs it, and repair says what it costs.
func TestDamagedOnlyCopy(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": noteOf("One"), "b.org": noteOf("Stays")})
	w.ingest()
	w.saved(map[string]string{"a.org": noteOf("Two")})
	w.checkpoint("")
	w.saved(map[string]string{"a.org": noteOf("One")})
	if again := w.repeated(); len(again) > 0 {
		t.Fatalf("written again: %q", again)
	}
	want, root := documentsOf(w.m.View()), w.m.View().Root()
	if err := w.m.Close(); err != nil {
		t.Fatal(err)
	}
	w.spoil("Body of One")
	w.open()
	if w.m.Status().ReadOnly == "" || w.m.View().Head().Seq != 2 {
		t.Fatalf("read-only %q at commit %d, want so at 2", w.m.Status().ReadOnly, w.m.View().Head().Seq)
	}
	plan, err := w.m.Mending().Repair(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	for _, p := range plan {
		said.WriteString(p.Kind + " " + p.Message + "\n")
	}
	if !strings.Contains(said.String(), "lost 1 block of old versions missing, named by commits 1 and 3\n") {
		t.Errorf("repair says %q", said.String())
	}
	for range 2 {
		if diff := cmp.Diff(want, documentsOf(w.m.View())); diff != "" || w.m.View().Root() != root || w.m.Status().ReadOnly != "" {
			t.Fatalf("read-only %q, documents (-want +got):\n%s", w.m.Status().ReadOnly, diff)
		}
		w.reopen()
	}
}

// TestBlockBeneathImage: a block of the present state that an image has and the store
// lacks is written when it comes again, so that later commits are whole.
func TestBlockBeneathImage(t *testing.T) {
	for name, back := range map[string]func(a *machine){
		"edited back": func(a *machine) {
			a.write("a.org", noteOf("Two"))
			a.write("a.org", noteOf("One"))
		},
		"moved": func(a *machine) {
			a.d.write(a.t, map[string]string{"b.org": noteOf("One")})
			if err := a.d.memex.Remove("a.org"); err != nil {
				a.t.Fatal(err)
			}
			a.sync()
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := newMachine(t, map[string]string{"a.org": noteOf("One")})
			a.write("a.org", noteOf("Zero"))
			a.write("a.org", noteOf("One"))
			a.write("large.org", large("Large"))
			if err := a.m.Close(); err != nil { // with an image
				t.Fatal(err)
			}
			history, _, err := disk.Open(a.d.state, nil)
			if err != nil {
				t.Fatal(err)
			}
			gone := map[merkle.Digest]uint64{}
			err = history.Replay(store.Pos{}, func(r store.Record) error {
				if r.Kind == store.Block && strings.Contains(string(r.Data), "Body of One") {
					gone[merkle.Sum(r.Data)] = 1
				}
				return nil
			})
			if err = errors.Join(err, history.Rewrite(t.Context(), gone), history.Close()); err != nil || len(gone) != 1 {
				t.Fatalf("%v, %v", gone, err)
			}
			a.open()
			if text, ok := a.m.View().Text("a.org"); text != noteOf("One") {
				t.Fatalf("the image has %q, %v: the test shows nothing", text, ok)
			}
			back(a)
			want, seq := documentsOf(a.m.View()), a.m.View().Head().Seq
			a.write("a.org", noteOf("Three"))
			for range 2 {
				v, err := a.m.History().At(t.Context(), fmt.Sprintf("seq:%d", seq))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, documentsOf(v)); diff != "" {
					t.Errorf("what came again (-want +got):\n%s", diff)
				}
				if err := a.m.Close(); err != nil {
					t.Fatal(err)
				}
				if images, err := a.d.state.ReadDir("image"); err != nil {
					t.Fatal(err)
				} else {
					for _, e := range images { // the history alone has to do
						_ = a.d.state.Remove("image/" + e.Name())
					}
				}
				a.open()
			}
		})
	}
}
