// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vector

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/merkle"
)

// TestRotation: lengths and angles stay, and each number is spread over all.
func TestRotation(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{4, 8, 12, 100, 512, 576, 768, 1000} {
		turn := newRotation(n)
		x, y := gauss(r, n), gauss(r, n)
		before := [2]float32{plainDot(x, y), plainDot(x, x)}
		turn.apply(x)
		turn.apply(y)
		for i, after := range []float32{plainDot(x, y), plainDot(x, x)} {
			if math.Abs(float64(after-before[i])) > 1e-5*float64(before[1]) {
				t.Errorf("%d numbers: product %v became %v", n, before[i], after)
			}
		}
		if n < 512 {
			continue
		}
		for _, at := range []int{0, n / 2, n - 1} {
			one := make([]float32, n)
			one[at] = 1
			turn.apply(one)
			if largest := slices.Max(one); largest > float32(8/math.Sqrt(float64(n))) {
				t.Errorf("%d numbers: number %d becomes %v somewhere", n, at, largest)
			}
		}
	}
}

// TestDistances compares the kernel of this machine and the plain one with a count bit by bit.
func TestDistances(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	near := make([]uint64, 64*nearWords)
	for i := range near {
		near[i] = r.Uint64() & r.Uint64()
	}
	words := (*[nearWords]uint64)(near[24:])
	for rows := range 65 {
		var want, got, plain [64]uint16
		for i := range rows * nearWords * 64 {
			if near[i/64]>>(i%64)&1 != words[i/64%nearWords]>>(i%64)&1 {
				want[i/64/nearWords]++
			}
		}
		distances(&got, near[:rows*nearWords], words)
		plainDistances(&plain, near[:rows*nearWords], words)
		if got != want || plain != want {
			t.Fatalf("%d rows: %v and %v, want %v", rows, got, plain, want)
		}
	}
}

// crowd is a store of more rows than are compared one by one.
type crowd struct {
	*Store
	from  *space
	items []Item
}

func newCrowd(t testing.TB, rows int, from *space, order func([]Item)) *crowd {
	c := &crowd{open(t, faultfs.New(), Model{"crowd", len(from.mean)}), from, make([]Item, rows)}
	for i := range c.items {
		c.items[i] = Item{digest(i), from.draw()}
	}
	order(c.items)
	for part := range slices.Chunk(c.items, 20_000) {
		must(t, c.Put(part))
	}
	return c
}

func asTheyAre([]Item) {}

// exact is Best without codes.
func (s *Set) exact(q *Query, mask Bitmap, k int) []Hit {
	return s.hits(s.scan([]*Query{q}, mask, 0, len(s.digests), k))[0]
}

// found is the share of the nearest rows that Best finds, over some questions. It fails if codes are not used.
func found(t *testing.T, set *Set, from *space, keep Bitmap, k int) float64 {
	t.Helper()
	same, all := 0, 0
	for range 50 {
		q, err := set.Prepare(from.draw())
		must(t, err)
		mask, count := set.mask(keep)
		if !set.codes.serves(k, count) || count <= maxExact {
			t.Fatalf("codes do not serve %d of %d rows: %v of them pass, %d chosen", k, count, set.codes.share, set.codes.wanted)
		}
		got := set.Best(q, keep, k)
		for _, h := range set.exact(q, mask, k) {
			all++
			if slices.Contains(got, h) {
				same++
			}
		}
	}
	return float64(same) / float64(all)
}

// TestCodesFind: of the nearest rows that an exact scan finds, codes find at least .98, among all rows and among some.
func TestCodesFind(t *testing.T) {
	for i, tc := range []struct {
		name  string
		dim   int
		decay float64
	}{{"short", 48, 1}, {"steep", 200, 1.25}, {"long", 300, 1}} {
		if foveatest.Thin(i, 3) {
			continue
		}
		t.Run(tc.name, func(t *testing.T) {
			c := newCrowd(t, 62_000, newSpace(11, tc.dim, tc.decay), asTheyAre)
			must(t, c.Encode(t.Context(), nil))
			set := c.View()
			var keep Bitmap
			for row := range 62_000 {
				if row%9 > 0 {
					keep.Add(row)
				}
			}
			for _, try := range []struct {
				name string
				keep Bitmap
				k    int
			}{{"all", set.All(), 10}, {"some", keep, 10}, {"many", set.All(), 25}, {"one", set.All(), 1}} {
				if share := found(t, set, c.from, try.keep, try.k); share < .98 {
					t.Errorf("%s: %.3f found", try.name, share)
				}
			}
		})
	}
}

