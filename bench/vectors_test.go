// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build unix

package bench

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/philippgille/chromem-go"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/vector"
	"github.com/fovea-memory/fovea/merkle"
)

const vectorDim = 768

// vectorTurns is how often each side takes its turn.
func vectorTurns() int { return foveatest.Size(21, 3) }

// embeddings draws vectors with variances that fall as 1/i and a mean off zero, as far as
// the vectors are from it; there are no clusters.
type embeddings struct {
	random *rand.Rand
	mean   []float64
	sum    float64 // of the variances
}

func newEmbeddings() *embeddings {
	e := &embeddings{random: rand.New(rand.NewPCG(7, 7)), mean: make([]float64, vectorDim)}
	for i := range e.mean {
		e.sum += 1 / float64(i+1)
	}
	for i := range e.mean {
		e.mean[i] = e.random.NormFloat64() * math.Sqrt(e.sum/vectorDim)
	}
	return e
}

func (e *embeddings) draw() []float32 {
	v := make([]float32, vectorDim)
	for i, m := range e.mean {
		v[i] = float32(m + e.random.NormFloat64()/math.Sqrt(float64(i+1)))
	}
	return v
}

// fill makes a store of n vectors in a folder, and gives each of them to see, which may be nil.
func (e *embeddings) fill(b *testing.B, n int, see func(v []float32)) *vector.Store {
	s, err := vector.Open(stateFolder(b), vector.Model{Fingerprint: "bench", Dim: vectorDim})
	must(b, err)
	for at := 0; at < n; at += 1000 {
		items := make([]vector.Item, min(1000, n-at))
		for i := range items {
			items[i] = vector.Item{Digest: merkle.SumText(strconv.Itoa(at + i)), Vector: e.draw()}
			if see != nil {
				see(items[i].Vector)
			}
		}
		must(b, s.Put(items))
	}
	b.Cleanup(func() { must(b, s.Close()) })
	return s
}

// mid is the median.
func mid(values []float64) float64 {
	return middle(values, func(x float64) float64 { return x })
}

func live() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// readBytes touches each 64 bytes of a slice, and returns a sum so that nothing is left out.
func readBytes(of []byte) (sum byte) {
	for i := 0; i < len(of); i += 64 {
		sum += of[i]
	}
	return sum
}

// BenchmarkVectorScan compares, by turns, the scan of 100,000 vectors with a loop that reads as many bytes.
func BenchmarkVectorScan(b *testing.B) {
	e, n := newEmbeddings(), foveatest.Size(100_000, 2000)
	before := live()
	s := e.fill(b, n, nil)
	set := s.View()
	perVector := float64(live()-before) / float64(n)
	q, err := set.Prepare(e.draw())
	must(b, err)
	bytes := make([]byte, n*vectorDim)
	for i := range bytes {
		bytes[i] = byte(i)
	}
	var sum byte
	for b.Loop() {
		var read, scan []float64
		for range vectorTurns() {
			read = append(read, spend(b, func() error { sum += readBytes(bytes); return nil }).processorMS())
			scan = append(scan, spend(b, func() error { set.Best(q, set.All(), 10); return nil }).processorMS())
		}
		b.ReportMetric(mid(scan), "cpu-ms")
		b.ReportMetric(mid(scan)/mid(read), "scan/read")
	}
	b.ReportMetric(perVector, "B/vector")
	b.ReportMetric(0, "ns/op")
	runtime.KeepAlive(sum)
}

// BenchmarkVectorPeer compares, by turns, Best with a question to chromem-go, which has the vectors as they were
// drawn: of 20,000 and of 100,000.
func BenchmarkVectorPeer(b *testing.B) {
	for _, full := range []int{20_000, 100_000} {
		n := foveatest.Size(full, full/20)
		b.Run(strconv.Itoa(n), func(b *testing.B) { comparePeer(b, n) })
	}
}

func comparePeer(b *testing.B, n int) {
	e := newEmbeddings()
	peer, err := chromem.NewDB().CreateCollection("bench", nil, nil)
	must(b, err)
	row := 0
	set := e.fill(b, n, func(v []float32) {
		doc := chromem.Document{ID: strconv.Itoa(row), Content: "-", Embedding: slices.Clone(v)}
		must(b, peer.AddDocument(b.Context(), doc))
		row++
	}).View()
	for b.Loop() {
		var ours, theirs []float64
		same := 0
		for range vectorTurns() {
			question := e.draw()
			q, err := set.Prepare(question)
			must(b, err)
			var hits []vector.Hit
			ours = append(ours, spend(b, func() error { hits = set.Best(q, set.All(), 10); return nil }).processorMS())
			var results []chromem.Result
			theirs = append(theirs, spend(b, func() (err error) {
				results, err = peer.QueryEmbedding(b.Context(), question, 10, nil, nil)
				return err
			}).processorMS())
			for _, r := range results {
				if slices.ContainsFunc(hits, func(h vector.Hit) bool { return strconv.Itoa(h.Row) == r.ID }) {
					same++
				}
			}
		}
		share := float64(same) / float64(10*vectorTurns())
		if share < .98 {
			b.Fatalf("%.3f of the ten nearest are those of chromem-go", share)
		}
		b.ReportMetric(share, "same")
		b.ReportMetric(mid(ours), "cpu-ms")
		b.ReportMetric(mid(theirs)/mid(ours), "chromem/ours")
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkVectorRecall asks 100,000 vectors, with -million 1,000,000: what a question takes, and what share of the ten
// nearest by the vectors as they were drawn is found.
func BenchmarkVectorRecall(b *testing.B) {
	n, questions := foveatest.Size(100_000, 5000), foveatest.Size(20, 5)
	if *million {
		n = 1_000_000
	}
	e := newEmbeddings()
	asked, nearest := make([][]float32, questions), make([][]float64, questions)
	for i := range asked {
		asked[i] = e.draw()
	}
	var s *vector.Store
	took := spend(b, func() error {
		s = e.fill(b, n, func(v []float32) {
			for i, a := range asked {
				nearest[i] = append(nearest[i], cosine(a, v))
			}
		})
		return nil
	})
	set := s.View()
	for b.Loop() {
		var scan []float64
		found := 0
		for i, a := range asked {
			q, err := set.Prepare(a)
			must(b, err)
			var hits []vector.Hit
			scan = append(scan, spend(b, func() error { hits = set.Best(q, set.All(), 10); return nil }).processorMS())
			tenth := slices.Sorted(slices.Values(nearest[i]))[n-10]
			for _, h := range hits {
				if nearest[i][h.Row] >= tenth {
					found++
				}
			}
		}
		share := float64(found) / float64(10*questions)
		if share < .98 {
			b.Errorf("%.3f of the ten nearest are found", share)
		}
		b.ReportMetric(mid(scan), "cpu-ms")
		b.ReportMetric(share, "recall@10")
	}
	b.ReportMetric(took.processorMS()*1000/float64(n), "fill-µs/vector")
	b.ReportMetric(0, "ns/op")
}
