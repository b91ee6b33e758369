// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vector

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fovea-memory/fovea/internal/faultfs"
)

// space draws vectors as embedders make them: a spectrum that decays as 1/i, and a mean off zero.
type space struct {
	r     *rand.Rand
	mean  []float32
	scale []float32
	mix   []float32 // moves the axes of the spectrum away from those of the vectors
}

func newSpace(seed uint64, dim int) *space {
	s := &space{r: rand.New(rand.NewPCG(seed, 1)), mean: make([]float32, dim), scale: make([]float32, dim)}
	for i := range dim {
		s.mean[i] = .06 * float32(s.r.NormFloat64())
		s.scale[i] = float32(1 / math.Sqrt(float64(i+1)))
	}
	s.mix = make([]float32, dim)
	unit(s.mix, gauss(s.r, dim))
	return s
}

// draw returns a vector. The axes are mixed by a reflection.
func (s *space) draw() []float32 {
	v := gauss(s.r, len(s.mean))
	for i := range v {
		v[i] *= s.scale[i]
	}
	along := 2 * plainDot(v, s.mix)
	for i := range v {
		v[i] += s.mean[i]*4 - along*s.mix[i]
	}
	return v
}

// TestHalvesFind measures what rounding to halves does to the ten nearest.
func TestHalvesFind(t *testing.T) {
	rows, questions := 20_000, 20
	if !testing.Short() && testing.Verbose() {
		rows, questions = 100_000, 100
	}
	const dim = 256
	from := newSpace(1, dim)
	s := open(t, faultfs.New(), Model{"halves", dim})
	exact := newMatrix(dim)
	exact.reserve(rows)
	items := make([]Item, rows)
	for i := range items {
		items[i] = Item{digest(i), from.draw()}
		unit(exact.row(i), items[i].Vector)
	}
	must(t, s.Put(items))
	set := s.View()
	same := 0
	for range questions {
		q, err := set.Prepare(from.draw())
		must(t, err)
		best := set.newTops(10)
		for i := range rows {
			best.Add(graded{grade(math.Float32bits(2 + dot(q.vector, exact.row(i)))), uint32(i)})
		}
		want := map[uint32]bool{}
		for _, g := range best.Sorted() {
			want[g.row] = true
		}
		for _, h := range set.Best(q, nil, 10) {
			if want[uint32(h.Row)] {
				same++
			}
		}
	}
	share := float64(same) / float64(10*questions)
	t.Logf("%d rows, %d questions: %.4f of the ten nearest are the same", rows, questions, share)
	if share < .99 {
		t.Error("halves lose more than one of a hundred")
	}
}
