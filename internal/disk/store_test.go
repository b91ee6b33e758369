// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// small makes segments so short that few batches fill several.
func small(seed byte) *Options {
	return &Options{Memex: "/memex", SegmentMin: 1 << 10, SegmentMax: 4 << 10, Rand: rand.NewChaCha8([32]byte{seed})}
}

func mustOpen(t testing.TB, in vfs.FS, opts *Options) *Store {
	t.Helper()
	s, _, err := Open(in, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustClose(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// record is a Record that owns its data.
type entry struct {
	Kind  store.Kind
	Batch uint64
	Data  string
}

func replayed(s *Store, from store.Pos) ([]entry, error) {
	var got []entry
	err := s.Replay(from, func(r store.Record) error {
		got = append(got, entry{r.Kind, r.Batch, string(r.Data)})
		return nil
	})
	return got, err
}

func mustReplay(t testing.TB, s *Store, from store.Pos) []entry {
	t.Helper()
	got, err := replayed(s, from)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// batchOf is the i-th batch of a workload: a few records of sizes that are not
// multiples of anything, some of them large.
func batchOf(i int) (*store.Batch, []entry) {
	random := rand.New(rand.NewPCG(uint64(i), 1))
	var b store.Batch
	var want []entry
	for range 1 + random.IntN(3) {
		size := random.IntN(120)
		if random.IntN(6) == 0 {
			size = 1200 + random.IntN(900)
		}
		data := bytes.Repeat([]byte{byte('a' + i%26)}, size)
		kind := []store.Kind{store.Block, store.Intent, store.Commit, store.Mark}[random.IntN(4)]
		b.Add(kind, data)
		want = append(want, entry{kind, uint64(i + 1), string(data)})
	}
	return &b, want
}

// fillStore appends the batches from..to-1 of the workload and returns the
// records and the ends.
func fillStore(t testing.TB, s *Store, from, to int) (want []entry, ends []store.Pos) {
	t.Helper()
	for i := from; i < to; i++ {
		b, records := batchOf(i)
		end, err := s.Append(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		want, ends = append(want, records...), append(ends, end)
	}
	return want, ends
}

func TestAppendReplay(t *testing.T) {
	in := faultfs.New()
	var want []entry
	var ends []store.Pos
	for round := range 4 {
		s := mustOpen(t, in, small(byte(round)))
		more, moreEnds := fillStore(t, s, 10*round, 10*round+10)
		want, ends = append(want, more...), append(ends, moreEnds...)
		if diff := cmp.Diff(want, mustReplay(t, s, store.Pos{})); diff != "" {
			t.Fatalf("round %d: records (-want +got):\n%s", round, diff)
		}
		mustClose(t, s)
	}
	s := mustOpen(t, in, small(9))
	defer s.Close()
	if diff := cmp.Diff(store.Recovery{}, s.Recovery()); diff != "" {
		t.Errorf("recovery (-want +got):\n%s", diff)
	}
	if got := s.End(); got != ends[len(ends)-1] {
		t.Errorf("end %v, want %v", got, ends[len(ends)-1])
	}
	if ends[len(ends)-1].Segment < 4 {
		t.Errorf("the workload fills only %d segments", ends[len(ends)-1].Segment)
	}
	for i, end := range ends {
		rest := slices.DeleteFunc(slices.Clone(want), func(r entry) bool { return r.Batch <= uint64(i+1) })
		if diff := cmp.Diff(rest, mustReplay(t, s, end), cmp.Comparer(func(a, b entry) bool { return a == b })); len(rest) > 0 && diff != "" {
			t.Fatalf("replay from %v (-want +got):\n%s", end, diff)
		}
	}
	if got := mustReplay(t, s, store.Pos{Segment: 99, Offset: headerSize}); got != nil {
		t.Errorf("replay from behind the end gives %v", got)
	}
}

func TestReplayEndsWithTheError(t *testing.T) {
	s := mustOpen(t, faultfs.New(), small(0))
	defer s.Close()
	fillStore(t, s, 0, 5)
	stop := errors.New("stop")
	calls := 0
	err := s.Replay(store.Pos{}, func(store.Record) error { calls++; return stop })
	if err != stop || calls != 1 {
		t.Errorf("got %v after %d calls, want the function's own error after 1", err, calls)
	}
	if s.Err() != nil {
		t.Errorf("the function's error made the store read-only: %v", s.Err())
	}
}

func TestPadsAreLeftOut(t *testing.T) {
	s := mustOpen(t, faultfs.New(), small(0))
	defer s.Close()
	var b store.Batch
	b.Add(store.Pad, make([]byte, 100))
	b.Add(store.Block, []byte("x"))
	if _, err := s.Append(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]entry{{store.Block, 1, "x"}}, mustReplay(t, s, store.Pos{})); diff != "" {
		t.Error(diff)
	}
}

func TestGroupCommit(t *testing.T) {
	in := faultfs.New()
	s := mustOpen(t, in, small(0))
	const writers, each = 32, 20
	var wg sync.WaitGroup
	errs := make(chan error, writers*each)
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				var b store.Batch
				b.Add(store.Block, fmt.Appendf(nil, "%d/%d", w, i))
				b.Add(store.Commit, fmt.Appendf(nil, "%d/%d", w, i))
				_, err := s.Append(t.Context(), &b)
				errs <- err
			}
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	check := func(s *Store) {
		got := mustReplay(t, s, store.Pos{})
		if len(got) != 2*writers*each {
			t.Fatalf("got %d records, want %d", len(got), 2*writers*each)
		}
		next := make([]int, writers)
		for i, pair := range slices.Collect(slices.Chunk(got, 2)) {
			if pair[0].Data != pair[1].Data || pair[0].Batch != uint64(i+1) || pair[1].Batch != uint64(i+1) {
				t.Fatalf("batch %d is %v", i+1, pair)
			}
			var w, n int
			if _, err := fmt.Sscanf(pair[0].Data, "%d/%d", &w, &n); err != nil || n != next[w] {
				t.Fatalf("batch %q of writer %d comes before its batch %d", pair[0].Data, w, next[w])
			}
			next[w]++
		}
	}
	check(s)
	mustClose(t, s)
	again := mustOpen(t, in, small(1))
	defer again.Close()
	check(again)
}

// TestGroupsShareASync holds one sync back until all writers wait.
func TestGroupsShareASync(t *testing.T) {
	in := faultfs.New()
	s := mustOpen(t, in, &Options{})
	defer s.Close()
	fillStore(t, s, 0, 1)
	syncs, release, blocked := 0, make(chan struct{}), make(chan struct{})
	in.OnOp(func(op faultfs.Op) error {
		if op.Kind == faultfs.OpSync {
			if syncs++; syncs == 1 {
				close(blocked)
				<-release
			}
		}
		return nil
	})
	var wg sync.WaitGroup
	write := func(i int) {
		b, _ := batchOf(i)
		if _, err := s.Append(t.Context(), b); err != nil {
			t.Error(err)
		}
	}
	wg.Go(func() { write(1) })
	<-blocked
	const waiting = 16
	for i := range waiting {
		wg.Go(func() { write(2 + i) })
	}
	for queued := 0; queued < waiting; {
		s.log.mu.Lock()
		queued = len(s.log.queue)
		s.log.mu.Unlock()
	}
	close(release)
	wg.Wait()
	if syncs != 2 {
		t.Errorf("%d batches that waited took %d syncs, want 1", waiting, syncs-1)
	}
}

func TestAppendGivesUpWithItsContext(t *testing.T) {
	in := faultfs.New()
	s := mustOpen(t, in, small(0))
	want, _ := fillStore(t, s, 0, 1)
	release, blocked := make(chan struct{}), make(chan struct{})
	in.OnOp(func(op faultfs.Op) error {
		if op.Kind == faultfs.OpSync {
			close(blocked)
			<-release
		}
		return nil
	})
	first := make(chan error)
	b, records := batchOf(1)
	go func() {
		_, err := s.Append(context.Background(), b)
		first <- err
	}()
	<-blocked
	ctx, cancel := context.WithCancel(t.Context())
	second := make(chan error)
	go func() {
		b, _ := batchOf(2)
		_, err := s.Append(ctx, b)
		second <- err
	}()
	cancel()
	if err := <-second; !errors.Is(err, context.Canceled) {
		t.Errorf("the waiting append returned %v, want context.Canceled", err)
	}
	in.OnOp(nil)
	close(release)
	if err := <-first; err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(append(want, records...), mustReplay(t, s, store.Pos{})); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	mustClose(t, s)
}

func TestBatchErrors(t *testing.T) {
	s := mustOpen(t, faultfs.New(), small(0))
	for _, tc := range []struct {
		name string
		fill func(b *store.Batch)
		want error
	}{
		{"kind 0", func(b *store.Batch) { b.Add(0, nil) }, store.ErrKind},
		{"kind 6", func(b *store.Batch) { b.Add(6, nil) }, store.ErrKind},
		{"a good record after a bad one", func(b *store.Batch) { b.Add(77, nil); b.Add(store.Block, nil) }, store.ErrKind},
		{"empty", func(*store.Batch) {}, nil},
		{"empty data", func(b *store.Batch) { b.Add(store.Block, nil) }, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var b store.Batch
			tc.fill(&b)
			if _, err := s.Append(t.Context(), &b); !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
		})
	}
	if diff := cmp.Diff([]entry{{store.Block, 1, ""}}, mustReplay(t, s, store.Pos{})); diff != "" {
		t.Error(diff)
	}
	mustClose(t, s)
	mustClose(t, s)
	b, _ := batchOf(1)
	_, appendErr := s.Append(t.Context(), b)
	_, blockErr := s.Block(merkle.Digest{})
	_, loadErr := s.LoadImage()
	for name, err := range map[string]error{
		"append": appendErr, "block": blockErr, "load": loadErr,
		"replay": s.Replay(store.Pos{}, nil), "image": s.WriteImage(store.Image{}),
	} {
		if !errors.Is(err, store.ErrClosed) {
			t.Errorf("%s after close: got %v, want ErrClosed", name, err)
		}
	}
}

func TestLargeBatch(t *testing.T) {
	folder, err := OpenFolder(t.TempDir() + "/state")
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	s := mustOpen(t, folder, nil)
	const size, count = 64 << 10, 16 << 20 / (64 << 10)
	var b store.Batch
	for i := range count {
		b.Add(store.Block, bytes.Repeat([]byte{byte(i)}, size))
	}
	if _, err := s.Append(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	want, _ := fillStore(t, s, 1, 3)
	mustClose(t, s)
	s = mustOpen(t, folder, nil)
	defer s.Close()
	got := mustReplay(t, s, store.Pos{})
	if len(got) != count+len(want) {
		t.Fatalf("got %d records, want %d", len(got), count+len(want))
	}
	if diff := cmp.Diff(want, got[count:]); diff != "" {
		t.Error(diff)
	}
	last := bytes.Repeat([]byte{count - 1}, size)
	if data, err := s.Block(merkle.Sum(last)); err != nil || !bytes.Equal(data, last) {
		t.Errorf("the last block of the batch: %v", err)
	}
}

func TestSmallStoreStaysSmall(t *testing.T) {
	folder, err := OpenFolder(t.TempDir() + "/a/state")
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	s := mustOpen(t, folder, nil)
	_, ends := fillStore(t, s, 0, 1)
	info, err := folder.Stat(segmentName(1))
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Size(); got <= ends[0].Offset || got > 128<<10 {
		t.Errorf("the open segment has %d bytes, want some preallocated and less than 128 KiB", got)
	}
	if got := info.Mode().Perm(); got != 0o600 {
		t.Errorf("the segment has mode %v, want 0600", got)
	}
	mustClose(t, s)
	if info, err = folder.Stat(segmentName(1)); err != nil || info.Size() != ends[0].Offset {
		t.Errorf("the closed segment has %v bytes (%v), want %d", info.Size(), err, ends[0].Offset)
	}
	if info, err = folder.Stat("."); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the state folder has mode %v (%v), want 0700", info.Mode(), err)
	}
}

// TestCleanOpenWritesNothing: a look at a store must not wear the disk.
func TestCleanOpenWritesNothing(t *testing.T) {
	in := faultfs.New()
	s := mustOpen(t, in, small(0))
	fillStore(t, s, 0, 3)
	mustClose(t, s)
	in.OnOp(func(op faultfs.Op) error {
		switch op.Kind {
		case faultfs.OpWrite, faultfs.OpSync, faultfs.OpSyncDir, faultfs.OpTruncate, faultfs.OpRename, faultfs.OpRemove:
			t.Errorf("%s of %s", op.Kind, op.Name)
		}
		return nil
	})
	s = mustOpen(t, in, small(1))
	mustReplay(t, s, store.Pos{})
	mustClose(t, s)
}

func TestBlock(t *testing.T) {
	in := faultfs.New()
	s := mustOpen(t, in, small(0))
	put := func(kind store.Kind, data string) merkle.Digest {
		var b store.Batch
		b.Add(kind, []byte(data))
		if _, err := s.Append(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		return merkle.Sum([]byte(data))
	}
	want := map[merkle.Digest]string{}
	check := func() {
		t.Helper()
		for d, data := range want {
			if got, err := s.Block(d); err != nil || string(got) != data {
				t.Fatalf("block %.20q: got %.20q, %v", data, got, err)
			}
		}
	}
	for i := range 40 {
		data := fmt.Sprintf("block %d %s", i, bytes.Repeat([]byte("x"), 37*i))
		kind := store.Block
		if i%3 == 0 {
			kind = store.Commit
		}
		want[put(kind, data)] = data
		if i%7 == 0 {
			check()
		}
	}
	check()
	for _, d := range []merkle.Digest{{}, put(store.Intent, "intent"), put(store.Mark, "mark"), merkle.Sum([]byte("never"))} {
		if _, err := s.Block(d); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("block %v: got %v, want ErrNotFound", d, err)
		}
	}
	mustClose(t, s)
	s = mustOpen(t, in, small(1))
	defer s.Close()
	check()
}
