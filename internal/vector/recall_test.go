// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vector

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fovea-memory/fovea/internal/faultfs"
)

// space draws vectors as embedders make them: a spectrum that decays, on axes that are those of no
// number, and a mean off zero, as far as the vectors are from it. There are no clusters.
type space struct {
	r     *rand.Rand
	mean  []float32
	scale []float32 // of the axes; their signs are random
	turn  *rotation
}

// newSpace makes a space whose variances fall as 1/i to the power of decay.
func newSpace(seed uint64, dim int, decay float64) *space {
	s := &space{rand.New(rand.NewPCG(seed, 1)), make([]float32, dim), make([]float32, dim), newRotation(dim)}
	unit(s.mean, gauss(s.r, dim))
	for i := range dim {
		s.scale[i] = float32(math.Pow(float64(i+1), -decay/2)) * float32(1-2*s.r.IntN(2))
	}
	unit(s.scale, s.scale)
	return s
}

func (s *space) draw() []float32 {
	v := gauss(s.r, len(s.mean))
	for i := range v {
		v[i] *= s.scale[i]
	}
	s.turn.apply(v)
	for i := range v {
		v[i] += s.mean[i]
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
	from := newSpace(1, dim, 1)
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
		for _, h := range set.Best(q, set.All(), 10) {
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
