// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// placed is a record with the place that it has in the history for good.
type placed struct {
	Kind  store.Kind
	Batch uint64
	Data  string
	Pos   store.Pos
}

// diary is a plain list of what a store was given, to compare a store with that
// was packed and rewritten.
type diary struct {
	records []placed
	ends    []store.Pos
	purged  map[merkle.Digest]uint64
}

// append gives the store the next batch of the workload.
func (d *diary) append(t testing.TB, s *Store) {
	t.Helper()
	before := s.End()
	b, _ := batchOf(len(d.ends))
	end, err := s.Append(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	d.records = append(d.records, mustPlaced(t, s, before)...)
	d.ends = append(d.ends, end)
}

func (d *diary) image(t testing.TB, s *Store) {
	t.Helper()
	if err := s.WriteImage(imageOf(uint64(len(d.ends)), s.End())); err != nil {
		t.Fatal(err)
	}
}

// purged are the blocks of the history that consist of the given letter, by the commit that
// purges them. The workload uses a letter again after 26 batches.
func purged(t testing.TB, s *Store, letter byte, by uint64) map[merkle.Digest]uint64 {
	t.Helper()
	return chosen(t, s, by, func(data []byte) bool { return len(data) > 0 && data[0] == letter })
}

// chosen are the blocks of the history that a test chooses to purge.
func chosen(t testing.TB, s *Store, by uint64, choose func(data []byte) bool) map[merkle.Digest]uint64 {
	t.Helper()
	all := map[merkle.Digest]uint64{}
	if err := s.Replay(store.Pos{}, func(r store.Record) error {
		if r.Kind == store.Block && choose(r.Data) {
			all[merkle.Sum(r.Data)] = by
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// rewrite purges a letter.
func (d *diary) rewrite(t testing.TB, s *Store, letter byte, by uint64) {
	t.Helper()
	if err := s.Rewrite(t.Context(), purged(t, s, letter, by)); err != nil {
		t.Fatal(err)
	}
	d.purge(letter, by)
}

// blocksOf is purged without a look at the store.
func (d *diary) blocksOf(letter byte, by uint64) map[merkle.Digest]uint64 {
	all := map[merkle.Digest]uint64{}
	for _, r := range d.records {
		if r.Kind == store.Block && len(r.Data) > 0 && r.Data[0] == letter {
			all[merkleOf(r.Data)] = by
		}
	}
	return all
}

func (d *diary) purge(letter byte, by uint64) {
	d.records = slices.DeleteFunc(slices.Clone(d.records), func(r placed) bool {
		dropped := r.Kind == store.Block && len(r.Data) > 0 && r.Data[0] == letter
		if dropped {
			if d.purged == nil {
				d.purged = map[merkle.Digest]uint64{}
			}
			d.purged[merkleOf(r.Data)] = max(d.purged[merkleOf(r.Data)], by)
		}
		return dropped
	})
}

func placedOf(s *Store, from store.Pos) ([]placed, error) {
	var got []placed
	err := s.Replay(from, func(r store.Record) error {
		got = append(got, placed{r.Kind, r.Batch, string(r.Data), r.Pos})
		return nil
	})
	return got, err
}

func mustPlaced(t testing.TB, s *Store, from store.Pos) []placed {
	t.Helper()
	got, err := placedOf(s, from)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// kept leaves out what packs do: settled intents, and blocks that came before.
func kept(records []placed, packed uint64) []placed {
	seen := map[string]bool{}
	return slices.DeleteFunc(lasting(records, packed), func(r placed) bool {
		again := r.Kind == store.Block && r.Pos.Segment <= packed && seen[r.Data]
		seen[r.Data] = seen[r.Data] || r.Kind == store.Block || r.Kind == store.Commit
		return again
	})
}

// lasting leaves out the intents that packs may leave out.
func lasting(records []placed, packed uint64) []placed {
	newest := uint64(0)
	for _, r := range records {
		newest = max(newest, r.Batch)
	}
	return slices.DeleteFunc(slices.Clone(records), func(r placed) bool {
		return r.Kind == store.Intent && r.Pos.Segment <= packed && r.Batch != newest
	})
}

// differs compares everything that a store gives with the diary.
func (d *diary) differs(s *Store) error {
	packed := s.files.packs.last()
	want := kept(d.records, packed)
	for i := range min(len(d.ends), 8) + 1 {
		from := store.Pos{}
		if i > 0 { // a few ends of batches, the last one among them
			from = d.ends[len(d.ends)-1-(i-1)*len(d.ends)/8]
		}
		got, err := placedOf(s, from)
		if err != nil {
			return fmt.Errorf("replay from %v: %w", from, err)
		}
		rest := slices.DeleteFunc(slices.Clone(want), func(r placed) bool { return r.Pos.Compare(from) < 0 })
		if got = lasting(got, packed); !slices.Equal(got, rest) {
			return fmt.Errorf("replay from %v (-want +got):\n%s", from, cmp.Diff(rest, got))
		}
	}
	var commits []placed
	for _, r := range want {
		if r.Kind == store.Commit {
			commits = append(commits, r)
		}
		if r.Kind == store.Block || r.Kind == store.Commit {
			if got, err := s.Block(merkleOf(r.Data)); err != nil || string(got) != r.Data {
				return fmt.Errorf("block of %.5q in batch %d: %w", r.Data, r.Batch, err)
			}
		}
	}
	for digest, by := range d.purged {
		if slices.ContainsFunc(d.records, func(r placed) bool {
			return merkleOf(r.Data) == digest && (r.Kind == store.Block || r.Kind == store.Commit)
		}) {
			continue // it was given again
		}
		_, err := s.Block(digest)
		if gone, ok := errors.AsType[*store.Purged](err); !ok || gone.By != by || !errors.Is(err, store.ErrPurged) {
			return fmt.Errorf("purged block: got %w, want purged by %d", err, by)
		}
	}
	return d.commitsDiffer(s, commits)
}

func (d *diary) commitsDiffer(s *Store, commits []placed) error {
	n := uint64(len(commits))
	for _, span := range [][2]uint64{{0, n + 5}, {1, n}, {n / 2, n}, {n, n}, {2, n / 2}, {n + 1, n + 2}, {5, 4}} {
		from, to := min(max(span[0], 1), n+1), min(span[1], n)
		want := slices.Clone(commits[from-1 : max(to, from-1)])
		for _, backward := range []bool{false, true} {
			var got []placed
			if err := s.Commits(context.Background(), store.Span{From: span[0], To: span[1], Backward: backward}, func(r store.Record) error {
				got = append(got, placed{r.Kind, r.Batch, string(r.Data), r.Pos})
				return nil
			}); err != nil {
				return err
			}
			if !slices.Equal(got, want) {
				return fmt.Errorf("commits %v of %d (-want +got):\n%s", span, n, cmp.Diff(want, got))
			}
			slices.Reverse(want)
		}
	}
	return nil
}

// mustPack packs, and returns how many segments went into packs, and how many packs were made.
func mustPack(t testing.TB, s *Store) (segments, packs int) {
	t.Helper()
	before := s.files.current()
	if err := s.Pack(t.Context()); err != nil {
		t.Fatal(err)
	}
	after := s.files.current()
	for _, p := range after.Packs {
		if !slices.Contains(before.Packs, p) {
			packs++
		}
	}
	return int(after.last() - before.last()), packs
}

func mustCheck(t testing.TB, s *Store) {
	t.Helper()
	if _, err := s.Check(t.Context(), func(c store.Corruption) { t.Errorf("check: %v", &c) }); err != nil {
		t.Fatal(err)
	}
}

func TestPack(t *testing.T) {
	folder, err := OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	t.Run("in memory", func(t *testing.T) { packsCold(t, faultfs.New()) })
	t.Run("on disk", func(t *testing.T) { packsCold(t, folder) })
}

func packsCold(t *testing.T, in vfs.FS) {
	s := mustOpen(t, in, small(0))
	var d diary
	for i := range 60 {
		d.append(t, s)
		if i%9 == 8 {
			d.image(t, s)
		}
		if i%20 == 19 {
			if segments, packs := mustPack(t, s); segments == 0 || packs != 1 {
				t.Errorf("batch %d: %d segments in %d packs, want some in one", i, segments, packs)
			}
		}
		if i%7 == 0 {
			if err := d.differs(s); err != nil {
				t.Fatal(err)
			}
		}
	}
	if segments, packs := mustPack(t, s); segments != 0 || packs != 0 {
		t.Errorf("nothing is cold, and %d segments went into %d packs", segments, packs)
	}
	mustCheck(t, s)
	numbers, err := listSegments(in)
	if err != nil || numbers[0] != s.files.packs.last()+1 {
		t.Errorf("segments %v (%v) are left behind those up to %d that are packed", numbers, err, s.files.packs.last())
	}
	names, err := listPacks(in)
	if err != nil || len(names) != len(s.files.packs.packs) || len(names) > 3 {
		t.Errorf("packs %v (%v), want the %d current ones", names, err, len(s.files.packs.packs))
	}
	mustClose(t, s)
	s, found, err := Open(in, small(1))
	if err != nil || found.Corrupt != nil {
		t.Fatalf("%v, %+v", err, found)
	}
	defer s.Close()
	if err := d.differs(s); err != nil {
		t.Fatal(err)
	}
}

func TestPackWithoutImage(t *testing.T) {
	s := mustOpen(t, faultfs.New(), small(0))
	defer s.Close()
	fillStore(t, s, 0, 30)
	if segments, packs := mustPack(t, s); segments != 0 || packs != 0 {
		t.Errorf("without an image %d segments went into %d packs", segments, packs)
	}
}

func TestPackMax(t *testing.T) {
	opts := small(0)
	opts.PackMax = 6 << 10
	s := mustOpen(t, faultfs.New(), opts)
	defer s.Close()
	var d diary
	for range 60 {
		d.append(t, s)
	}
	d.image(t, s)
	mustPack(t, s)
	if n := len(s.files.packs.packs); n < 4 {
		t.Errorf("%d packs of at most 6 KiB", n)
	}
	d.rewrite(t, s, 'c', 9)
	if err := d.differs(s); err != nil {
		t.Fatal(err)
	}
	mustCheck(t, s)
}

// TestPackReads counts the reads that finding by position takes.
func TestPackReads(t *testing.T) {
	in := faultfs.New()
	s := mustOpen(t, in, &Options{SegmentMin: 64 << 10})
	const commits = 2000
	block := func(i int) []byte { return fmt.Appendf(nil, "block %d %0200d", i, i) }
	for i := range commits {
		var b store.Batch
		b.Add(store.Block, block(i))
		b.Add(store.Commit, fmt.Appendf(nil, "commit %d", i+1))
		if _, err := s.Append(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Rewrite(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	mustClose(t, s)
	s = mustOpen(t, in, nil)
	defer s.Close()
	reads := 0
	in.OnOp(func(op faultfs.Op) error {
		if op.Kind == faultfs.OpRead {
			reads++
		}
		return nil
	})
	if _, err := s.Block(merkle.Sum(block(7))); err != nil {
		t.Fatal(err)
	}
	if reads > 8 {
		t.Errorf("the first block of %d took %d reads", commits, reads)
	}
	reads = 0
	var got []string
	if err := s.Commits(t.Context(), store.Span{From: commits - 9, To: commits, Backward: true}, func(r store.Record) error {
		got = append(got, string(r.Data))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(got) != 10 || got[0] != "commit 2000" || got[9] != "commit 1991" {
		t.Errorf("got %v", got)
	}
	if reads > 14 {
		t.Errorf("ten commits of %d took %d reads", commits, reads)
	}
}

func TestCommitsEndWithTheError(t *testing.T) {
	s := mustOpen(t, faultfs.New(), small(0))
	defer s.Close()
	var d diary
	for range 30 {
		d.append(t, s)
	}
	stop := errors.New("stop")
	if err := s.Commits(t.Context(), store.Span{From: 1, To: 99}, func(store.Record) error { return stop }); err != stop {
		t.Errorf("got %v, want the function's own error", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Commits(ctx, store.Span{From: 1, To: 99}, func(store.Record) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	if s.Err() != nil {
		t.Errorf("the store is read-only: %v", s.Err())
	}
}

func TestRewrite(t *testing.T) {
	in := faultfs.New()
	s := mustOpen(t, in, small(0))
	var d diary
	for range 20 {
		d.append(t, s)
	}
	d.image(t, s)
	secret, err := s.Append(t.Context(), secretBatch("s3cret"))
	if err != nil {
		t.Fatal(err)
	}
	for i, by := range []uint64{5, 9} {
		secrets := chosen(t, s, by, func(data []byte) bool { return strings.HasPrefix(string(data), "s3cret") })
		if err := s.Rewrite(t.Context(), secrets); err != nil || len(secrets) != 2-2*i {
			t.Fatalf("%v, dropped %v, want 2 blocks the first time", err, secrets)
		}
	}
	if err := s.WriteImage(imageOf(99, s.End())); err != nil {
		t.Fatal(err)
	}
	if err := s.RemoveImages(99); err != nil {
		t.Fatal(err)
	}
	if got := namesIn(t, in, store.ImageFolder); !slices.Equal(got, []string{"000000000099.img"}) {
		t.Errorf("images %v are left", got)
	}
	check := func() {
		t.Helper()
		for _, name := range filesBelow(t, in, ".") {
			content, err := in.ReadFile(name)
			if err != nil || bytes.Contains(content, []byte("s3cret block")) {
				t.Errorf("%s holds the secret (%v)", name, err)
			}
		}
		_, err := s.Block(merkleOf("s3cret block"))
		if gone, ok := errors.AsType[*store.Purged](err); !ok || gone.By != 5 || !strings.Contains(err.Error(), "purged by commit 5") {
			t.Errorf("got %v, want a Purged by 5", err)
		}
		if got, err := s.Block(merkleOf("s3cret commit")); err != nil || string(got) != "s3cret commit" {
			t.Errorf("commits are never dropped, and there is %q, %v", got, err)
		}
		if got := mustReplay(t, s, secret); len(got) != 0 {
			t.Errorf("behind the end there is %v", got)
		}
	}
	check()
	mustCheck(t, s)
	mustClose(t, s)
	s = mustOpen(t, in, small(1))
	check()
	// A block that was purged and is given again is there.
	var again store.Batch
	again.Add(store.Block, []byte("s3cret block"))
	if _, err := s.Append(t.Context(), &again); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Block(merkleOf("s3cret block")); err != nil || string(got) != "s3cret block" {
		t.Errorf("given again: %q, %v", got, err)
	}
	mustClose(t, s)
}

func secretBatch(word string) *store.Batch {
	var b store.Batch
	b.Add(store.Block, []byte(word+" block"))
	b.Add(store.Block, []byte(word+" other"))
	b.Add(store.Mark, []byte("mark"))
	b.Add(store.Commit, []byte(word+" commit"))
	return &b
}

// filesBelow returns the names of all files below a folder.
func filesBelow(t testing.TB, in vfs.FS, folder string) []string {
	t.Helper()
	entries, err := in.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		name := strings.TrimPrefix(folder+"/"+e.Name(), "./")
		if e.IsDir() {
			names = append(names, filesBelow(t, in, name)...)
		} else {
			names = append(names, name)
		}
	}
	return names
}

// TestLastIntentStays: an intent that no later batch settled is needed when the
// store is opened again.
func TestLastIntentStays(t *testing.T) {
	in := faultfs.New()
	s := mustOpen(t, in, small(0))
	for _, text := range []string{"settled", "pending"} {
		var b store.Batch
		b.Add(store.Intent, []byte(text))
		if _, err := s.Append(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Rewrite(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, in, small(1))
	if diff := cmp.Diff([]entry{{store.Intent, 2, "pending"}}, mustReplay(t, s, store.Pos{})); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	more, _ := fillStore(t, s, 2, 3)
	if err := s.Rewrite(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(more, mustReplay(t, s, store.Pos{})); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	mustClose(t, s)
}
