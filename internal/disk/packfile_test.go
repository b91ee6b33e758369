// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// packedRecords are the records of packOf, of segments 5 and 6 and batches 10 to 13.
var packedRecords = []given{
	{store.Block, 10, store.Pos{Segment: 5, Offset: 64}, "first block"},
	{store.Commit, 10, store.Pos{Segment: 5, Offset: 96}, "first commit"},
	{store.Mark, 11, store.Pos{Segment: 5, Offset: 128}, ""},
	{store.Block, 13, store.Pos{Segment: 6, Offset: 64}, "second block"},
	{store.Block, 13, store.Pos{Segment: 6, Offset: 96}, "first block"},
	{store.Commit, 13, store.Pos{Segment: 6, Offset: 128}, "second commit"},
}

func (k given) record() store.Record {
	return store.Record{Kind: k.Kind, Batch: k.Batch, Pos: k.Pos, Data: []byte(k.Data)}
}

// packOf writes a pack of the records, of which "gone" was purged by commit 42.
func packOf(t testing.TB, in vfs.FS, info fileInfo, records []given) fileInfo {
	t.Helper()
	put(t, in, store.PackFolder+"/other", nil)
	info, err := writePack(in, info, random(1), func(w *packWriter) (uint64, error) {
		_ = w.drop(merkle.SumText("gone"), 41)
		_ = w.drop(merkle.SumText("gone"), 42)
		_ = w.drop(merkle.SumText("gone too"), 7)
		for _, k := range records {
			d := merkle.SumText(k.Data)
			if has := w.has(d); has != (k == packedRecords[4]) {
				t.Errorf("%q is there: %v", k.Data, has)
			}
			if err := w.add(k.record(), d); err != nil {
				return 0, err
			}
		}
		return 14, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return info
}

var somePack = fileInfo{First: 5, Last: 6, Generation: 3, Batch: 10, Before: 20}

// everyRecord gives the records of a pack.
func everyRecord(p *source, fn func(store.Record) error) error {
	if p.bad != nil {
		return p.bad
	}
	return p.walk(headerSize, p.footer.TablesAt, 0).each(fn)
}

func openedPack(t testing.TB, in vfs.FS, name string) *source {
	t.Helper()
	p, err := openPack(in, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.close() })
	return p
}

func TestPackFile(t *testing.T) {
	in := faultfs.New()
	info := packOf(t, in, somePack, packedRecords)
	if want := (fileInfo{First: 5, Last: 6, Generation: 3, Batch: 10, Next: 14, Before: 20, Commits: 2, Size: info.Size, Digest: info.Digest}); info != want {
		t.Errorf("got %+v, want %+v", info, want)
	}
	if got, err := listPacks(in); err != nil || !slices.Equal(got, []string{"packs/00000005-000003.pack"}) || info.name() != got[0] {
		t.Errorf("packs %v, %v", got, err)
	}
	p := openedPack(t, in, info.name())
	if p.expect(info).bad != nil || p.info != info || p.layout.name != info.name() || !p.readable() {
		t.Fatalf("%+v, %v", p.info, p.bad)
	}
	var got []given
	if err := everyRecord(p, keep(&got)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(packedRecords, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	n := 0
	if err := p.check(func() error { n++; return nil }); err != nil || n != len(packedRecords) {
		t.Errorf("checked %d records, %v", n, err)
	}
	for _, k := range packedRecords {
		data, err := p.block(merkle.SumText(k.Data))
		if found := k.Kind != store.Mark; (data != nil) != found || err != nil || string(data) != k.Data {
			t.Errorf("%q: %q, %v", k.Data, data, err)
		}
	}
	commits := packCommits{p, p.commitTable()}
	for seq, want := range map[uint64]int{20: -1, 21: 1, 22: 5, 23: -1} {
		if commits.has(seq) != (want >= 0) {
			t.Errorf("commit %d is in it: %v", seq, commits.has(seq))
		}
		if want < 0 {
			continue
		}
		if r, err := commits.commit(seq); err != nil || string(r.Data) != packedRecords[want].Data || r.Pos != packedRecords[want].Pos {
			t.Errorf("commit %d: %+v, %v", seq, r, err)
		}
	}
	purged := map[merkle.Digest]uint64{}
	if err := p.eachPurged(func(d merkle.Digest, by uint64) error { purged[d] = by; return nil }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[merkle.Digest]uint64{merkle.SumText("gone"): 42, merkle.SumText("gone too"): 7}, purged); diff != "" {
		t.Errorf("purged (-want +got):\n%s", diff)
	}
	for text, want := range map[string]uint64{"gone": 42, "gone too": 7, "first block": 0} {
		if by, err := p.purgedBy(merkle.SumText(text)); by != want || err != nil {
			t.Errorf("%s was purged by %d, %v", text, by, err)
		}
	}
	var held heldBlocks
	if err := held.add(p); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"first block": true, "second commit": true, "gone": false} {
		if has, err := held.has(merkle.SumText(text)); has != want || err != nil {
			t.Errorf("%s is held: %v, %v", text, has, err)
		}
	}
	stop := errors.New("stop")
	if err := everyRecord(p, func(store.Record) error { return stop }); err != stop {
		t.Errorf("an error of the function: %v", err)
	}
	if err := p.eachPurged(func(merkle.Digest, uint64) error { return stop }); err != stop {
		t.Errorf("an error of the function: %v", err)
	}
	other := info
	other.Commits++
	if q := openedPack(t, in, info.name()).expect(other); q.bad == nil || q.info != other {
		t.Errorf("another pack: %v", q.bad)
	}
}

// TestPackFlipped changes each byte: a check finds it, and what is returned is right.
func TestPackFlipped(t *testing.T) {
	in := faultfs.New()
	info := packOf(t, in, somePack, packedRecords)
	text, err := in.ReadFile(info.name())
	if err != nil {
		t.Fatal(err)
	}
	for at := range text {
		hurt := slices.Clone(text)
		hurt[at] ^= 1 << (at % 8)
		put(t, in, info.name(), hurt)
		p, err := openPack(in, info.name())
		if err != nil {
			if !errors.Is(err, store.ErrUnknownFormat) || at < headerMajorAt || at >= headerMajorAt+2 {
				t.Errorf("byte %d: %v", at, err)
			}
			continue
		}
		p.expect(info)
		if err := p.check(func() error { return nil }); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("byte %d: a check says %v", at, err)
		}
		var got []given
		if err := everyRecord(p, keep(&got)); err != nil && !errors.Is(err, store.ErrCorrupt) || !slices.Equal(got, packedRecords[:len(got)]) || err == nil &&
			len(got) != len(packedRecords) ||
			len(got) > 0 && len(got) < len(packedRecords) && got[len(got)-1].Batch == packedRecords[len(got)].Batch {
			t.Errorf("byte %d: %d records, %v", at, len(got), err)
		}
		damaged := 0
		for i, k := range packedRecords {
			data, err := p.block(merkle.SumText(k.Data))
			if err != nil && !errors.Is(err, store.ErrCorrupt) || data != nil && string(data) != k.Data || data == nil && err == nil && k.Kind != store.Mark {
				t.Errorf("byte %d: %q reads %q, %v", at, k.Data, data, err)
			}
			if data == nil && k.Kind != store.Mark && i != 4 {
				damaged++
			}
		}
		if damaged > 1 && at >= headerSize {
			t.Errorf("byte %d: %d blocks cannot be read", at, damaged)
		}
		for seq, i := range map[uint64]int{21: 1, 22: 5} {
			r, err := (&packCommits{p, p.commitTable()}).commit(seq)
			if err != nil && !errors.Is(err, store.ErrCorrupt) || err == nil && string(r.Data) != packedRecords[i].Data {
				t.Errorf("byte %d: commit %d reads %q, %v", at, seq, r.Data, err)
			}
		}
		if by, err := p.purgedBy(merkle.SumText("gone")); (err == nil) != (by == 42) || err != nil && !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("byte %d: purged by %d, %v", at, by, err)
		}
		var held heldBlocks
		if err := held.add(p); err != nil {
			t.Errorf("byte %d: %v", at, err)
		}
		if _, err := held.has(merkle.SumText("first block")); err != nil {
			t.Errorf("byte %d: %v", at, err)
		}
		if err := p.close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPackCut cuts the file at each place, and removes it.
func TestPackCut(t *testing.T) {
	in := faultfs.New()
	info := packOf(t, in, somePack, packedRecords)
	text, _ := in.ReadFile(info.name())
	for size := range text {
		put(t, in, info.name(), text[:size])
		p := openedPack(t, in, info.name())
		if p.expect(info); p.bad == nil || p.readable() != (size >= headerSize) {
			t.Fatalf("cut at %d: %v", size, p.bad)
		}
		data, err := p.block(merkle.SumText("first block"))
		if whole := size >= headerSize+48; !errors.Is(err, store.ErrCorrupt) || (string(data) == "first block") != whole {
			t.Errorf("cut at %d: %q, %v", size, data, err)
		}
	}
	if err := in.Remove(info.name()); err != nil {
		t.Fatal(err)
	}
	p := openedPack(t, in, info.name())
	if p.bad == nil || p.bad.Reason != "the pack is missing" || p.close() != nil || p.readable() {
		t.Errorf("missing: %v", p.bad)
	}
	if _, err := p.block(merkle.SumText("x")); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("missing: %v", err)
	}
	if err := in.MkdirAll(info.name(), 0o700); err != nil {
		t.Fatal(err)
	}
	if p := openedPack(t, vfs.Plain(in), info.name()); p.bad == nil || !strings.Contains(p.bad.Reason, "folder") {
		t.Errorf("a folder in its place: %v", p.bad)
	}
}

// TestPackOrder: records that are whole but do not belong where they are.
func TestPackOrder(t *testing.T) {
	change := func(i int, edit func(*given)) []given {
		records := slices.Delete(slices.Clone(packedRecords), 4, 5)
		edit(&records[i])
		return records
	}
	for name, tc := range map[string]struct {
		records []given
		want    int // records that are read
	}{
		"in order":              {change(0, func(*given) {}), 5},
		"a batch before":        {change(2, func(k *given) { k.Batch = 9 }), 2},
		"a batch beyond":        {change(3, func(k *given) { k.Batch = 14 }), 3},
		"an earlier place":      {change(1, func(k *given) { k.Pos.Offset = 64 }), 0},
		"a segment beyond":      {change(3, func(k *given) { k.Pos.Segment = 7 }), 3},
		"the first batch early": {change(0, func(k *given) { k.Batch = 9 }), 0},
	} {
		t.Run(name, func(t *testing.T) {
			in := faultfs.New()
			info := packOf(t, in, somePack, tc.records)
			p := openedPack(t, in, info.name())
			var got []given
			err := everyRecord(p, keep(&got))
			if len(got) != tc.want || (err == nil) != (tc.want == 5) {
				t.Errorf("%d records, %v", len(got), err)
			}
		})
	}
}

// TestPackTables has tables of several pages.
func TestPackTables(t *testing.T) {
	for _, n := range []int{0, 1, 102, 103, 511, 512, 1200} {
		in := faultfs.New()
		put(t, in, store.PackFolder+"/x", nil)
		info := fileInfo{First: 1, Last: 1, Generation: 1, Batch: 1}
		text := func(i int) string { return fmt.Sprintf("commit %d", i) }
		var before heldBlocks
		info, err := writePack(in, info, random(2), func(w *packWriter) (uint64, error) {
			for i := range n {
				k := given{store.Commit, uint64(i + 1), store.Pos{Segment: 1, Offset: int64(64 + 8*i)}, text(i)}
				if err := w.add(k.record(), merkle.SumText(k.Data)); err != nil {
					return 0, err
				}
				_ = w.drop(merkle.SumText(text(-i)), uint64(i))
			}
			return uint64(n + 1), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		p := openedPack(t, in, info.name())
		if err := p.check(func() error { return nil }); err != nil || p.bad != nil {
			t.Fatal(n, err, p.bad)
		}
		if err := before.add(p); err != nil {
			t.Fatal(err)
		}
		commits := packCommits{p, p.commitTable()}
		for i := range n {
			r, err := commits.commit(uint64(i + 1))
			if err != nil || string(r.Data) != text(i) {
				t.Fatalf("%d: commit %d reads %q, %v", n, i, r.Data, err)
			}
			if data, err := p.block(merkle.SumText(text(i))); err != nil || string(data) != text(i) {
				t.Fatalf("%d: block %d reads %q, %v", n, i, data, err)
			}
			if by, err := p.purgedBy(merkle.SumText(text(-i))); err != nil || by != uint64(i) {
				t.Fatalf("%d: %d was purged by %d, %v", n, i, by, err)
			}
			if has, err := before.has(merkle.SumText(text(i))); !has || err != nil {
				t.Fatalf("%d: block %d is not held, %v", n, i, err)
			}
		}
		for _, none := range []string{"a", "b", "c", "d"} {
			if data, err := p.block(merkle.SumText(none)); data != nil || err != nil {
				t.Errorf("%d: %q, %v", n, data, err)
			}
		}
	}
}

// TestSourceErrors: an error of the file system is returned as it is, and is no damage.
func TestSourceErrors(t *testing.T) {
	failed := errors.New("failed")
	in := faultfs.New()
	info := packOf(t, in, somePack, packedRecords)
	m := manifest{Generation: 3, Packs: []fileInfo{info}}
	put(t, in, manifestFile, m.encode())
	text, _ := segmentText(t, 1, 7, groups...)
	put(t, in, segmentName(1), text)
	p := openedPack(t, in, info.name())
	for name, do := range map[string]func() error{
		"open a pack":     func() error { _, err := openPack(in, info.name()); return err },
		"read packs":      func() error { _, err := readPacks(in); return err },
		"read a manifest": func() error { _, _, err := readManifest(in); return err },
		"guess":           func() error { _, err := guessManifest(in); return err },
		"open a segment":  func() error { _, err := openSegment(in, 1); return err },
		"list segments":   func() error { _, err := listSegments(in); return err },
		"walk": func() error {
			seg, err := openSegment(in, 1)
			if err != nil {
				return err
			}
			if _, err := lastByte(seg.file, headerSize, int64(len(text))); err != nil {
				return err
			}
			return seg.walk(headerSize, int64(len(text)), 7).each(func(store.Record) error { return nil })
		},
		"scan": func() error {
			seg, err := openSegment(in, 1)
			if err != nil {
				return err
			}
			return seg.reader(headerSize, int64(len(text))).scan(func(frame) bool { return true })
		},
		"check":     func() error { return p.check(func() error { return nil }) },
		"each":      func() error { return everyRecord(p, func(store.Record) error { return nil }) },
		"a block":   func() error { _, err := p.block(merkle.SumText("first block")); return err },
		"purged by": func() error { _, err := p.purgedBy(merkle.SumText("gone")); return err },
		"commit":    func() error { _, err := (&packCommits{p, p.commitTable()}).commit(21); return err },
		"held":      func() error { return new(heldBlocks).add(p) },
		"held has": func() error {
			var h heldBlocks
			if err := h.add(p); err != nil {
				return err
			}
			_, err := h.has(merkle.SumText("first block"))
			return err
		},
		"bad pack": func() error {
			q, err := openPack(in, info.name())
			if err != nil {
				return err
			}
			q.bad = q.layout.damage(0, "for the test")
			_, err = q.block(merkle.SumText("first block"))
			if err = errors.Join(err); err.Error() == q.bad.Error() {
				return nil
			}
			return err
		},
		"write a pack": func() error {
			_, err := writePack(in, fileInfo{First: 9, Last: 9, Generation: 9, Batch: 1}, random(1), func(w *packWriter) (uint64, error) {
				return 2, w.add(packedRecords[0].record(), merkle.SumText(packedRecords[0].Data))
			})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			for n := 0; ; n++ {
				last := in.Ops() + n
				end := in.FailOp(n, failed)
				err := do()
				if !end() {
					if err != nil {
						t.Errorf("without a fault: %v", err)
					}
					return
				}
				if !errors.Is(err, failed) && in.Ops() == last+1 {
					t.Errorf("fault %d: %v", n, err)
				}
				if n > 200 {
					t.Fatal("it does not end")
				}
			}
		})
	}
	if _, err := writePack(in, somePack, strings.NewReader("short"), nil); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("no salt: %v", err)
	}
	if _, _, err := newSegment(1, 1, strings.NewReader("")); !errors.Is(err, io.EOF) {
		t.Errorf("no salt: %v", err)
	}
}

// TestManifest encodes manifests, changes each byte, and guesses them from the packs.
func TestManifest(t *testing.T) {
	in := faultfs.New()
	put(t, in, store.PackFolder+"/x", nil)
	if m, bad, err := readManifest(in); m == nil || bad != nil || err != nil || m.last() != 0 || m.commits() != 0 || m.tail().Next != 1 {
		t.Errorf("none: %+v, %v, %v", m, bad, err)
	}
	write := func(info fileInfo) fileInfo {
		info, err := writePack(in, info, random(3), func(w *packWriter) (uint64, error) {
			k := given{store.Commit, info.Batch, store.Pos{Segment: info.First, Offset: 64}, fmt.Sprint("commit of ", info.First)}
			return info.Batch + 2, w.add(k.record(), merkle.SumText(k.Data))
		})
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	one := write(fileInfo{First: 1, Last: 2, Generation: 1, Batch: 1})
	two := write(fileInfo{First: 3, Last: 3, Generation: 2, Batch: 3, Before: 1})
	newer := write(fileInfo{First: 3, Last: 4, Generation: 3, Batch: 3, Before: 1})
	apart := write(fileInfo{First: 7, Last: 7, Generation: 5, Batch: 9, Before: 2})
	m := manifest{Generation: 9, Packs: []fileInfo{one, two}}
	if m.last() != 3 || m.commits() != 2 {
		t.Errorf("the last segment is %d, there are %d commits", m.last(), m.commits())
	}
	text := m.encode()
	put(t, in, manifestFile, text)
	got, bad, err := readManifest(in)
	if diff := cmp.Diff(&m, got); bad != nil || err != nil || diff != "" {
		t.Errorf("%v, %v (-want +got):\n%s", bad, err, diff)
	}
	guess := &manifest{Generation: apart.Generation, Packs: []fileInfo{one, newer}}
	for at := range text {
		hurt := slices.Clone(text)
		hurt[at] ^= 1 << (at % 8)
		put(t, in, manifestFile, hurt)
		got, bad, err := readManifest(in)
		if err != nil || bad == nil || bad.File != manifestFile || !cmp.Equal(guess, got) {
			t.Fatalf("byte %d: %+v, %v, %v", at, got, bad, err)
		}
	}
	for size := range text {
		if _, err := decodeManifest(text[:size]); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("cut at %d: %v", size, err)
		}
	}
	segment := one
	segment.Generation = 0
	for name, packs := range map[string][]fileInfo{
		"a gap": {one, apart}, "the second alone": {two}, "twice": {one, one}, "an empty row": {{}}, "a segment": {segment},
	} {
		if _, err := decodeManifest((&manifest{Packs: packs}).encode()); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := errors.Join(in.Remove(manifestFile), in.MkdirAll(manifestFile, 0o700)); err != nil {
		t.Fatal(err)
	}
	if got, bad, err := readManifest(vfs.Plain(in)); bad == nil || err != nil || !cmp.Equal(guess, got) {
		t.Errorf("a folder in its place: %+v, %v, %v", got, bad, err)
	}
	// A pack that is damaged is not guessed.
	pack, _ := in.ReadFile(newer.name())
	pack[len(pack)-1] ^= 1
	put(t, in, newer.name(), pack)
	if got, err := guessManifest(in); err != nil || !cmp.Equal(&manifest{Generation: 5, Packs: []fileInfo{one, two}}, got) {
		t.Errorf("with a damaged pack: %+v, %v", got, err)
	}
}

// TestPackUnsound writes packs whose numbers cannot be, and one whose table is wrong.
func TestPackUnsound(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(*fileInfo)
		next uint64
	}{
		"sound":                {func(*fileInfo) {}, 14},
		"no batches":           {func(*fileInfo) {}, 10},
		"segment 0":            {func(i *fileInfo) { i.First = 0 }, 14},
		"segments backwards":   {func(i *fileInfo) { i.Last = 4 }, 14},
		"one segment":          {func(i *fileInfo) { i.Last = 5 }, 14},
		"batch 0":              {func(i *fileInfo) { i.Batch = 0 }, 14},
		"batches that go back": {func(*fileInfo) {}, 9},
	} {
		in, info := faultfs.New(), somePack
		put(t, in, store.PackFolder+"/other", nil)
		tc.edit(&info)
		info, err := writePack(in, info, random(1), func(*packWriter) (uint64, error) { return tc.next, nil })
		if err != nil {
			t.Fatal(err)
		}
		sound := name == "sound" || name == "no batches" || name == "one segment"
		if p := openedPack(t, in, info.name()); (p.bad == nil) != sound {
			t.Errorf("%s: %v", name, p.bad)
		}
	}
	in := faultfs.New()
	put(t, in, store.PackFolder+"/other", nil)
	wrong := merkle.SumText("another digest")
	info, err := writePack(in, somePack, random(1), func(w *packWriter) (uint64, error) {
		return 14, w.add(packedRecords[0].record(), wrong)
	})
	if err != nil {
		t.Fatal(err)
	}
	p := openedPack(t, in, info.name())
	if data, err := p.block(wrong); data != nil || !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("a table that names another block: %q, %v", data, err)
	}
	if err := p.check(func() error { return nil }); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("a check of it: %v", err)
	}
}

