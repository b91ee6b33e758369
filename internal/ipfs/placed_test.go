// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ipfs_test

import (
	"slices"
	"testing"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/ipfs"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// TestRecord: notes are there after a crash, each once, also after a line that a crash cut
// off.
func TestRecord(t *testing.T) {
	d := func(i byte) merkle.Digest { return merkle.Sum([]byte{i}) }
	state := faultfs.New()
	record := func(i byte) {
		t.Helper()
		if err := ipfs.Record(state, d(i)); err != nil {
			t.Fatal(err)
		}
	}
	placed := func(want ...merkle.Digest) {
		t.Helper()
		if got, err := ipfs.Placed(state); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
	placed()
	record(1)
	record(2)
	record(1)
	state = state.Crash(1)
	placed(d(2), d(1))

	text, err := state.ReadFile("ipfs-cids")
	if err != nil {
		t.Fatal(err)
	}
	if err := vfs.WriteAtomic(state, "ipfs-cids", text[:len(text)-10], 0o600); err != nil {
		t.Fatal(err)
	}
	placed(d(1))
	record(3)
	placed(d(3), d(1))
}

// FuzzPlaced: whatever the file holds, it is read, and what is noted then is in it.
func FuzzPlaced(f *testing.F) {
	f.Add([]byte("bafyreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy\nbafy"))
	f.Fuzz(func(t *testing.T, text []byte) {
		state := faultfs.New()
		if err := vfs.WriteAtomic(state, "ipfs-cids", text, 0o600); err != nil {
			t.Fatal(err)
		}
		d := merkle.Sum([]byte("one"))
		if err := ipfs.Record(state, d); err != nil {
			t.Fatal(err)
		}
		if all, err := ipfs.Placed(state); err != nil || !slices.Contains(all, d) {
			t.Errorf("%s, %v", all, err)
		}
	})
}
