// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"bytes"
	"testing"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/store"
)

// TestBundleCutShort: where reading a bundle was cut short, reading it again brings what is missing, each commit once, also
// where the process was killed and no store has kept its head.
func TestBundleCutShort(t *testing.T) {
	a := busy(t)
	text := bundled(t, t.Context(), a.m)
	for at := len(text) / 10; at < len(text); at += len(text) / 10 {
		b := &machine{t: t, name: "a", d: disks{faultfs.New(), faultfs.New()}, hour: a.hour}
		if _, err := place.ReadInto(t.Context(), b.d.state, bytes.NewReader(text[:at]), "/memex"); err == nil {
			t.Fatalf("%d of %d bytes are read as a whole bundle", at, len(text))
		}
		if at/(len(text)/10)%2 == 0 {
			if err := b.d.state.Remove(store.HeadFile); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := place.ReadInto(t.Context(), b.d.state, bytes.NewReader(text), "/memex"); err != nil {
			t.Fatalf("after %d bytes: %v", at, err)
		}
		b.d.write(t, a.d.files(t))
		b.open()
		if _, _, err := b.m.Mending().Verify(t.Context()); err != nil || !bytes.Equal(text, bundled(t, t.Context(), b.m)) {
			t.Errorf("after %d bytes it is another memory, %v", at, err)
		}
		b.m.Close()
	}
}
