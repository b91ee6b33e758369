// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/faultfs"
)

// say changes the memex and commits it.
func (d disks) say(t testing.TB, m *fovea.Memory, text string) {
	t.Helper()
	d.write(t, map[string]string{"a.org": text})
	if err := m.Ingest(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
}

// images lists the images that are whole.
func (d disks) images(t testing.TB) []string {
	t.Helper()
	entries, err := d.state.ReadDir("image")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".img") {
			names = append(names, e.Name())
		}
	}
	return names
}

// TestImageThatFails: commits go on and do not try again; Close does.
func TestImageThatFails(t *testing.T) {
	d := disks{faultfs.New(), faultfs.New()}
	m := d.open(t)
	var tried atomic.Int32
	d.onOp(func(where string, op faultfs.Op) error {
		if where == "state" && op.Kind == faultfs.OpOpen && strings.HasPrefix(op.Name, "image/") {
			tried.Add(1)
			return faultfs.ErrNoSpace
		}
		return nil
	})
	const part = 13 << 20 // an image is due from 64 MiB on
	for i := range 7 {
		d.say(t, m, "* More\n"+strings.Repeat(string(rune('a'+i)), part))
	}
	if err := m.History().Heartbeat(t.Context()); fovea.KindOf(err) != fovea.Other {
		t.Errorf("heartbeat: %v", err)
	}
	if got := tried.Load(); got != 2 || len(d.images(t)) > 0 {
		t.Errorf("%d tries, want one beside and that of Heartbeat; images %v", got, d.images(t))
	}
	d.onOp(nil)
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"000000000007.img"}, d.images(t)); diff != "" {
		t.Errorf("images (-want +got):\n%s", diff)
	}
}
