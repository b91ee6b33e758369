// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"bytes"
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// give appends a batch of blocks and a commit that is like no other.
func (d *diary) give(t testing.TB, s *Store, blocks ...string) {
	t.Helper()
	before := s.End()
	var b store.Batch
	for _, block := range blocks {
		b.Add(store.Block, []byte(block))
	}
	b.Add(store.Commit, binary.BigEndian.AppendUint64(nil, uint64(len(d.ends))))
	end, err := s.Append(t.Context(), &b)
	if err != nil {
		t.Fatal(err)
	}
	d.records = append(d.records, mustPlaced(t, s, before)...)
	d.ends = append(d.ends, end)
}

// copies counts the records of a block in packs.
func copies(t testing.TB, s *Store, block string) int {
	t.Helper()
	n := 0
	for _, p := range s.files.packs.packs {
		if err := everyRecord(p, func(r store.Record) error {
			if r.Kind == store.Block && string(r.Data) == block {
				n++
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// packAll moves all that was appended so far into packs.
func (d *diary) packAll(t testing.TB, s *Store) {
	t.Helper()
	if _, err := s.log.beginSegment(); err != nil {
		t.Fatal(err)
	}
	for range maxImages {
		d.give(t, s)
		d.image(t, s)
	}
	mustPack(t, s)
}

func TestPacksHoldEachBlockOnce(t *testing.T) {
	large := bytes.Repeat([]byte("large"), 600)
	for name, run := range map[string]func(t *testing.T, s *Store, d *diary){
		"in one batch": func(t *testing.T, s *Store, d *diary) {
			d.give(t, s, "again", "again")
		},
		"in one pack": func(t *testing.T, s *Store, d *diary) {
			d.give(t, s, "again", "other")
			d.give(t, s, "again")
		},
		"in packs of one run": func(t *testing.T, s *Store, d *diary) {
			for range 3 {
				d.give(t, s, "again", string(large), "other")
				large[0]++
			}
		},
		"in a pack that stays": func(t *testing.T, s *Store, d *diary) {
			d.give(t, s, "again", string(large))
			d.packAll(t, s)
			if copies(t, s, "again") != 1 {
				t.Fatal("the first copy is in no pack")
			}
			d.give(t, s, "again")
		},
		"in a rewriting": func(t *testing.T, s *Store, d *diary) {
			d.give(t, s, "again", "gone")
			d.give(t, s, "again", "gone")
			d.rewrite(t, s, 'g', 1)
		},
		"written again after it was purged": func(t *testing.T, s *Store, d *diary) {
			d.give(t, s, "again", "again")
			d.rewrite(t, s, 'a', 1)
			d.give(t, s, "again")
			d.give(t, s, "again")
		},
	} {
		t.Run(name, func(t *testing.T) {
			in, opts := faultfs.New(), small(0)
			opts.PackMax = 4 << 10
			s := mustOpen(t, in, opts)
			var d diary
			run(t, s, &d)
			d.packAll(t, s)
			check := func(s *Store) {
				t.Helper()
				if n := copies(t, s, "again"); n != 1 {
					t.Errorf("%d copies in %d packs, want 1", n, len(s.files.packs.packs))
				}
				if err := d.differs(s); err != nil {
					t.Error(err)
				}
				mustCheck(t, s)
			}
			check(s)
			mustClose(t, s)
			s = mustOpen(t, in, small(1))
			defer s.Close()
			check(s)
		})
	}
}

// TestPackKeepsTheGoodCopy: a block is not given up for a copy that is damaged.
func TestPackKeepsTheGoodCopy(t *testing.T) {
	in, opts := faultfs.New(), small(0)
	opts.PackMax = 2 << 10
	s := mustOpen(t, in, opts)
	var d diary
	large := strings.Repeat("large", 600)
	d.give(t, s, large, "again")
	d.packAll(t, s)
	first := s.files.packs.packs[0]
	text, err := in.ReadFile(first.layout.name)
	if err != nil {
		t.Fatal(err)
	}
	flip(t, in, first.layout.name, int64(bytes.Index(text, []byte("again"))))
	d.give(t, s, large, "again")
	d.packAll(t, s)
	if s.files.packs.packs[0] != first {
		t.Fatal("the damaged pack was to stay")
	}
	if data, err := s.Block(merkleOf("again")); err != nil || string(data) != "again" {
		t.Errorf("got %q, %v", data, err)
	}
	mustClose(t, s)
}

// flip changes a byte of a file in place.
func flip(t testing.TB, in vfs.FS, name string, at int64) {
	t.Helper()
	text, err := in.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	text[at] ^= 1
	f, err := in.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(text, 0); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