// TestPackFooter: a footer that verifies and does not fit the file.
func TestPackFooter(t *testing.T) {
	in := faultfs.New()
	put(t, in, store.PackFolder+"/other", nil)
	info, err := writePack(in, somePack, random(1), func(*packWriter) (uint64, error) { return 14, nil })
	if err != nil {
		t.Fatal(err)
	}
	whole, err := in.ReadFile(info.name())
	if err != nil {
		t.Fatal(err)
	}
	number := func(at int, n uint64) func([]byte) []byte {
		return func(text []byte) []byte {
			foot := text[len(text)-packFooterSize:]
			binary.LittleEndian.PutUint64(foot[at:], n)
			binary.LittleEndian.PutUint32(foot[packEndCheckAt:], saltedCheck([saltSize]byte(text[headerSaltAt:]), foot[:packEndCheckAt]))
			return text
		}
	}
	header := func(at int) func([]byte) []byte {
		return func(text []byte) []byte {
			text[at]++
			binary.LittleEndian.PutUint32(text[headerCheckAt:], crc32.Checksum(text[:headerCheckAt], castagnoli))
			return text
		}
	}
	const pages = 1 << 52 // of so many pages the size in bytes is 0 in 64 bits
	for name, edit := range map[string]func([]byte) []byte{
		"nothing":              func(text []byte) []byte { return text },
		"a longer file":        func(text []byte) []byte { return slices.Insert(text, headerSize, make([]byte, 8)...) },
		"another size":         number(packEndInfoAt+infoSizeAt, uint64(len(whole)+8)),
		"another segment":      header(headerSegmentAt),
		"another generation":   header(headerNumberAt),
		"tables in the header": number(packEndTablesAt, 0),
		"tables elsewhere":     number(packEndTablesAt, headerSize+8),
		"many digests":         number(packEndDigestsAt, uint64(rowsPerPage(digestRow))*pages),
		"many purged":          number(packEndGoneAt, uint64(rowsPerPage(goneRow))*pages),
		"many commits":         number(packEndInfoAt+infoCommitsAt, uint64(rowsPerPage(commitRow))*pages),
		"one digest":           number(packEndDigestsAt, 1),
		"negative digests":     number(packEndDigestsAt, 1<<63),
		"negative purged":      number(packEndGoneAt, 1<<63),
	} {
		put(t, in, info.name(), edit(slices.Clone(whole)))
		if p := openedPack(t, in, info.name()); (p.bad == nil) != (name == "nothing") {
			t.Errorf("%s: %v", name, p.bad)
		}
	}
}
