// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vector

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

var small = Model{Fingerprint: "test", Dim: 5}

// digest makes a digest of a number.
func digest(n int) merkle.Digest { return merkle.Sum(binary.LittleEndian.AppendUint64(nil, uint64(n))) }

func open(t testing.TB, in vfs.FS, m Model) *Store {
	t.Helper()
	s, err := Open(in, m)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func must1[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// model is what a store should hold: nil for a failure.
type model map[merkle.Digest]*coded

// coded is a vector as a store of small has it.
type coded struct {
	high, low []int8
	inverse   float32
}

func codedOf(v []float32) *coded {
	scaled := must1(small.unit(v))
	header := small.header()
	c := &coded{high: make([]int8, lane), low: make([]int8, lane)}
	c.inverse, _ = encodeRow(c.high, c.low, vectorOf(appendRecord(nil, header, small.Dim, merkle.Digest{}, scaled), make([]float32, small.Dim)))
	return c
}

// isOf reports whether a row of a Set is the vector.
func (c *coded) isOf(s *Set, row int) bool {
	return slices.Equal(s.high.row(row), c.high) && slices.Equal(s.low.row(row), c.low) && s.inverse[row] == c.inverse
}

func (m model) put(it Item) {
	if old, ok := m[it.Digest]; ok && (old != nil || it.Vector == nil) {
		return
	}
	m[it.Digest] = nil
	if it.Vector != nil {
		m[it.Digest] = codedOf(it.Vector)
	}
}

// best is Best, computed the slow way.
func (m model) best(v []float32, k int) []Hit {
	hits := []Hit{}
	q := must1((&Set{rows: newRows(small.Dim), of: &small}).Prepare(v))
	for d, of := range m {
		if of != nil {
			var sum float64
			for i, n := range of.high {
				sum += (float64(n)*256 + float64(of.low[i])) * float64(q.numbers[i])
			}
			hits = append(hits, Hit{Digest: d, Cosine: gradeOf(float32(sum) * q.inverse * of.inverse).cosine()})
		}
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), bytes.Compare(a.Digest[:], b.Digest[:]))
	})
	return hits[:min(k, len(hits))]
}

// drop removes texts from a store.
func (s *Store) drop(digests []merkle.Digest) (int, error) {
	return s.Retain(func(d merkle.Digest) bool { return !slices.Contains(digests, d) })
}

// missing returns those texts of a list that a store does not know.
func (s *Store) missing(digests []merkle.Digest) []merkle.Digest {
	return slices.DeleteFunc(slices.Clone(digests), s.Knows)
}

// check compares a store with the model.
func (m model) check(t interface{ Fatalf(string, ...any) }, s *Store, universe int) {
	set := s.View()
	vectors := 0
	for n := range universe {
		d := digest(n)
		want, known := m[d]
		row, ok := set.Row(d)
		if ok != (want != nil) || ok && !want.isOf(set, row) {
			t.Fatalf("text %d: found %v, want %v", n, ok, want)
		}
		if got := s.Knows(d); got != known {
			t.Fatalf("text %d: known %v, want %v", n, got, known)
		}
		if ok {
			vectors++
		}
	}
	made, refused := s.Counts()
	if set.Len() != vectors || made != vectors || refused != len(m)-vectors {
		t.Fatalf("%d vectors, counted %d and %d, want %d of %d", set.Len(), made, refused, vectors, len(m))
	}
	query := []float32{1, 2, -1, 0, 1}
	q, err := set.Prepare(query)
	if err != nil {
		t.Fatalf("%v", err)
	}
	got := set.Best(q, set.All(), 7)
	for i := range got {
		got[i].Row = 0
	}
	if diff := gocmp.Diff(m.best(query, 7), got); diff != "" {
		t.Fatalf("Best (-want +got):\n%s", diff)
	}
}

