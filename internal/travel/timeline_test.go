// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package travel_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/travel"
)

// bigMemory has a document that changes whole, of so many bytes, in each of so
// many commits, and one that stays.
func bigMemory(t *testing.T, changing, staying, commits int) *fovea.Memory {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("stays.org", strings.Repeat("all the same\n", staying/13))
	m, err := fovea.Open(t.Context(), dir, &fovea.Options{StateDir: filepath.Join(t.TempDir(), "state")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	for i := range commits {
		write("changes.org", fmt.Sprintf("%06d\n", i)+strings.Repeat(fmt.Sprintf("line %6d\n", i), changing/12))
		if err := m.Ingest(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// Snapshots hold one state beside the live one; all can be read all the same.
func TestSnapshotsHold(t *testing.T) {
	const mib = 1 << 20
	for _, tc := range []struct {
		name              string
		changing, staying int
		commits, has      int
	}{
		{"little", mib / 100, 0, 12, 11},
		{"all of it, each time", 2 * mib, 0, 6, 5},
		{"a part", 2 * mib, 7 * mib, 8, 7},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := bigMemory(t, tc.changing, tc.staying, tc.commits)
			got := travel.Of(m.History()).HeldSnapshots()
			if len(got) != 1 || got[0] != uint64(tc.commits-1) {
				t.Errorf("states in memory are those of commits %d, want the newest", got)
			}
			if n := len(m.History().Snapshots()); n != tc.has {
				t.Errorf("%d snapshots, want %d", n, tc.has)
			}
			for i, s := range m.History().Snapshots() {
				v, err := m.History().At(t.Context(), fmt.Sprint(i))
				if err != nil {
					t.Fatal(err)
				}
				text, _ := v.Text("changes.org")
				if v.Root() != s.Root || !strings.HasPrefix(text, fmt.Sprintf("%06d\n", s.Seq-1)) {
					t.Errorf("snapshot %d of commit %d reads %.10q", i, s.Seq, text)
				}
			}
		})
	}
}

// Who looks at the past or asks how things are waits for no writer: here one that
// does not go on before they have their answers.
func TestLookersDoNotWait(t *testing.T) {
	m := bigMemory(t, 100, 100, 3)
	if _, err := m.History().Snapshot(t.Context(), "kept"); err != nil {
		t.Fatal(err)
	}
	id := ""
	for d := range m.View().Documents() {
		if d.Path == "changes.org" {
			id = d.ID
		}
	}
	end := travel.Of(m.History()).Write()
	defer end()
	for _, ref := range []string{"0", "kept", "seq:1", "head", "2099-01-01"} {
		if _, err := m.History().At(t.Context(), ref); err != nil {
			t.Error(err)
		}
		if _, err := m.History().Resolve(t.Context(), ref); err != nil {
			t.Error(err)
		}
	}
	if got := m.Status(); got.Seq != 3 || len(got.Drift) != 0 {
		t.Errorf("status %+v", got)
	}
	if n := len(m.History().Snapshots()); n != 3 {
		t.Errorf("%d snapshots", n)
	}
	if log, err := m.History().Log(t.Context(), id, 0); err != nil || len(log) != 3 {
		t.Errorf("log %v, %v", log, err)
	}
	if _, _, _, err := m.History().Blame(t.Context(), nil, id); err != nil {
		t.Error(err)
	}
}

// Readers of the past beside a writer; for the race detector.
func TestLookersAndWriter(t *testing.T) {
	m := bigMemory(t, 100, 100, 3)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	for range 4 {
		go func() {
			defer func() { done <- struct{}{} }()
			for ctx.Err() == nil {
				if _, err := m.History().At(t.Context(), "0"); err != nil {
					t.Error(err)
				}
				m.Status()
				m.History().Snapshots()
			}
		}()
	}
	id := ""
	for d := range m.View().Documents() {
		id = d.ID
	}
	for i := range 20 {
		if _, err := m.Notes().Edit(t.Context(), id, nil, document.AppendBody{Text: fmt.Sprintln("more", i)}); err != nil {
			t.Error(err)
		}
	}
	stop()
	for range 4 {
		<-done
	}
}
