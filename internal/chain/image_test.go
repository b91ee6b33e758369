// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain

import (
	"log/slog"
	"testing"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store/storetest"
)

func TestImageDue(t *testing.T) {
	for _, tc := range []struct {
		bytes   int64
		commits uint64
		want    bool
	}{
		{0, 0, false}, {0, 50_000, false}, {1, 49_999, false}, {1, 50_000, true}, {64<<20 - 1, 1, false}, {64 << 20, 1, true},
	} {
		if got := ImageDue(tc.bytes, tc.commits); got != tc.want {
			t.Errorf("%d bytes, %d commits: %v", tc.bytes, tc.commits, got)
		}
	}
}

type nothing struct{}

func (nothing) Derive(*Moment, any) any               { return nil }
func (nothing) Follow(any, *Moment, *graph.Delta) any { return nil }
func (nothing) Encode(any) ([]byte, error)            { return nil, nil }
func (nothing) Load([]byte) any                       { return nil }

// TestCommitsBehind: the commits behind the newest image count, not those before it.
func TestCommitsBehind(t *testing.T) {
	c := New((&storetest.InMemory{}).Open(), Options{Log: slog.New(slog.DiscardHandler), Ledgers: &Ledgers{}, Deriver: nothing{}})
	c.head.Store(&Moment{Commit: Commit{Seq: 60_000}})
	for newest, want := range map[uint64]bool{0: true, 10_000: true, 10_001: false, 59_999: false} {
		if i := (Images{c: c, newest: newest, behind: 1}); i.Due() != want {
			t.Errorf("behind commit %d: %v", newest, !want)
		}
	}
}
