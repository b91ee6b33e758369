// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package record

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

// packed are the records of packOf, of segments 5 and 6 and batches 10 to 13.
var packed = []kept{
	{store.Block, 10, store.Pos{Segment: 5, Offset: 64}, "first block"},
	{store.Commit, 10, store.Pos{Segment: 5, Offset: 96}, "first commit"},
	{store.Mark, 11, store.Pos{Segment: 5, Offset: 128}, ""},
	{store.Block, 13, store.Pos{Segment: 6, Offset: 64}, "second block"},
	{store.Block, 13, store.Pos{Segment: 6, Offset: 96}, "first block"},
	{store.Commit, 13, store.Pos{Segment: 6, Offset: 128}, "second commit"},
}

func (k kept) record() store.Record {
	return store.Record{Kind: k.Kind, Batch: k.Batch, Pos: k.Pos, Data: []byte(k.Data)}
}

// packOf writes a pack of the records, of which "gone" was purged by commit 42.
func packOf(t testing.TB, in vfs.FS, info Info, records []kept) Info {
	t.Helper()
	put(t, in, PackFolder+"/other", nil)
	info, err := WritePack(in, 0o600, info, random(1), func(w *PackWriter) (uint64, error) {
		w.Drop(merkle.SumText("gone"), 41)
		w.Drop(merkle.SumText("gone"), 42)
		w.Drop(merkle.SumText("gone too"), 7)
		for _, k := range records {
			d := merkle.SumText(k.Data)
			if has := w.Has(d); has != (k == packed[4]) {
				t.Errorf("%q is there: %v", k.Data, has)
			}
			if err := w.Add(k.record(), d); err != nil {
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

var somePack = Info{First: 5, Last: 6, Generation: 3, Batch: 10, Before: 20}

func openPack(t testing.TB, in vfs.FS, name string) *Pack {
	t.Helper()
	p, err := OpenPack(in, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func TestPack(t *testing.T) {
	in := faultfs.New()
	info := packOf(t, in, somePack, packed)
	if want := (Info{First: 5, Last: 6, Generation: 3, Batch: 10, Next: 14, Before: 20, Commits: 2, Size: info.Size, Digest: info.Digest}); info != want {
		t.Errorf("got %+v, want %+v", info, want)
	}
	if got, err := ListPacks(in); err != nil || !slices.Equal(got, []string{"packs/00000005-000003.pack"}) || info.Name() != got[0] {
		t.Errorf("packs %v, %v", got, err)
	}
	p := openPack(t, in, info.Name())
	if p.Expect(info).Bad != nil || p.Info != info || p.Name() != info.Name() || !p.Readable() {
		t.Fatalf("%+v, %v", p.Info, p.Bad)
	}
	var got []kept
	if err := p.Each(keep(&got)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(packed, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	n := 0
	if err := p.Check(func() error { n++; return nil }); err != nil || n != len(packed) {
		t.Errorf("checked %d records, %v", n, err)
	}
	for _, k := range packed {
		data, err := p.Block(merkle.SumText(k.Data))
		if found := k.Kind != store.Mark; (data != nil) != found || err != nil || string(data) != k.Data {
			t.Errorf("%q: %q, %v", k.Data, data, err)
		}
	}
	commits := p.Commits()
	for seq, want := range map[uint64]int{20: -1, 21: 1, 22: 5, 23: -1} {
		if commits.Has(seq) != (want >= 0) {
			t.Errorf("commit %d is in it: %v", seq, commits.Has(seq))
		}
		if want < 0 {
			continue
		}
		if r, err := commits.Commit(seq); err != nil || string(r.Data) != packed[want].Data || r.Pos != packed[want].Pos {
			t.Errorf("commit %d: %+v, %v", seq, r, err)
		}
	}
	purged := map[merkle.Digest]uint64{}
	if err := p.EachPurged(func(d merkle.Digest, by uint64) error { purged[d] = by; return nil }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[merkle.Digest]uint64{merkle.SumText("gone"): 42, merkle.SumText("gone too"): 7}, purged); diff != "" {
		t.Errorf("purged (-want +got):\n%s", diff)
	}
	for text, want := range map[string]uint64{"gone": 42, "gone too": 7, "first block": 0} {
		if by, err := p.PurgedBy(merkle.SumText(text)); by != want || err != nil {
			t.Errorf("%s was purged by %d, %v", text, by, err)
		}
	}
	var held Held
	if err := held.Add(p); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"first block": true, "second commit": true, "gone": false} {
		if has, err := held.Has(merkle.SumText(text)); has != want || err != nil {
			t.Errorf("%s is held: %v, %v", text, has, err)
		}
	}
	stop := errors.New("stop")
	if err := p.Each(func(store.Record) error { return stop }); err != stop {
		t.Errorf("an error of the function: %v", err)
	}
	if err := p.EachPurged(func(merkle.Digest, uint64) error { return stop }); err != stop {
		t.Errorf("an error of the function: %v", err)
	}
	other := info
	other.Commits++
	if q := openPack(t, in, info.Name()).Expect(other); q.Bad == nil || q.Info != other {
		t.Errorf("another pack: %v", q.Bad)
	}
}

// TestPackFlipped changes each byte: a check finds it, and what is returned is right.
func TestPackFlipped(t *testing.T) {
	in := faultfs.New()
	info := packOf(t, in, somePack, packed)
	text, err := in.ReadFile(info.Name())
	if err != nil {
		t.Fatal(err)
	}
	for at := range text {
		hurt := slices.Clone(text)
		hurt[at] ^= 1 << (at % 8)
		put(t, in, info.Name(), hurt)
		p, err := OpenPack(in, info.Name())
		if err != nil {
			if !errors.Is(err, store.ErrUnknownFormat) || at < headerMajorAt || at >= headerMajorAt+2 {
				t.Errorf("byte %d: %v", at, err)
			}
			continue
		}
		p.Expect(info)
		if err := p.Check(func() error { return nil }); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("byte %d: a check says %v", at, err)
		}
		var got []kept
		if err := p.Each(keep(&got)); err != nil && !errors.Is(err, store.ErrCorrupt) || !slices.Equal(got, packed[:len(got)]) || err == nil &&
			len(got) != len(packed) ||
			len(got) > 0 && len(got) < len(packed) && got[len(got)-1].Batch == packed[len(got)].Batch {
			t.Errorf("byte %d: %d records, %v", at, len(got), err)
		}
		damaged := 0
		for i, k := range packed {
			data, err := p.Block(merkle.SumText(k.Data))
			if err != nil && !errors.Is(err, store.ErrCorrupt) || data != nil && string(data) != k.Data || data == nil && err == nil && k.Kind != store.Mark {
				t.Errorf("byte %d: %q reads %q, %v", at, k.Data, data, err)
			}
			if data == nil && k.Kind != store.Mark && i != 4 {
				damaged++
			}
		}
		if damaged > 1 && at >= HeaderSize {
			t.Errorf("byte %d: %d blocks cannot be read", at, damaged)
		}
		for seq, i := range map[uint64]int{21: 1, 22: 5} {
			if r, err := p.Commits().Commit(seq); err != nil && !errors.Is(err, store.ErrCorrupt) || err == nil && string(r.Data) != packed[i].Data {
				t.Errorf("byte %d: commit %d reads %q, %v", at, seq, r.Data, err)
			}
		}
		if by, err := p.PurgedBy(merkle.SumText("gone")); (err == nil) != (by == 42) || err != nil && !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("byte %d: purged by %d, %v", at, by, err)
		}
		var held Held
		if err := held.Add(p); err != nil {
			t.Errorf("byte %d: %v", at, err)
		}
		if _, err := held.Has(merkle.SumText("first block")); err != nil {
			t.Errorf("byte %d: %v", at, err)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPackCut cuts the file at each place, and removes it.
func TestPackCut(t *testing.T) {
	in := faultfs.New()
	info := packOf(t, in, somePack, packed)
	text, _ := in.ReadFile(info.Name())
	for size := range text {
		put(t, in, info.Name(), text[:size])
		p := openPack(t, in, info.Name())
		if p.Expect(info); p.Bad == nil || p.Readable() != (size >= HeaderSize) {
			t.Fatalf("cut at %d: %v", size, p.Bad)
		}
		data, err := p.Block(merkle.SumText("first block"))
		if whole := size >= HeaderSize+48; !errors.Is(err, store.ErrCorrupt) || (string(data) == "first block") != whole {
			t.Errorf("cut at %d: %q, %v", size, data, err)
		}
	}
	if err := in.Remove(info.Name()); err != nil {
		t.Fatal(err)
	}
	p := openPack(t, in, info.Name())
	if p.Bad == nil || p.Bad.Reason != "the pack is missing" || p.Close() != nil || p.Readable() {
		t.Errorf("missing: %v", p.Bad)
	}
	if _, err := p.Block(merkle.SumText("x")); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("missing: %v", err)
	}
	if err := in.MkdirAll(info.Name(), 0o700); err != nil {
		t.Fatal(err)
	}
	if p := openPack(t, vfs.Plain(in), info.Name()); p.Bad == nil || !strings.Contains(p.Bad.Reason, "folder") {
		t.Errorf("a folder in its place: %v", p.Bad)
	}
}

// TestPackOrder: records that are whole but do not belong where they are.
func TestPackOrder(t *testing.T) {
	change := func(i int, edit func(*kept)) []kept {
		records := slices.Delete(slices.Clone(packed), 4, 5)
		edit(&records[i])
		return records
	}
	for name, tc := range map[string]struct {
		records []kept
		want    int // records that are read
	}{
		"in order":              {change(0, func(*kept) {}), 5},
		"a batch before":        {change(2, func(k *kept) { k.Batch = 9 }), 2},
		"a batch beyond":        {change(3, func(k *kept) { k.Batch = 14 }), 3},
		"an earlier place":      {change(1, func(k *kept) { k.Pos.Offset = 64 }), 0},
		"a segment beyond":      {change(3, func(k *kept) { k.Pos.Segment = 7 }), 3},
		"the first batch early": {change(0, func(k *kept) { k.Batch = 9 }), 0},
	} {
		t.Run(name, func(t *testing.T) {
			in := faultfs.New()
			info := packOf(t, in, somePack, tc.records)
			p := openPack(t, in, info.Name())
			var got []kept
			err := p.Each(keep(&got))
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
		put(t, in, PackFolder+"/x", nil)
		info := Info{First: 1, Last: 1, Generation: 1, Batch: 1}
		text := func(i int) string { return fmt.Sprintf("commit %d", i) }
		var before Held
		info, err := WritePack(in, 0o600, info, random(2), func(w *PackWriter) (uint64, error) {
			for i := range n {
				k := kept{store.Commit, uint64(i + 1), store.Pos{Segment: 1, Offset: int64(64 + 8*i)}, text(i)}
				if err := w.Add(k.record(), merkle.SumText(k.Data)); err != nil {
					return 0, err
				}
				w.Drop(merkle.SumText(text(-i)), uint64(i))
			}
			return uint64(n + 1), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		p := openPack(t, in, info.Name())
		if err := p.Check(func() error { return nil }); err != nil || p.Bad != nil {
			t.Fatal(n, err, p.Bad)
		}
		if err := before.Add(p); err != nil {
			t.Fatal(err)
		}
		commits := p.Commits()
		for i := range n {
			r, err := commits.Commit(uint64(i + 1))
			if err != nil || string(r.Data) != text(i) {
				t.Fatalf("%d: commit %d reads %q, %v", n, i, r.Data, err)
			}
			if data, err := p.Block(merkle.SumText(text(i))); err != nil || string(data) != text(i) {
				t.Fatalf("%d: block %d reads %q, %v", n, i, data, err)
			}
			if by, err := p.PurgedBy(merkle.SumText(text(-i))); err != nil || by != uint64(i) {
				t.Fatalf("%d: %d was purged by %d, %v", n, i, by, err)
			}
			if has, err := before.Has(merkle.SumText(text(i))); !has || err != nil {
				t.Fatalf("%d: block %d is not held, %v", n, i, err)
			}
		}
		for _, none := range []string{"a", "b", "c", "d"} {
			if data, err := p.Block(merkle.SumText(none)); data != nil || err != nil {
				t.Errorf("%d: %q, %v", n, data, err)
			}
		}
	}
}

// TestFileErrors: an error of the file system is returned as it is, and is no damage.
func TestFileErrors(t *testing.T) {
	failed := errors.New("failed")
	in := faultfs.New()
	info := packOf(t, in, somePack, packed)
	m := Manifest{Generation: 3, Packs: []Info{info}}
	put(t, in, ManifestFile, m.Encode())
	text, _ := segmentOf(t, 1, 7, groups...)
	put(t, in, SegmentName(1), text)
	p := openPack(t, in, info.Name())
	for name, do := range map[string]func() error{
		"open a pack":     func() error { _, err := OpenPack(in, info.Name()); return err },
		"read packs":      func() error { _, err := ReadPacks(in); return err },
		"read a manifest": func() error { _, _, err := ReadManifest(in); return err },
		"guess":           func() error { _, err := GuessManifest(in); return err },
		"open a segment":  func() error { _, err := OpenSegment(in, 1); return err },
		"list segments":   func() error { _, err := ListSegments(in); return err },
		"walk": func() error {
			seg, err := OpenSegment(in, 1)
			if err != nil {
				return err
			}
			if _, _, err := seg.Written(HeaderSize); err != nil {
				return err
			}
			return seg.Walk(HeaderSize, int64(len(text)), 7).Each(func(store.Record) error { return nil })
		},
		"scan": func() error {
			seg, err := OpenSegment(in, 1)
			if err != nil {
				return err
			}
			return seg.Reader(HeaderSize, int64(len(text))).Scan(func(Frame, []byte) bool { return true })
		},
		"check":     func() error { return p.Check(func() error { return nil }) },
		"each":      func() error { return p.Each(func(store.Record) error { return nil }) },
		"a block":   func() error { _, err := p.Block(merkle.SumText("first block")); return err },
		"purged by": func() error { _, err := p.PurgedBy(merkle.SumText("gone")); return err },
		"commit":    func() error { _, err := p.Commits().Commit(21); return err },
		"held":      func() error { return new(Held).Add(p) },
		"held has": func() error {
			var h Held
			if err := h.Add(p); err != nil {
				return err
			}
			_, err := h.Has(merkle.SumText("first block"))
			return err
		},
		"bad pack": func() error {
			q, err := OpenPack(in, info.Name())
			if err != nil {
				return err
			}
			q.Bad = q.Damage(0, "for the test")
			_, err = q.Block(merkle.SumText("first block"))
			if err = errors.Join(err); err.Error() == q.Bad.Error() {
				return nil
			}
			return err
		},
		"write a pack": func() error {
			_, err := WritePack(in, 0o600, Info{First: 9, Last: 9, Generation: 9, Batch: 1}, random(1), func(w *PackWriter) (uint64, error) {
				return 2, w.Add(packed[0].record(), merkle.SumText(packed[0].Data))
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
	if _, err := WritePack(in, 0o600, somePack, strings.NewReader("short"), nil); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("no salt: %v", err)
	}
	if _, _, err := NewSegment(1, 1, strings.NewReader("")); !errors.Is(err, io.EOF) {
		t.Errorf("no salt: %v", err)
	}
}

// TestManifest encodes manifests, changes each byte, and guesses them from the packs.
func TestManifest(t *testing.T) {
	in := faultfs.New()
	put(t, in, PackFolder+"/x", nil)
	if m, bad, err := ReadManifest(in); m == nil || bad != nil || err != nil || m.Last() != 0 || m.Commits() != 0 || m.Tail().Next != 1 {
		t.Errorf("none: %+v, %v, %v", m, bad, err)
	}
	write := func(info Info) Info {
		info, err := WritePack(in, 0o600, info, random(3), func(w *PackWriter) (uint64, error) {
			k := kept{store.Commit, info.Batch, store.Pos{Segment: info.First, Offset: 64}, fmt.Sprint("commit of ", info.First)}
			return info.Batch + 2, w.Add(k.record(), merkle.SumText(k.Data))
		})
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	one := write(Info{First: 1, Last: 2, Generation: 1, Batch: 1})
	two := write(Info{First: 3, Last: 3, Generation: 2, Batch: 3, Before: 1})
	newer := write(Info{First: 3, Last: 4, Generation: 3, Batch: 3, Before: 1})
	apart := write(Info{First: 7, Last: 7, Generation: 5, Batch: 9, Before: 2})
	m := Manifest{Generation: 9, Packs: []Info{one, two}}
	if m.Last() != 3 || m.Commits() != 2 {
		t.Errorf("the last segment is %d, there are %d commits", m.Last(), m.Commits())
	}
	text := m.Encode()
	put(t, in, ManifestFile, text)
	got, bad, err := ReadManifest(in)
	if diff := cmp.Diff(&m, got); bad != nil || err != nil || diff != "" {
		t.Errorf("%v, %v (-want +got):\n%s", bad, err, diff)
	}
	guess := &Manifest{Generation: apart.Generation, Packs: []Info{one, newer}}
	for at := range text {
		hurt := slices.Clone(text)
		hurt[at] ^= 1 << (at % 8)
		put(t, in, ManifestFile, hurt)
		got, bad, err := ReadManifest(in)
		if err != nil || bad == nil || bad.File != ManifestFile || !cmp.Equal(guess, got) {
			t.Fatalf("byte %d: %+v, %v, %v", at, got, bad, err)
		}
	}
	for size := range text {
		if _, err := decodeManifest(text[:size]); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("cut at %d: %v", size, err)
		}
	}
	for name, packs := range map[string][]Info{
		"a gap": {one, apart}, "the second alone": {two}, "twice": {one, one}, "an empty row": {{}},
	} {
		if _, err := decodeManifest((&Manifest{Packs: packs}).Encode()); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := errors.Join(in.Remove(ManifestFile), in.MkdirAll(ManifestFile, 0o700)); err != nil {
		t.Fatal(err)
	}
	if got, bad, err := ReadManifest(vfs.Plain(in)); bad == nil || err != nil || !cmp.Equal(guess, got) {
		t.Errorf("a folder in its place: %+v, %v, %v", got, bad, err)
	}
	// A pack that is damaged is not guessed.
	pack, _ := in.ReadFile(newer.Name())
	pack[len(pack)-1] ^= 1
	put(t, in, newer.Name(), pack)
	if got, err := GuessManifest(in); err != nil || !cmp.Equal(&Manifest{Generation: 5, Packs: []Info{one, two}}, got) {
		t.Errorf("with a damaged pack: %+v, %v", got, err)
	}
	if len(Magics) != 4 {
		t.Error("a magic word is missing")
	}
}

// TestPackUnsound writes packs whose numbers cannot be, and one whose table is wrong.
func TestPackUnsound(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(*Info)
		next uint64
	}{
		"sound":                {func(*Info) {}, 14},
		"no batches":           {func(*Info) {}, 10},
		"segment 0":            {func(i *Info) { i.First = 0 }, 14},
		"segments backwards":   {func(i *Info) { i.Last = 4 }, 14},
		"one segment":          {func(i *Info) { i.Last = 5 }, 14},
		"batch 0":              {func(i *Info) { i.Batch = 0 }, 14},
		"batches that go back": {func(*Info) {}, 9},
	} {
		in, info := faultfs.New(), somePack
		put(t, in, PackFolder+"/other", nil)
		tc.edit(&info)
		info, err := WritePack(in, 0o600, info, random(1), func(*PackWriter) (uint64, error) { return tc.next, nil })
		if err != nil {
			t.Fatal(err)
		}
		sound := name == "sound" || name == "no batches" || name == "one segment"
		if p := openPack(t, in, info.Name()); (p.Bad == nil) != sound {
			t.Errorf("%s: %v", name, p.Bad)
		}
	}
	in := faultfs.New()
	put(t, in, PackFolder+"/other", nil)
	wrong := merkle.SumText("another digest")
	info, err := WritePack(in, 0o600, somePack, random(1), func(w *PackWriter) (uint64, error) {
		return 14, w.Add(packed[0].record(), wrong)
	})
	if err != nil {
		t.Fatal(err)
	}
	p := openPack(t, in, info.Name())
	if data, err := p.Block(wrong); data != nil || !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("a table that names another block: %q, %v", data, err)
	}
	if err := p.Check(func() error { return nil }); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("a check of it: %v", err)
	}
}

// TestPackFooter: a footer that verifies and does not fit the file.
func TestPackFooter(t *testing.T) {
	in := faultfs.New()
	put(t, in, PackFolder+"/other", nil)
	info, err := WritePack(in, 0o600, somePack, random(1), func(*PackWriter) (uint64, error) { return 14, nil })
	if err != nil {
		t.Fatal(err)
	}
	whole, err := in.ReadFile(info.Name())
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
		"a longer file":        func(text []byte) []byte { return slices.Insert(text, HeaderSize, make([]byte, 8)...) },
		"another size":         number(packEndInfoAt+infoSizeAt, uint64(len(whole)+8)),
		"another segment":      header(headerSegmentAt),
		"another generation":   header(headerNumberAt),
		"tables in the header": number(packEndTablesAt, 0),
		"tables elsewhere":     number(packEndTablesAt, HeaderSize+8),
		"many digests":         number(packEndDigestsAt, uint64(rowsPerPage(digestRow))*pages),
		"many purged":          number(packEndGoneAt, uint64(rowsPerPage(goneRow))*pages),
		"many commits":         number(packEndInfoAt+infoCommitsAt, uint64(rowsPerPage(commitRow))*pages),
		"one digest":           number(packEndDigestsAt, 1),
		"negative digests":     number(packEndDigestsAt, 1<<63),
		"negative purged":      number(packEndGoneAt, 1<<63),
	} {
		put(t, in, info.Name(), edit(slices.Clone(whole)))
		if p := openPack(t, in, info.Name()); (p.Bad == nil) != (name == "nothing") {
			t.Errorf("%s: %v", name, p.Bad)
		}
	}
}
