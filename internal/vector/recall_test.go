// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/merkle"
)

// space draws vectors as embedders make them: a spectrum that decays, and a mean off zero, as far as
// the vectors are from it. The axes are those of no number, or each that of one, so that a few
// numbers are much larger than the others. There are no clusters.
type space struct {
	r     *rand.Rand
	mean  []float64
	scale []float64 // of the axes
	signs []float32 // of a Hadamard transform; nil: the axes are those of the numbers
}

// newSpace makes a space whose variances fall as 1/i to the power of decay.
func newSpace(seed uint64, dim int, decay float64, isTurned bool) *space {
	s := &space{r: rand.New(rand.NewPCG(seed, 1)), mean: make([]float64, dim), scale: make([]float64, dim)}
	var sum float64
	for i := range dim {
		s.scale[i] = math.Pow(float64(i+1), -decay/2)
		sum += s.scale[i] * s.scale[i]
	}
	for i := range dim {
		s.mean[i] = s.r.NormFloat64() * math.Sqrt(sum/float64(dim))
	}
	if isTurned {
		for range dim {
			s.signs = append(s.signs, float32(1-2*s.r.IntN(2)))
		}
	}
	return s
}

func (s *space) draw() []float32 {
	v := gauss(s.r, len(s.mean))
	for i := range v {
		v[i] *= float32(s.scale[i])
	}
	for i, sign := range s.signs {
		v[i] *= sign / float32(math.Sqrt(float64(len(v))))
	}
	for step := 1; step < len(s.signs); step *= 2 {
		for i := range v {
			if i&step == 0 {
				v[i], v[i+step] = v[i]+v[i+step], v[i]-v[i+step]
			}
		}
	}
	for i := range v {
		v[i] += float32(s.mean[i])
	}
	return v
}

// exactBest returns the rows of the k vectors nearest to a question, in double precision.
func exactBest(vectors [][]float32, asked []float32, k int) map[int]bool {
	type near struct {
		cosine float64
		row    int
	}
	top := bound.NewTop(k, func(a, b near) bool { return a.cosine < b.cosine }, nil)
	for row, v := range vectors {
		var product, length float64
		for i, x := range v {
			product += float64(x) * float64(asked[i])
			length += float64(x) * float64(x)
		}
		top.Add(near{product / math.Sqrt(length), row})
	}
	best := map[int]bool{}
	for _, n := range top.Sorted() {
		best[n.row] = true
	}
	return best
}

// TestFindsTheNearest: of the ten nearest exact vectors, .98 or more are found.
func TestFindsTheNearest(t *testing.T) {
	rows, questions := 20_000, 30
	if !testing.Short() && testing.Verbose() {
		rows, questions = 100_000, 100
	}
	for i, tc := range []struct {
		name     string
		dim      int
		decay    float64
		isTurned bool
	}{
		{"short", 64, 1, true}, {"middle", 256, 1, true}, {"steep", 256, 1.25, true},
		{"flat", 300, 0, false}, {"by number", 384, 1, false}, {"long", 768, 1, false},
	} {
		if foveatest.Thin(i, 6) {
			continue
		}
		t.Run(tc.name, func(t *testing.T) {
			from := newSpace(uint64(i), tc.dim, tc.decay, tc.isTurned)
			s := open(t, faultfs.New(), Model{"recall", tc.dim})
			vectors := make([][]float32, rows)
			items := make([]Item, rows)
			for i := range items {
				vectors[i] = from.draw()
				items[i] = Item{digest(i), vectors[i]}
			}
			must(t, s.Put(items))
			set, same := s.View(), 0
			for range questions {
				asked := from.draw()
				q, err := set.Prepare(asked)
				must(t, err)
				want := exactBest(vectors, asked, 10)
				for _, h := range set.Best(q, set.All(), 10) {
					if want[h.Row] {
						same++
					}
				}
			}
			share := float64(same) / float64(10*questions)
			t.Logf("%d rows, %d questions: %.4f of the ten nearest are the same", rows, questions, share)
			if share < .98 {
				t.Error("more than two of a hundred are others")
			}
		})
	}
}

// TestSameAnswers: a store of many texts answers alike whether it made the vectors itself, a few at a time while
// others came and went, as a daemon does, or read them from the file, as a command does.
func TestSameAnswers(t *testing.T) {
	const n = 51_000
	from := newSpace(13, 48, 1, false)
	fs, m := faultfs.New(), Model{"crowd", 48}
	daemon := open(t, fs, m)
	items := make([]Item, n)
	for i := range items {
		items[i] = Item{digest(i), from.draw()}
		if i%3 == 0 { // many in the same place
			items[i].Vector = items[i/1000].Vector
		}
	}
	var gone []merkle.Digest
	for part := range slices.Chunk(items, 5000) {
		must(t, daemon.Put(part))
		daemon.View()
		out := []merkle.Digest{part[0].Digest, part[len(part)/2].Digest}
		_, err := daemon.drop(out)
		must(t, err)
		gone = append(gone, out...)
	}
	command := open(t, fs.Clone(), m)
	if a, b := daemon.View().Len(), command.View().Len(); a != n-len(gone) || b != a {
		t.Fatalf("%d and %d rows", a, b)
	}
	other := open(t, faultfs.New(), m)
	slices.Reverse(items)
	must(t, other.Put(items))
	_, err := other.drop(gone)
	must(t, err)
	for range 20 {
		asked := from.draw()
		var want []Hit
		var chance Chance
		for i, s := range []*Store{daemon, command, other} {
			set := s.View()
			q, err := set.Prepare(asked)
			must(t, err)
			got := set.Best(q, set.All(), 200)
			for i := range got {
				got[i].Row = 0
			}
			if i == 0 {
				want, chance = got, set.Chance(q)
			}
			if diff := gocmp.Diff(want, got); diff != "" || set.Chance(q) != chance {
				t.Fatalf("store %d: chance %+v, want %+v\n%s", i, set.Chance(q), chance, diff)
			}
		}
	}
}
