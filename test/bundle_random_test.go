// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"errors"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/store/storetest"
)

// TestCampaignOfBundles: after random operations, among them merges, purges, retention and repair,
// a memory that went through a bundle has the same files, root and log, and the bundle of it has
// the same bytes. 150 operations, with a bundle behind each 50; 10,000 at length.
func TestCampaignOfBundles(t *testing.T) {
	campaign := foveatest.NewCampaign(t)
	w := newWorkload(t, campaign.Rand, disks{faultfs.New(), faultfs.New()}, 30)
	defer func() { w.m.Close() }()
	operations := campaign.Length(150, 10_000)
	for i := range operations {
		s := steps[campaign.Rand.IntN(len(steps))]
		if err := w.do(s); !expected(err) {
			t.Fatalf("operation %d, %s: %v", i, s.name, err)
		}
		if (i+1)%campaign.Length(50, 1000) == 0 {
			w.bundled()
		}
	}
	if head := w.m.View().Head().Seq; head < uint64(operations)/10 {
		t.Errorf("%d operations made %d commits", operations, head)
	}
}

// bundled makes a memory of the bundle of this one, and compares.
func (w *workload) bundled() {
	w.t.Helper()
	text := bundled(w.t, w.t.Context(), w.m)
	there := disks{faultfs.New(), faultfs.New()}
	if _, err := place.ReadInto(w.t.Context(), there.state, bytes.NewReader(text), "/memex"); err != nil {
		w.t.Fatal(err)
	}
	m, err := w.openOn(there)
	if err != nil {
		w.t.Fatal(err)
	}
	defer m.Close()
	if !bytes.Equal(text, bundled(w.t, w.t.Context(), m)) {
		w.t.Error("the bundle of what came out of a bundle has other bytes")
	}
	if m.View().Root() != w.m.View().Root() {
		w.t.Errorf("root %s, and it was %s", m.View().Root(), w.m.View().Root())
	}
	before, err := w.m.History().Log(w.t.Context(), "", 0)
	if err != nil {
		w.t.Fatal(err)
	}
	after, err := m.History().Log(w.t.Context(), "", 0)
	if diff := cmp.Diff(before, after); err != nil || diff != "" {
		w.t.Errorf("history: %v\n%s", err, diff)
	}
}

// TestCampaignOfDamagedBundles: with any byte of a bundle of 64 KB changed, and
// cut anywhere, it is refused, and the error says at which block. One place of 200, all at length.
func TestCampaignOfDamagedBundles(t *testing.T) {
	campaign := foveatest.NewCampaign(t)
	a := newMachine(t, map[string]string{"a.org": "* One\nfirst\n"})
	for i := range 14 {
		var words strings.Builder
		for range 200 {
			fmt.Fprintf(&words, "%x\n", campaign.Rand.Uint64())
		}
		a.write(fmt.Sprintf("%d.org", i%7), fmt.Sprintf("* Text %d\n%s", i, &words))
	}
	text := bundled(t, t.Context(), a.m)
	read := func(b []byte) error {
		to := (&storetest.InMemory{}).Open()
		_, err := place.ReadBundle(t.Context(), bytes.NewReader(b), func(place.Scope) (store.Store, error) { return to, nil })
		return err
	}
	if err := read(text); err != nil {
		t.Fatal(err)
	}
	tried := 0
	for i := range text {
		if !campaign.Picks(200) {
			continue
		}
		tried++
		changed := bytes.Clone(text)
		changed[i] ^= 1 << (i % 8)
		if where, ok := errors.AsType[*place.Error](read(changed)); !ok || where.Block > 1 && where.Offset > int64(i) {
			t.Fatalf("byte %d changed: %v", i, where)
		}
		if _, ok := errors.AsType[*place.Error](read(text[:i])); !ok {
			t.Fatalf("cut at %d: no error that says where", i)
		}
	}
	if tried < 100 || len(text) < 48<<10 || len(text) > 96<<10 {
		t.Errorf("%d places of %d tried", tried, len(text))
	}
}
