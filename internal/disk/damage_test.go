// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// all is everything a store can say about its content.
type all struct {
	Records []entry
	Image   *store.Image
	Head    string // all that a clean close leaves
}

func read(s *Store) (all, error) {
	records, err := replayed(s, store.Pos{})
	if err != nil {
		return all{}, err
	}
	img, err := s.LoadImage()
	return all{records, img, fmt.Sprintf("%+v", s.opened)}, err
}

// filled is a store of a few segments and two images, closed or left as a
// killed process leaves it.
func filled(t testing.TB, closed bool) (*faultfs.FS, all) {
	t.Helper()
	in := faultfs.New()
	s := mustOpen(t, in, small(0))
	for i := range 8 {
		_, ends := fillStore(t, s, i, i+1)
		if i == 3 || i == 5 {
			if err := s.WriteImage(imageOf(uint64(i), ends[0])); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.SetHead(store.Head{Seq: 7, Commit: imageOf(7, store.Pos{}).Commit})
	want, err := read(s)
	if err != nil {
		t.Fatal(err)
	}
	if closed {
		mustClose(t, s)
		s = mustOpen(t, in, small(1))
		if want, err = read(s); err != nil {
			t.Fatal(err)
		}
		mustClose(t, s)
	} else {
		want.Head = fmt.Sprintf("%+v", cleanClose{})
	}
	return in, want
}

var stored = []string{
	"FORMAT", "head", "journal/00000001.j", "journal/00000002.j", "journal/00000003.j", "journal/00000004.j",
	"image/000000000003.img", "image/000000000005.img",
}

// damage1 opens a damaged store and fails the test unless the damage is
// reported, or everything reads as before. What is reported as corrupt must
// still read as a beginning of what there was, and must not be changed.
func damage1(t *testing.T, in *faultfs.FS, want all, where string) {
	t.Helper()
	before := in.Clone()
	s, atOpen, err := Open(in, small(2))
	if err != nil {
		return // refused; the tests of FORMAT say for what
	}
	defer s.Close()
	got, err := read(s)
	found := s.Recovery()
	if err == nil && reflect.DeepEqual(found, store.Recovery{}) {
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: nothing was reported and it reads differently (-want +got):\n%s", where, cmp.Diff(want, got))
		}
		return
	}
	if found.Corrupt == nil {
		if n := min(len(got.Records), len(want.Records)); !slices.Equal(got.Records[:n], want.Records[:n]) {
			t.Fatalf("%s: %+v, and it reads differently", where, found)
		}
		return
	}
	if s.Err() == nil {
		t.Fatalf("%s: corrupt, and not read-only: %v", where, found.Corrupt)
	}
	b, _ := batchOf(0)
	if _, err := s.Append(t.Context(), b); !errors.Is(err, store.ErrReadOnly) || !errors.Is(err, store.ErrCorrupt) {
		t.Fatalf("%s: append to a corrupt store: got %v, want ErrReadOnly and ErrCorrupt", where, err)
	}
	records, _ := replayed(s, store.Pos{})
	if len(records) > len(want.Records) || !slices.Equal(records, want.Records[:len(records)]) {
		t.Fatalf("%s: corrupt, and what is given out is no beginning of what there was", where)
	}
	if atOpen.Corrupt != nil {
		sameFiles(t, before, in, where)
	}
}

func sameFiles(t *testing.T, want, got vfs.FS, where string) {
	t.Helper()
	for _, name := range stored {
		a, errA := want.ReadFile(name)
		b, errB := got.ReadFile(name)
		if string(a) != string(b) || (errA == nil) != (errB == nil) {
			t.Fatalf("%s: %s was changed", where, name)
		}
	}
}

func patch(t *testing.T, in vfs.FS, name string, change func(vfs.File) error) {
	t.Helper()
	f, err := in.OpenFile(name, os.O_RDWR, 0)
	if err == nil {
		err = errors.Join(change(f), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestEveryByteFlipped changes each byte of each file: one bit, and in a store
// that was closed all eight as well.
func TestEveryByteFlipped(t *testing.T) {
	for _, closed := range []bool{true, false} {
		in, want := filled(t, closed)
		for _, name := range stored {
			content, err := in.ReadFile(name)
			if errors.Is(err, os.ErrNotExist) && name == store.HeadFile {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			for at := range content {
				if foveatest.Thin(at, 7) {
					continue
				}
				for _, flip := range []byte{1 << (at % 8), 0xff} {
					if !closed && flip == 0xff {
						continue
					}
					hurt := in.Clone()
					patch(t, hurt, name, func(f vfs.File) error {
						_, err := f.WriteAt([]byte{content[at] ^ flip}, int64(at))
						return err
					})
					damage1(t, hurt, want, fmt.Sprintf("%s, byte %d ^ %#x, closed %v", name, at, flip, closed))
				}
			}
		}
	}
}

// TestEveryTruncation cuts each file at each place, and removes it.
func TestEveryTruncation(t *testing.T) {
	for _, closed := range []bool{true, false} {
		in, want := filled(t, closed)
		boundaries := groupStarts(t, in)
		for _, name := range stored {
			info, err := in.Stat(name)
			if err != nil {
				continue
			}
			for size := int64(-1); size < info.Size(); size++ {
				if foveatest.Thin(int(size)+1, 7) {
					continue
				}
				hurt := in.Clone()
				where := fmt.Sprintf("%s cut to %d of %d bytes, closed %v", name, size, info.Size(), closed)
				if size < 0 {
					if err := hurt.Remove(name); err != nil {
						t.Fatal(err)
					}
				} else {
					patch(t, hurt, name, func(f vfs.File) error { return f.Truncate(size) })
				}
				if size < 0 && (name == store.HeadFile || name == stored[len(stored)-2] || name == stored[len(stored)-1]) {
					continue // a store may have no head and no image
				}
				if size < 0 && !closed && name == lastSegment(t, in) {
					continue // nothing says that it was there
				}
				if !closed && name == lastSegment(t, in) && slices.Contains(boundaries, size) {
					continue // neither does anything say that there were more groups
				}
				damage1(t, hurt, want, where)
			}
		}
	}
}

// groupStarts returns where the groups of the last segment begin and end, if
// each batch is a group.
func groupStarts(t *testing.T, in *faultfs.FS) []int64 {
	t.Helper()
	s := mustOpen(t, in.Clone(), small(2))
	starts, last := []int64{headerSize, s.End().Offset}, uint64(0)
	err := s.Replay(store.Pos{}, func(r store.Record) error {
		if r.Pos.Segment == s.End().Segment && r.Batch != last {
			starts = append(starts, r.Pos.Offset)
		}
		last = r.Batch
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return starts
}

func lastSegment(t *testing.T, in vfs.FS) string {
	t.Helper()
	numbers, err := listSegments(in)
	if err != nil {
		t.Fatal(err)
	}
	return segmentName(numbers[len(numbers)-1])
}

// TestTornOrCorrupt damages the groups of a segment by name.
func TestTornOrCorrupt(t *testing.T) {
	for _, tc := range []struct {
		name    string
		closed  bool
		damaged []int // groups, from 0, of 4
		corrupt bool
		left    int // batches that are still there
		torn    int
	}{
		{"nothing", false, nil, false, 4, 0},
		{"last group", false, []int{3}, false, 3, 1},
		{"first group", false, []int{0}, true, 0, 0},
		{"one before the last", false, []int{2}, true, 2, 0},
		{"two in a row in the middle", false, []int{1, 2}, true, 1, 0},
		{"last group, closed", true, []int{3}, true, 3, 0},
		{"all", false, []int{0, 1, 2, 3}, false, 0, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := faultfs.New()
			s := mustOpen(t, in, nil)
			var ends []store.Pos
			for i := range 4 {
				var b store.Batch
				b.Add(store.Block, fmt.Appendf(nil, "group %d, %0200d", i, i))
				end, err := s.Append(t.Context(), &b)
				if err != nil {
					t.Fatal(err)
				}
				ends = append(ends, end)
			}
			if tc.closed {
				mustClose(t, s)
			}
			for _, i := range tc.damaged {
				patch(t, in, segmentName(1), func(f vfs.File) error {
					_, err := f.WriteAt([]byte("damage"), ends[i].Offset-100)
					return err
				})
			}
			s, found, err := Open(in, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if (found.Corrupt != nil) != tc.corrupt || found.TornBatches != tc.torn || (found.TornBytes > 0) != (tc.torn > 0) {
				t.Errorf("recovery %+v (%v), want corrupt %v and %d torn batches", found, found.Corrupt, tc.corrupt, tc.torn)
			}
			if tc.corrupt && (found.Corrupt.Segment != 1 || !errors.Is(found.Corrupt, store.ErrCorrupt)) {
				t.Errorf("corruption %+v", found.Corrupt)
			}
			if got := mustReplay(t, s, store.Pos{}); len(got) != tc.left {
				t.Errorf("%d batches left, want %d", len(got), tc.left)
			}
			blocks := 0
			for i := range 4 {
				if _, err := s.Block(merkleOf(fmt.Sprintf("group %d, %0200d", i, i))); err == nil {
					blocks++
				}
			}
			if want := 4 - len(tc.damaged); blocks != want {
				t.Errorf("%d blocks found, want all %d that are whole", blocks, want)
			}
		})
	}
}

// TestTornGroup cuts a group of three batches after the second: none was
// acknowledged, and the next group must not make damage out of them.
func TestTornGroup(t *testing.T) {
	in := faultfs.New()
	s := mustOpen(t, in, nil)
	want, _ := fillStore(t, s, 0, 1)
	var group []*pending
	for i := range 3 {
		b, _ := batchOf(i + 1)
		group = append(group, &pending{Batch: b})
	}
	if err := s.log.writer.write(group); err != nil {
		t.Fatal(err)
	}
	patch(t, in, segmentName(1), func(f vfs.File) error {
		_, err := f.WriteAt(make([]byte, group[2].Size()), group[1].end.Offset)
		return err
	})
	s, found, err := Open(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	if found.Corrupt != nil || found.TornBatches != 2 {
		t.Errorf("recovery %+v, want two torn batches", found)
	}
	if diff := cmp.Diff(want, mustReplay(t, s, store.Pos{})); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	more, _ := fillStore(t, s, 1, 3)
	again, found, err := Open(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	if found.Corrupt != nil || found.TornBytes != 0 {
		t.Errorf("recovery %+v", found)
	}
	if diff := cmp.Diff(append(want, more...), mustReplay(t, again, store.Pos{})); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

// TestJournalInsideAJournal keeps a copy of the segment as a block: its frames
// must not pass for the journal's when the end is torn.
func TestJournalInsideAJournal(t *testing.T) {
	in := faultfs.New()
	s := mustOpen(t, in, nil)
	_, ends := fillStore(t, s, 0, 6)
	end := ends[5]
	inner, err := in.ReadFile(segmentName(1))
	if err != nil {
		t.Fatal(err)
	}
	for shift := range 8 {
		var b store.Batch
		b.Add(store.Block, append(make([]byte, shift), inner[:ends[5].Offset]...))
		if end, err = s.Append(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		hurt := in.Clone()
		patch(t, hurt, segmentName(1), func(f vfs.File) error {
			_, err := f.WriteAt([]byte{0xff}, end.Offset-1)
			return err
		})
		_, found, err := Open(hurt, nil)
		if err != nil {
			t.Fatal(err)
		}
		if found.Corrupt != nil || found.TornBatches != 1 {
			t.Errorf("shift %d: recovery %+v, want one torn batch", shift, found)
		}
	}
}

// TestStoreModel runs random operations against a slice.
func TestStoreModel(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		in := faultfs.New()
		seed := byte(0)
		s := mustOpen(t, in, small(seed))
		var want []entry
		var ends []store.Pos
		reopen := func() {
			seed++
			var found store.Recovery
			var err error
			if s, found, err = Open(in, small(seed)); err != nil || found.Corrupt != nil {
				r.Fatalf("open: %v, %+v", err, found)
			}
		}
		r.Repeat(map[string]func(*rapid.T){
			"append": func(r *rapid.T) {
				b, records := batchOf(len(ends))
				end, err := s.Append(t.Context(), b)
				if err != nil {
					r.Fatal(err)
				}
				want, ends = append(want, records...), append(ends, end)
			},
			"close": func(*rapid.T) { mustClose(t, s); reopen() },
			"crash": func(r *rapid.T) { in = in.Crash(rapid.Uint64().Draw(r, "seed")); reopen() },
			"kill":  func(*rapid.T) { reopen() },
			"image": func(r *rapid.T) {
				if err := s.WriteImage(imageOf(uint64(len(ends)), s.End())); err != nil {
					r.Fatal(err)
				}
			},
			"block": func(r *rapid.T) {
				blocks := slices.DeleteFunc(slices.Clone(want), func(r entry) bool { return r.Kind != store.Block && r.Kind != store.Commit })
				if len(blocks) == 0 {
					return
				}
				block := rapid.SampledFrom(blocks).Draw(r, "block")
				if got, err := s.Block(merkleOf(block.Data)); err != nil || string(got) != block.Data {
					r.Fatalf("block: %v", err)
				}
			},
			"": func(r *rapid.T) {
				from, skip := store.Pos{}, 0
				if len(ends) > 0 && rapid.Bool().Draw(r, "part") {
					i := rapid.IntRange(0, len(ends)-1).Draw(r, "from")
					from, skip = ends[i], i+1
				}
				rest := slices.DeleteFunc(slices.Clone(want), func(r entry) bool { return r.Batch <= uint64(skip) })
				got, err := replayed(s, from)
				if err != nil || !slices.Equal(got, rest) {
					r.Fatalf("replay from %v: %v (-want +got):\n%s", from, err, cmp.Diff(rest, got))
				}
			},
		})
	})
}

// FuzzOpenJournal gives Open any bytes as the newest segment: it must answer,
// and what it says is good must replay.
func FuzzOpenJournal(f *testing.F) {
	in, _ := filled(f, false)
	for _, name := range stored[2:6] {
		if content, err := in.ReadFile(name); err == nil {
			f.Add(content)
		}
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		in := faultfs.New()
		mustClose(t, mustOpen(t, in, small(0)))
		if err := vfs.WriteAtomic(in, segmentName(1), content, filePerm); err != nil {
			t.Fatal(err)
		}
		s, found, err := Open(in, small(1))
		if err != nil {
			return
		}
		defer s.Close()
		records := mustReplay(t, s, store.Pos{})
		_, _ = s.Block(merkleOf("x"))
		if found.Corrupt != nil {
			return
		}
		var b store.Batch
		b.Add(store.Mark, []byte("fuzz"))
		if _, err := s.Append(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		if got := mustReplay(t, s, store.Pos{}); len(got) != len(records)+1 {
			t.Fatalf("%d records and one more are %d", len(records), len(got))
		}
	})
}

// FuzzOpenImage gives LoadImage any bytes.
func FuzzOpenImage(f *testing.F) {
	in, _ := filled(f, true)
	content, err := in.ReadFile(stored[len(stored)-1])
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content)
	f.Fuzz(func(t *testing.T, content []byte) {
		in := faultfs.New()
		mustClose(t, mustOpen(t, in, small(0)))
		if err := vfs.WriteAtomic(in, store.ImageName(5), content, filePerm); err != nil {
			t.Fatal(err)
		}
		s, _, err := Open(in, small(1))
		if err != nil {
			return
		}
		defer s.Close()
		img, err := s.LoadImage()
		if err != nil && !errors.Is(err, store.ErrNoImage) && !errors.Is(err, store.ErrUnknownFormat) {
			t.Fatal(err)
		}
		if err == nil && s.Err() == nil {
			if err := s.WriteImage(*img); err != nil && !errors.Is(err, store.ErrSection) {
				t.Fatal(err)
			}
		}
	})
}

// TestRandomRot flips several bytes at once.
func TestRandomRot(t *testing.T) {
	in, want := filled(t, true)
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 2))
		hurt := in.Clone()
		for range 1 + random.IntN(4) {
			name := stored[2+random.IntN(4)]
			info, err := hurt.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			patch(t, hurt, name, func(f vfs.File) error {
				_, err := f.WriteAt([]byte{byte(random.Uint32())}, random.Int64N(info.Size()))
				return err
			})
		}
		damage1(t, hurt, want, fmt.Sprintf("seed %d", seed))
	}
}