// TestCodesFindAmongAlike: a filter that keeps rows near to the question, or to another one, hides none from the codes.
func TestCodesFindAmongAlike(t *testing.T) {
	const n = 104_000
	c := newCrowd(t, n, newSpace(15, 64, 1), asTheyAre)
	must(t, c.Encode(t.Context(), nil))
	set := c.View()
	same, all := [2]int{}, 0
	for range 15 {
		q, err := set.Prepare(c.from.draw())
		must(t, err)
		other, err := set.Prepare(c.from.draw())
		must(t, err)
		for i, near := range []*Query{q, other} {
			var keep Bitmap
			for _, h := range set.exact(near, set.live, n/2+1000) {
				keep.Add(h.Row)
			}
			want := set.exact(q, keep, 10)
			for _, h := range set.Best(q, keep, 10) {
				if slices.Contains(want, h) {
					same[i]++
				}
			}
		}
		all += 10
	}
	for i, name := range []string{"the question", "another"} {
		if share := float64(same[i]) / float64(all); share < .97 || !set.codes.serves(10, n/2+1000) {
			t.Errorf("among rows near to %s, %.3f found", name, share)
		}
	}
}

// TestCodesWhileRowsComeAndGo: rows that came after Encode are found, dropped ones are not, and Encode
// works again only when many are new.
func TestCodesWhileRowsComeAndGo(t *testing.T) {
	c := newCrowd(t, 52_000, newSpace(12, 48, 1), asTheyAre)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Encode(cancelled, nil); !errors.Is(err, context.Canceled) || c.Stat().Coded != 0 {
		t.Fatalf("cancelled: %v, %+v", err, c.Stat())
	}
	question, err := c.View().Prepare(c.from.draw())
	must(t, err)
	must(t, c.Encode(t.Context(), []*Query{question}))
	codes := c.View().codes
	if codes == nil || c.Stat().Coded != 52_000 {
		t.Fatalf("no codes: %+v", c.Stat())
	}
	late := Item{digest(-1), c.from.draw()}
	must(t, c.Put([]Item{late}))
	gone := c.items[7]
	_, err = c.Drop([]merkle.Digest{gone.Digest})
	must(t, err)
	set := c.View()
	for _, it := range []Item{late, gone, c.items[8]} {
		q, err := set.Prepare(it.Vector)
		must(t, err)
		hits := set.Best(q, set.All(), 3)
		if first := hits[0].Digest == it.Digest; first == (it.Digest == gone.Digest) {
			t.Errorf("%v is nearest to its own vector: %v", it.Digest, first)
		}
	}
	must(t, c.Encode(t.Context(), nil))
	if c.View().codes != codes {
		t.Error("codes were made anew for one row")
	}
	var digests []merkle.Digest
	for _, it := range c.items[:4000] {
		digests = append(digests, it.Digest)
	}
	_, err = c.Drop(digests)
	must(t, err)
	must(t, c.Encode(t.Context(), nil))
	if set := c.View(); set.codes != nil || set.Len() > maxExact {
		t.Errorf("codes for %d rows", set.Len())
	}
	must(t, c.Compact())
	if set := c.View(); set.codes != nil || set.Len() != 48_001 {
		t.Errorf("compacted to %d rows", set.Len())
	}
}

// TestCodesInAnyOrder: answers by codes are the same whatever order rows came in, ties too.
func TestCodesInAnyOrder(t *testing.T) {
	var want [][]Hit
	for range 2 {
		r := rand.New(rand.NewPCG(5, uint64(len(want))))
		from := newSpace(13, 48, 1)
		c := newCrowd(t, 51_000, from, func(items []Item) {
			for i := range items { // many in the same place
				if i%3 == 0 {
					items[i].Vector = items[i%1000].Vector
				}
			}
			r.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		})
		must(t, c.Encode(t.Context(), nil))
		set := c.View()
		var queries []*Query
		for range 20 {
			q, err := set.Prepare(from.draw())
			must(t, err)
			queries = append(queries, q)
		}
		if !set.codes.serves(10, set.Len()) {
			t.Fatal("codes do not serve")
		}
		got := set.BestMany(queries, set.All(), 10)
		for i, q := range queries {
			if diff := gocmp.Diff(set.Best(q, set.All(), 10), got[i]); diff != "" {
				t.Fatalf("alone and with others:\n%s", diff)
			}
			for j := range got[i] {
				got[i][j].Row = 0
			}
		}
		if want == nil {
			want = got
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("another order, another answer:\n%s", diff)
		}
	}
}

// TestCodesOfNoUse: where all rows are alike, codes cannot tell, and Best is exact.
func TestCodesOfNoUse(t *testing.T) {
	from := newSpace(14, 16, 1)
	c := newCrowd(t, 51_000, from, func(items []Item) {
		for i := range items {
			items[i].Vector = items[0].Vector
		}
	})
	must(t, c.Encode(t.Context(), nil))
	set := c.View()
	q, err := set.Prepare(from.draw())
	must(t, err)
	if diff := gocmp.Diff(set.exact(q, set.live, 10), set.Best(q, set.All(), 10)); diff != "" {
		t.Error(diff)
	}
}
