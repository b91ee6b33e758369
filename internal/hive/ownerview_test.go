// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hive_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/hive"
)

// TestSeen: up to where the owner has looked outlives a restart, each scope by itself, and a
// damaged file is named and written anew.
func TestSeen(t *testing.T) {
	folder, state := t.TempDir(), filepath.Join(t.TempDir(), "state")
	open := func() *fovea.Memory {
		t.Helper()
		m, err := fovea.Open(t.Context(), folder, &fovea.Options{StateDir: state})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	m := open()
	if l, err := fovea.HiveOf(m).Owner.Seen(); err != nil || !l.Time.IsZero() || len(l.UpTo) != 0 {
		t.Errorf("%+v, %v", l, err)
	}
	at := time.Unix(1_700_000_000, 0).UTC()
	for name, seq := range map[string]uint64{"memex": 7, "project/p": 3} {
		if err := fovea.HiveOf(m).Owner.SetSeen(hive.Seen{Time: at, UpTo: map[string]uint64{name: seq}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	m = open()
	l, err := fovea.HiveOf(m).Owner.Seen()
	if err != nil || !l.Time.Equal(at) || l.UpTo["memex"] != 7 || l.UpTo["project/p"] != 3 {
		t.Errorf("after a restart: %+v, %v", l, err)
	}
	if err := os.WriteFile(filepath.Join(state, "seen"), []byte(`{"upto":`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := fovea.HiveOf(m).Owner.Seen(); fovea.KindOf(err) != fovea.Corrupt {
		t.Errorf("damaged: %v", err)
	}
	if err := fovea.HiveOf(m).Owner.SetSeen(hive.Seen{Time: at, UpTo: map[string]uint64{"memex": 8}}); err != nil {
		t.Fatal(err)
	}
	if l, err := fovea.HiveOf(m).Owner.Seen(); err != nil || len(l.UpTo) != 1 || l.UpTo["memex"] != 8 {
		t.Errorf("written anew: %+v, %v", l, err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if err := fovea.HiveOf(m).Owner.SetSeen(hive.Seen{Time: at, UpTo: map[string]uint64{"memex": 9}}); err == nil {
		t.Error("a closed memory notes a look")
	}
}

// FuzzSeen: no bytes of the file panic.
func FuzzSeen(f *testing.F) {
	folder, state := f.TempDir(), filepath.Join(f.TempDir(), "state")
	m, err := fovea.Open(f.Context(), folder, &fovea.Options{StateDir: state})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = m.Close() })
	f.Add([]byte(`{"time":"2026-01-01T00:00:00Z","upto":{"memex":1}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(filepath.Join(state, "seen"), b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := fovea.HiveOf(m).Owner.Seen(); err != nil && fovea.KindOf(err) != fovea.Corrupt {
			t.Error(err)
		}
	})
}
