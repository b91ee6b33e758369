// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// spoil changes bytes of the one journal file, at the place where a text stands.
func (w *world) spoil(text string) {
	w.t.Helper()
	names, err := filepath.Glob(filepath.Join(w.state, "journal", "*.j"))
	if err != nil || len(names) == 0 {
		w.t.Fatal(names, err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			w.t.Fatal(err)
		}
		i := bytes.Index(b, []byte(text))
		if i < 0 {
			continue
		}
		b[i] ^= 1
		if err := os.WriteFile(name, b, 0o600); err != nil {
			w.t.Fatal(err)
		}
		return
	}
	w.t.Fatalf("no segment holds %q", text)
}

// TestRepair damages a history of five commits in several ways.
func TestRepair(t *testing.T) {
	all := func(w *world, pattern string, change func(name string)) {
		names, err := filepath.Glob(filepath.Join(w.state, pattern))
		if err != nil || len(names) == 0 {
			t.Fatal(pattern, names, err)
		}
		for _, name := range names {
			change(name)
		}
	}
	garbage := func(name string) {
		if err := os.WriteFile(name, bytes.Repeat([]byte("garbage!"), 500), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name   string
		damage func(w *world)
		plan   []string // kinds, and a part of the message
		chain  uint64   // commits before that of the repair
		gone   []uint64 // moments of them that cannot be had
		unseen bool     // opening does not read so far back
	}{
		{"nothing", func(*world) {}, nil, 5, nil, false},
		{"a block", func(w *world) { w.spoil("Version 2") }, []string{"damaged", "lost 1 block of old versions"}, 5, []uint64{3}, false},
		{"a block of now", func(w *world) { w.spoil("Version 4") }, []string{"damaged", "lost 1 block of old versions"}, 5, []uint64{5}, false},
		{"a block that an image has", func(w *world) {
			w.open()
			if _, _, err := w.m.History().Checkpoint(t.Context(), ""); err != nil {
				t.Fatal(err)
			}
			w.m.Close()
			w.spoil("Version 4")
		}, []string{"damaged"}, 5, nil, true},
		{"the third commit", func(w *world) { w.spoil("operation-of-commit-3") }, []string{"damaged", "lost commits 3 to 5 are lost; 2 of them can be read"}, 2,
			nil, false},
		{"the journal's end is cut off", func(w *world) {
			all(w, "journal/*.j", func(name string) {
				info, err := os.Stat(name)
				if err == nil {
					err = os.Truncate(name, info.Size()-100)
				}
				if err != nil {
					t.Fatal(err)
				}
			})
		}, []string{"damaged", "lost commit 5 is lost"}, 4, nil, false},
		{"FORMAT", func(w *world) { garbage(filepath.Join(w.state, "FORMAT")) }, []string{"damaged"}, 5, nil, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"stays.org": "* Stays\n"})
			for i := range 5 {
				w.write(map[string]string{"x.org": fmt.Sprintf("* Version %d\n", i)})
				w.m.Close()
				w.session = fmt.Sprintf("operation-of-commit-%d", i+1)
				w.open()
				w.ingest()
			}
			want := documentsOf(w.m.View())
			root := w.m.View().Root()
			if err := w.m.Close(); err != nil {
				t.Fatal(err)
			}
			test.damage(w)
			w.open()
			if readOnly := w.m.Status().ReadOnly; (readOnly != "") != (len(test.plan) > 0 && !test.unseen) {
				t.Fatalf("read-only: %q", readOnly)
			}
			dry, err := w.m.Mending().Repair(t.Context(), &fovea.WriteOptions{DryRun: true})
			if err != nil {
				t.Fatal(err)
			}
			plan, err := w.m.Mending().Repair(t.Context(), nil)
			if diff := cmp.Diff(dry, plan); err != nil || diff != "" {
				t.Fatalf("repair: %v (-dry +done):\n%s", err, diff)
			}
			if len(plan) != len(test.plan) {
				t.Fatalf("plan %+v, want %q", plan, test.plan)
			}
			for i, p := range plan {
				if said := p.Kind + " " + p.Message; !strings.HasPrefix(said, test.plan[i]) {
					t.Errorf("plan says %q, want %q", said, test.plan[i])
				}
			}
			for range 2 {
				if diff := cmp.Diff(want, documentsOf(w.m.View())); diff != "" || w.m.View().Root() != root || w.m.Status().ReadOnly != "" {
					t.Fatalf("read-only %q, documents (-want +got):\n%s", w.m.Status().ReadOnly, diff)
				}
				if got := w.kindsOf(); got != "" && (!strings.HasPrefix(got, "lost: ") || strings.Contains(got, "\n") || len(test.gone) == 0) {
					t.Errorf("verify says %q", got)
				}
				for seq := uint64(1); seq <= test.chain; seq++ {
					v, err := w.m.History().At(t.Context(), fmt.Sprintf("seq:%d", seq))
					lost := false
					for _, g := range test.gone {
						lost = lost || g == seq
					}
					switch {
					case lost && fovea.KindOf(err) != fovea.NotFound && seq != 5:
						t.Errorf("commit %d: %v, want NotFound", seq, err)
					case !lost && err != nil:
						t.Errorf("commit %d: %v", seq, err)
					case err == nil:
						if got := documentsOf(v)["x.org"]; got != fmt.Sprintf("* Version %d\n", seq-1) {
							t.Errorf("commit %d has %q", seq, got)
						}
					}
				}
				w.reopen()
			}
			if again, err := w.m.Mending().Repair(t.Context(), nil); err != nil || len(again) > 0 {
				t.Errorf("a second repair: %+v, %v; want nothing", again, err)
			}
			w.write(map[string]string{"x.org": "* Written after\n"})
			if got, _ := w.ingest().Text("x.org"); got != "* Written after\n" {
				t.Errorf("after the repair nothing can be written: %q", got)
			}
		})
	}
}

