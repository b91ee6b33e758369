// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vector

import (
	"bytes"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// filled returns a file system with a store of n texts, closed, and what it holds. Each third text is a failure.
func filled(t testing.TB, n int) (*faultfs.FS, string, model) {
	fs, m := faultfs.New(), model{}
	s := open(t, fs, small)
	r := rand.New(rand.NewPCG(9, uint64(n)))
	for i := range n {
		it := Item{Digest: digest(i)}
		if i%3 != 2 {
			it.Vector = gauss(r, 5)
		}
		must(t, s.Put([]Item{it}))
		m.put(it)
	}
	must(t, s.Close())
	return fs, s.name, m
}

// recordOf encodes a record of small, of a failure if the vector is nil.
func recordOf(t testing.TB, d merkle.Digest, v []float32) []byte {
	record, err := (&Store{model: small, header: small.header()}).record(Item{d, v})
	must(t, err)
	return record
}

// overwrite makes data the content of a file.
func overwrite(t testing.TB, in vfs.FS, name string, data []byte) {
	f, err := in.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	must(t, err)
	_, err = f.Write(data)
	must(t, err)
	must(t, f.Close())
}

// survivors opens a store, checks that all it has is of the model, that a second opening finds no damage,
// and returns how many texts it has.
func survivors(t testing.TB, fs *faultfs.FS, m model, universe int) int {
	t.Helper()
	s := open(t, fs, small)
	left := model{}
	for n := range universe {
		d := digest(n)
		if !s.Knows(d) {
			continue
		}
		if _, ok := m[d]; !ok {
			t.Fatalf("text %d was never there", n)
		}
		left[d] = m[d]
	}
	left.check(t, s, universe)
	must(t, s.Close())
	again := open(t, fs, small)
	left.check(t, again, universe)
	if again.damaged != 0 {
		t.Fatalf("opened twice, %d damaged still", again.damaged)
	}
	must(t, again.Put([]Item{{digest(universe), []float32{1, 2, 3, 4, 5}}}))
	must(t, again.Close())
	return len(left)
}

// TestFlip changes each byte of a file: at most the record that it is in is lost, or all if it is in the header.
func TestFlip(t *testing.T) {
	const n = 5
	fs, name, m := filled(t, n)
	whole, err := fs.ReadFile(name)
	must(t, err)
	for at := range whole {
		for _, flip := range []byte{1, 0x80, 0xff} {
			damaged := fs.Clone()
			data := slices.Clone(whole)
			data[at] ^= flip
			overwrite(t, damaged, name, data)
			want := n - 1
			if at < headerSize {
				want = 0
			}
			if got := survivors(t, damaged, m, n); got != want {
				t.Fatalf("byte %d: %d texts survive, want %d", at, got, want)
			}
		}
	}
}

// TestTruncate cuts the file at each length: the whole records before stay.
func TestTruncate(t *testing.T) {
	const n = 5
	fs, name, m := filled(t, n)
	whole, err := fs.ReadFile(name)
	must(t, err)
	for size := range whole {
		damaged := fs.Clone()
		overwrite(t, damaged, name, whole[:size])
		want := max(0, size-headerSize) / small.recordSize()
		if got := survivors(t, damaged, m, n); got != want {
			t.Fatalf("%d bytes: %d texts survive, want %d", size, got, want)
		}
	}
}

// TestForeign opens files of another model, of another format and of noise under the name of a store.
func TestForeign(t *testing.T) {
	_, name, _ := filled(t, 3)
	fs := faultfs.New()
	other := open(t, fs, Model{"other", 5})
	must(t, other.Put([]Item{{digest(0), []float32{1, 1, 1, 1, 1}}}))
	of, err := fs.ReadFile(other.name)
	must(t, err)
	record := of[headerSize:]
	for _, data := range [][]byte{of, slices.Concat(small.header(), record), Model{"test", 6}.header(), []byte("#+title: a note\n"), nil} {
		in := faultfs.New()
		overwrite(t, in, name, data)
		if got := survivors(t, in, model{}, 3); got != 0 {
			t.Errorf("%d texts of %q", got, data)
		}
	}
}

// TestDuplicate: of two records with one digest, which a crash can leave, the later counts and the earlier is erased.
func TestDuplicate(t *testing.T) {
	fs, name, _ := filled(t, 1)
	data, err := fs.ReadFile(name)
	must(t, err)
	row := []float32{0, 1, 0, 0, 0}
	data = append(data, recordOf(t, digest(0), row)...)
	overwrite(t, fs, name, data)
	if got := survivors(t, fs, model{digest(0): codedOf(row)}, 1); got != 1 {
		t.Errorf("%d texts, want 1", got)
	}
	data, err = fs.ReadFile(name)
	must(t, err)
	if first := data[headerSize:][:small.recordSize()]; len(bytes.Trim(first, "\x00")) > 0 {
		t.Error("the earlier record was not erased")
	}
}

// TestDropIsGone: neither digest nor vector of a dropped text is in the file.
func TestDropIsGone(t *testing.T) {
	fs, name, m := filled(t, 9)
	s := open(t, fs, small)
	for n := range 9 {
		data, err := fs.ReadFile(name)
		must(t, err)
		record := data[headerSize+n*small.recordSize():][:small.recordSize()]
		if d := digest(n); !bytes.Equal(record[recordDigestAt:recordVectorAt], d[:]) {
			t.Fatalf("text %d is not in the file to begin with", n)
		}
		_, err = s.drop([]merkle.Digest{digest(n)})
		must(t, err)
		durable, err := fs.Crash(0).ReadFile(name)
		must(t, err)
		if d := digest(n); bytes.Contains(durable, d[:8]) || m[d] != nil && bytes.Contains(durable, record[recordVectorAt:recordVectorAt+4]) {
			t.Fatalf("text %d is in the file still", n)
		}
	}
	if counts := s.rows.counts; counts != [3]int{9, 0, 0} {
		t.Errorf("%v", counts)
	}
}

// TestCrash loses power before each operation: what was acknowledged is there, what was dropped is gone,
// and nothing is there that was not put.
func TestCrash(t *testing.T) {
	m := model{}
	r := rand.New(rand.NewPCG(1, 1))
	var batches [][]Item
	for n := range 12 {
		batches = append(batches, []Item{{digest(3 * n), gauss(r, 5)}, {digest(3*n + 1), nil}, {digest(3*n + 2), gauss(r, 5)}})
		for _, it := range batches[n] {
			m.put(it)
		}
	}
	fs := faultfs.New()
	var kept, gone []merkle.Digest // by now acknowledged
	crashes := 0
	fs.OnOp(func(op faultfs.Op) error {
		if !op.Kind.Changes() {
			return nil
		}
		for seed := range uint64(6) {
			after := fs.Crash(seed)
			s := open(t, after, small)
			if missing := s.missing(kept); len(missing) > 0 {
				t.Fatalf("%s %d, seed %d: %d acknowledged texts are missing", op.Kind, op.N, seed, len(missing))
			}
			if missing := s.missing(gone); len(missing) != len(gone) {
				t.Fatalf("%s %d, seed %d: dropped texts are there", op.Kind, op.N, seed)
			}
			must(t, s.Close())
			survivors(t, after, m, 36)
			crashes++
		}
		return nil
	})
	s := open(t, fs, small)
	for i, batch := range batches {
		must(t, s.Put(batch))
		for _, it := range batch {
			kept = append(kept, it.Digest)
		}
		if i%3 == 2 {
			out := slices.Clone(kept[1:3])
			kept = slices.Delete(kept, 1, 3)
			_, err := s.drop(out)
			must(t, err)
			gone = append(gone, out...)
		}
		if i%5 == 4 {
			must(t, s.compact())
		}
	}
	if crashes < 100 {
		t.Fatalf("%d crashes only", crashes)
	}
}

// TestFaults fails each operation: Put says so, the vectors are in memory, nothing wrong is ever in the
// file, and Drop says nothing false.
func TestFaults(t *testing.T) {
	items := []Item{{digest(0), []float32{1, 0, 0, 0, 0}}, {digest(1), nil}, {digest(2), []float32{0, 1, 0, 0, 0}}}
	m := model{}
	for _, it := range items {
		m.put(it)
	}
	for at := 0; ; at++ {
		fs := faultfs.New()
		end := fs.FailOp(at, faultfs.ErrShortWrite)
		s := open(t, fs, small)
		_ = s.Put(items[:1])
		_ = s.Put(items[1:])
		m.check(t, s, 3)
		dropped, err := s.drop([]merkle.Digest{digest(0)})
		if left := fs.Clone(); err == nil {
			if dropped != 1 || open(t, left, small).Knows(digest(0)) {
				t.Fatalf("operation %d: Drop did nothing and said nothing", at)
			}
		}
		if s.file != nil && s.compact() == nil && s.rows.counts[stored]+s.rows.counts[failed] != 2 {
			t.Fatalf("operation %d: compacted to %v", at, s.rows.counts)
		}
		_ = s.Close()
		reached := end()
		survivors(t, fs, m, 3)
		if !reached {
			break
		}
	}
}

// TestWithoutFile: where the file cannot be opened, vectors are kept in memory, and the next store makes the file when it can.
func TestWithoutFile(t *testing.T) {
	fs := faultfs.New()
	full := true
	fs.OnOp(func(op faultfs.Op) error {
		if full && op.Kind.Changes() {
			return faultfs.ErrNoSpace
		}
		return nil
	})
	s := open(t, fs, small)
	items := []Item{{digest(0), []float32{1, 0, 0, 0, 0}}}
	if err := s.Put(items); err == nil || s.View().Len() != 1 {
		t.Fatalf("Put: %v, %d rows", err, s.View().Len())
	}
	if n, err := s.drop([]merkle.Digest{digest(0)}); err == nil || n != 1 {
		t.Fatalf("Drop: %d, %v", n, err)
	}
	full = false
	must(t, s.Close())
	s = open(t, fs, small)
	must(t, s.Put(items))
	must(t, s.Close())
	if s = open(t, fs, small); s.View().Len() != 1 {
		t.Fatalf("%v", s.rows.counts)
	}
}

// TestWorn: a file that is mostly erased is written anew when it is opened.
func TestWorn(t *testing.T) {
	fs := faultfs.New()
	s := open(t, fs, small)
	var items []Item
	var digests []merkle.Digest
	for n := range 1500 {
		items = append(items, Item{digest(n), []float32{1, 1, float32(n), 0, 0}})
		digests = append(digests, digest(n))
	}
	must(t, s.Put(items))
	_, err := s.drop(digests[:1490])
	must(t, err)
	must(t, s.Close())
	if s = open(t, fs, small); s.rows.counts != [3]int{0, 10, 0} {
		t.Errorf("%v", s.rows.counts)
	}
}

// TestModels lists the models of a folder, beside other files.
func TestModels(t *testing.T) {
	fs := faultfs.New()
	other := Model{"other", 7}
	for _, m := range []Model{small, other} {
		must(t, open(t, fs, m).Close())
	}
	overwrite(t, fs, "note.org", []byte("* a\n"))
	overwrite(t, fs, "0"+suffix, []byte("damaged"))
	models, err := Models(fs)
	must(t, err)
	if len(models) != 2 || !slices.Contains(models, small) || !slices.Contains(models, other) {
		t.Errorf("%+v", models)
	}
	fs.OnOp(func(faultfs.Op) error { return faultfs.ErrFault })
	if _, err := Models(fs); err == nil {
		t.Error("Models of a folder that cannot be read")
	}
}

// FuzzOpen opens any bytes as a file of vectors: all that is found can be asked for, and survives.
func FuzzOpen(f *testing.F) {
	fs, name, _ := filled(f, 4)
	whole, err := fs.ReadFile(name)
	must(f, err)
	f.Add(whole)
	f.Add(whole[:headerSize+7])
	f.Add([]byte("FOVEAVEC"))
	f.Fuzz(func(t *testing.T, data []byte) {
		in := faultfs.New()
		overwrite(t, in, name, data)
		s := open(t, in, small)
		set, counts := s.View(), s.rows.counts
		q, err := set.Prepare([]float32{1, 1, 1, 1, 1})
		must(t, err)
		if got := len(set.Best(q, set.All(), 1<<20)); got != counts[stored] || len(set.sample) != min(sampleRows, counts[stored]) {
			t.Fatalf("%d rows found, %v", got, counts)
		}
		must(t, s.Close())
		if again := open(t, in, small).rows.counts; again != counts {
			t.Fatalf("%v, opened again %v", counts, again)
		}
	})
}