// TestModel compares a store with a map while texts come and go, and the file is opened again.
func TestModel(t *testing.T) {
	const universe = 40
	rapid.Check(t, func(t *rapid.T) {
		fs := faultfs.New()
		s, err := Open(fs, small)
		if err != nil {
			t.Fatal(err)
		}
		m := model{}
		texts := rapid.SliceOfN(rapid.IntRange(0, universe-1), 0, 8)
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			switch action := rapid.IntRange(0, 4).Draw(t, "action"); action {
			case 0, 1, 2:
				var items []Item
				for _, n := range texts.Draw(t, "put") {
					it := Item{Digest: digest(n)}
					if rapid.IntRange(0, 3).Draw(t, "failure") > 0 {
						it.Vector = rapid.SliceOfN(rapid.Float32Range(.25, 4), 5, 5).Draw(t, "vector")
					}
					items = append(items, it)
					m.put(it)
				}
				err = s.Put(items)
			case 3:
				var digests []merkle.Digest
				known := 0
				for _, n := range texts.Draw(t, "drop") {
					if _, ok := m[digest(n)]; ok {
						known++
					}
					delete(m, digest(n))
					digests = append(digests, digest(n))
				}
				var dropped int
				if dropped, err = s.drop(digests); dropped != known {
					t.Fatalf("dropped %d, want %d", dropped, known)
				}
			case 4:
				if err = s.Close(); err == nil {
					s, err = Open(fs, small)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			m.check(t, s, universe)
			if s.damaged != 0 {
				t.Fatalf("%d damaged", s.damaged)
			}
		}
	})
}

// TestOrderOfInsertion: answers are the same whatever order rows came in, ties too.
func TestOrderOfInsertion(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var items []Item
	for n := range 3000 {
		items = append(items, Item{digest(n), []float32{float32(n % 7), 1, 0, 0, 0}})
	}
	var want []Hit
	var chance Chance
	for range 3 {
		s := open(t, faultfs.New(), small)
		r.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		for part := range slices.Chunk(items, 100) {
			must(t, s.Put(part))
			s.View()
		}
		set := s.View()
		q, err := set.Prepare([]float32{1, 1, 1, 1, 1})
		must(t, err)
		got := set.Best(q, set.All(), 500)
		for i := range got {
			got[i].Row = 0
		}
		if want == nil {
			want, chance = got, set.Chance(q)
		}
		if diff := gocmp.Diff(want, got); diff != "" || set.Chance(q) != chance {
			t.Fatalf("another order, another answer; chance %+v, want %+v\n%s", set.Chance(q), chance, diff)
		}
	}
}

// TestSetsStay: a Set keeps its rows while the store goes on.
func TestSetsStay(t *testing.T) {
	s := open(t, faultfs.New(), small)
	r := rand.New(rand.NewPCG(5, 6))
	m, n := model{}, 0
	for range 20 {
		set := s.View()
		if set != s.View() {
			t.Fatal("a second Set of the same rows")
		}
		var items []Item
		for range 100 {
			it := Item{digest(n), gauss(r, 5)}
			items, n = append(items, it), n+1
			m.put(it)
		}
		must(t, s.Put(items))
		_, err := s.drop([]merkle.Digest{digest(n / 2)})
		must(t, err)
		for i := range n {
			d := digest(i)
			row, ok := set.Row(d)
			if i >= n-100 && ok || i < n/2 && ok && !m[d].isOf(set, row) || ok && set.digests[row] != d {
				t.Fatalf("text %d is in row %d, %v", i, row, ok)
			}
		}
		if !set.IsOf(s.View()) || set.IsOf(open(t, faultfs.New(), small).View()) {
			t.Fatal("rows mean the same in the Sets of one store, and in no others")
		}
	}
}

// TestChance compares median and deviation with those of a sort.
func TestChance(t *testing.T) {
	for n, want := range map[int]Chance{0: {}, 1: {1, 0}, 2: {.5, .5}, 3: {0, 0}} {
		s := open(t, faultfs.New(), small)
		for i := range n {
			v := make([]float32, 5)
			v[i] = 1
			must(t, s.Put([]Item{{digest(i), v}}))
		}
		q, err := s.View().Prepare([]float32{2, 0, 0, 0, 0})
		must(t, err)
		if got := s.View().Chance(q); got != want {
			t.Errorf("%d rows: %+v, want %+v", n, got, want)
		}
	}
}

// TestFilter: rows outside keep are never found, and each hit has the cosine of its row.
func TestFilter(t *testing.T) {
	s := open(t, faultfs.New(), Model{"wide", 100})
	r := rand.New(rand.NewPCG(7, 8))
	for n := range 500 {
		must(t, s.Put([]Item{{digest(n), gauss(r, 100)}}))
	}
	set := s.View()
	q, err := set.Prepare(gauss(r, 100))
	must(t, err)
	var keep Bitmap
	for row := 3; row < 300; row += 7 {
		keep.Add(row)
	}
	hits := set.Best(q, keep, 1000)
	if len(hits) != 43 {
		t.Fatalf("%d hits, want 43", len(hits))
	}
	for i, h := range hits {
		if !keep.Has(h.Row) || set.grade(q, h.Row).cosine() != h.Cosine || i > 0 && h.Cosine > hits[i-1].Cosine || h.Digest != digest(h.Row) {
			t.Errorf("hit %d: %+v", i, h)
		}
	}
	for _, keep := range []Bitmap{nil, {}, {0, 0}} {
		if got := set.Best(q, keep, 5); len(got) != 0 {
			t.Errorf("nothing kept, %v found", got)
		}
	}
	if got := set.Best(q, set.All(), 0); len(got) != 0 {
		t.Errorf("none wanted, %v found", got)
	}
}

// TestInvalid: what cannot be a vector is refused by name, and nothing of its batch is kept.
func TestInvalid(t *testing.T) {
	s := open(t, faultfs.New(), small)
	nan := float32(math.NaN())
	for _, v := range [][]float32{{}, {1}, {1, 2, 3, 4, 5, 6}, {0, 0, 0, 0, 0}, {1, nan, 1, 1, 1}} {
		err := s.Put([]Item{{digest(1), []float32{1, 1, 1, 1, 1}}, {digest(2), v}})
		if fault.KindOf(err) != fault.Invalid || s.View().Len() != 0 {
			t.Errorf("Put(%v): %v, %d rows", v, err, s.View().Len())
		}
		if _, err := s.View().Prepare(v); fault.KindOf(err) != fault.Invalid {
			t.Errorf("Prepare(%v): %v", v, err)
		}
	}
	for _, m := range []Model{{}, {"x", 0}, {"x", -1}, {"x", MaxDim + 1}, {"", 5}} {
		if _, err := Open(faultfs.New(), m); fault.KindOf(err) != fault.Invalid {
			t.Errorf("Open(%+v): %v", m, err)
		}
	}
}

// TestReadersAndWriter: readers of Sets and one writer never touch the same memory; the race detector watches.
func TestReadersAndWriter(t *testing.T) {
	s := open(t, faultfs.New(), small)
	r := rand.New(rand.NewPCG(6, 6))
	must(t, s.Put([]Item{{digest(0), gauss(r, 5)}}))
	var readers sync.WaitGroup
	done := make(chan struct{})
	for range 3 {
		readers.Go(func() {
			for last := 0; ; {
				set := s.View()
				if _, ok := set.Row(digest(0)); !ok || set.Len() < last {
					t.Errorf("%d rows after %d, the first is there: %v", set.Len(), last, ok)
					return
				}
				last = set.Len()
				if hits := set.Best(set.Of(0), set.All(), 5); len(hits) != min(5, last) || hits[0].Cosine < .99 {
					t.Errorf("of %d rows: %v", last, hits)
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for n := 1; n < 3000; n += 3 {
		must(t, s.Put([]Item{{digest(n), gauss(r, 5)}, {digest(n + 1), nil}, {digest(n + 2), gauss(r, 5)}}))
		_, err := s.drop([]merkle.Digest{digest(n + 1)})
		must(t, err)
	}
	close(done)
	readers.Wait()
}