// TestChaosScenarioB: a new history begins by itself only where all of the old one was
// read and nothing verifies.
func TestChaosScenarioB(t *testing.T) {
	tests := []struct {
		name   string
		damage func(name string) error
		begins bool
	}{
		{"garbage", func(name string) error { return os.WriteFile(name, bytes.Repeat([]byte("garbage!"), 500), 0o600) }, true},
		{"missing", os.Remove, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"x.org": "* Here\n"})
			w.ingest()
			w.m.Close()
			name := filepath.Join(w.state, "journal", "00000001.j")
			if err := test.damage(name); err != nil {
				t.Fatal(err)
			}
			w.open()
			s := w.m.Status()
			if began := s.ReadOnly == "" && strings.Contains(s.Recovered, "the history before is lost"); began != test.begins {
				t.Fatalf("read-only %q, recovered %q", s.ReadOnly, s.Recovered)
			}
			if !test.begins {
				return
			}
			b, err := os.ReadFile(filepath.Join(w.state, "quarantine", "00000001.j"))
			if err != nil || !strings.HasPrefix(string(b), "garbage!") {
				t.Errorf("quarantine: %v", err)
			}
			if got, _ := w.ingest().Text("x.org"); got != "* Here\n" || w.kindsOf() != "" {
				t.Errorf("the folder is not there: %q, %s", got, w.kindsOf())
			}
		})
	}
}

// TestRepairOfImages: a repair of images alone is told once they are put aside, not before.
func TestRepairOfImages(t *testing.T) {
	disk := faultfs.New()
	w := &world{t: t, dir: t.TempDir(), store: disk, clock: time.Now().Add(time.Hour)}
	w.write(map[string]string{"x.org": "* Here\n"})
	w.open()
	defer func() { w.m.Close() }()
	w.ingest()
	if _, _, err := w.m.History().Checkpoint(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	w.saved(map[string]string{"x.org": "* There\n"})
	name := store.ImageName(1)
	if err := errors.Join(w.m.Close(), vfs.WriteAtomic(disk, name, []byte("garbage!"), 0o600)); err != nil {
		t.Fatal(err)
	}
	w.open()
	for _, fault := range []error{faultfs.ErrFault, nil} {
		disk.OnOp(func(op faultfs.Op) error {
			if op.Kind == faultfs.OpRename && op.Name == name {
				return fault
			}
			return nil
		})
		_, err := w.m.Mending().Repair(t.Context(), nil)
		if told := w.m.Status().Recovered; (err == nil) != (fault == nil) || strings.Contains(told, "repaired") != (fault == nil) {
			t.Errorf("repair ended with %v, and says %q", err, told)
		}
	}
}

// TestRepairReadsWhatIsLeft: a file that reads as what is left of a text that is lost is
// not that text.
func TestRepairReadsWhatIsLeft(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "just some text\n", "b.org": "* B\n"})
	w.ingest()
	w.saved(map[string]string{"b.org": "* Later\n"})
	if err := errors.Join(w.m.Close(), os.RemoveAll(filepath.Join(w.state, "image"))); err != nil {
		t.Fatal(err)
	}
	w.spoil("just some text")
	w.write(map[string]string{"a.org": ""})
	w.open()
	if _, err := w.m.Mending().Repair(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if got, want := w.kindsOf(), "lost: 1 block lost, as commit 3 says"; got != want {
		t.Errorf("verify says %q, want %q", got, want)
	}
}

// TestRepairListsEachChunk: of a large text that lost several chunks, each one is named, not
// only the first.
func TestRepairListsEachChunk(t *testing.T) {
	large := new(strings.Builder)
	for i := range 6 {
		fmt.Fprintf(large, "chunk %d%s\n", i, strings.Repeat(" x", merkle.ChunkSize/2))
	}
	w := newWorld(t, map[string]string{"a.org": large.String(), "b.org": "* B\n"})
	w.ingest()
	w.saved(map[string]string{"a.org": "* Later\n"})
	if err := errors.Join(w.m.Close(), os.RemoveAll(filepath.Join(w.state, "image"))); err != nil {
		t.Fatal(err)
	}
	w.spoil("chunk 1")
	w.spoil("chunk 3")
	w.spoil("chunk 4")
	w.open()
	plan, err := w.m.Mending().Repair(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	last := plan[len(plan)-1]
	if got, want := last.Kind+": "+last.Message, "lost: 3 blocks of old versions missing, named by commit 1"; got != want {
		t.Errorf("the plan ends with %q, want %q", got, want)
	}
	if got, want := w.kindsOf(), "lost: 3 blocks lost, as commit 3 says"; got != want {
		t.Errorf("verify says %q, want %q", got, want)
	}
	if again, err := w.m.Mending().Repair(t.Context(), nil); err != nil || len(again) > 0 {
		t.Errorf("a second repair: %+v, %v; want nothing", again, err)
	}
}
