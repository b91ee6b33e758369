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
// the vectors are from it; there are no clusters, which codes would find too easily.
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

// fill makes a store of n vectors in a folder, and returns what each takes in memory.
func (e *embeddings) fill(b *testing.B, n int) (*vector.Store, float64) {
	before := live()
	s, err := vector.Open(stateFolder(b), vector.Model{Fingerprint: "bench", Dim: vectorDim})
	must(b, err)
	for at := 0; at < n; at += 1000 {
		items := make([]vector.Item, min(1000, n-at))
		for i := range items {
			items[i] = vector.Item{Digest: merkle.SumText(strconv.Itoa(at + i)), Vector: e.draw()}
		}
		must(b, s.Put(items))
	}
	must(b, s.Encode(b.Context(), nil))
	set := s.View()
	b.Cleanup(func() { must(b, s.Close()) })
	bytes := live() - before
	runtime.KeepAlive(set)
	return s, float64(bytes) / float64(n)
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

// readRows touches each 64 bytes of the rows, and returns a sum so that nothing is left out.
func readRows(s *vector.Set) (sum float32) {
	for row := range s.Len() {
		v := s.Vector(row)
		for i := 0; i < len(v); i += 16 {
			sum += v[i]
		}
	}
	return sum
}

// BenchmarkVectorScan compares, by turns, the exact scan of 100,000 vectors with a loop that reads
// the same bytes: for one question, and for eight in one pass.
func BenchmarkVectorScan(b *testing.B) {
	e := newEmbeddings()
	var all vector.Bitmap
	s, err := vector.Open(stateFolder(b), vector.Model{Fingerprint: "bench", Dim: vectorDim})
	must(b, err)
	for row := range foveatest.Size(100_000, 2000) {
		must(b, s.Put([]vector.Item{{Digest: merkle.SumText(strconv.Itoa(row)), Vector: e.draw()}}))
		all.Add(row)
	}
	set := s.View()
	var queries []*vector.Query
	for range 8 {
		q, err := set.Prepare(e.draw())
		must(b, err)
		queries = append(queries, q)
	}
	var sum float32
	for b.Loop() {
		var read, one, eight []float64
		for range vectorTurns() {
			read = append(read, spend(b, func() error { sum += readRows(set); return nil }).processorMS())
			one = append(one, spend(b, func() error { set.Best(queries[0], set.All(), 10); return nil }).processorMS())
			eight = append(eight, spend(b, func() error { set.BestMany(queries, set.All(), 10); return nil }).processorMS())
		}
		b.ReportMetric(mid(one), "cpu-ms")
		b.ReportMetric(mid(one)/mid(read), "scan/read")
		b.ReportMetric(mid(eight)/8/mid(one), "of-eight/one")
	}
	b.ReportMetric(0, "ns/op")
	runtime.KeepAlive(sum)
	must(b, s.Close())
}

// BenchmarkVectorPeer compares, by turns, Best with a question to chromem-go: of 20,000 vectors, where
// Best is exact and both must find the same, and of 100,000, where it goes by codes.
func BenchmarkVectorPeer(b *testing.B) {
	for _, full := range []int{20_000, 100_000} {
		n := foveatest.Size(full, full/20)
		b.Run(strconv.Itoa(n), func(b *testing.B) { comparePeer(b, n) })
	}
}

func comparePeer(b *testing.B, n int) {
	e := newEmbeddings()
	s, _ := e.fill(b, n)
	set := s.View()
	peer, err := chromem.NewDB().CreateCollection("bench", nil, nil)
	must(b, err)
	for row := range n {
		doc := chromem.Document{ID: strconv.Itoa(row), Content: "-", Embedding: slices.Clone(set.Vector(row))}
		must(b, peer.AddDocument(b.Context(), doc))
	}
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

// BenchmarkVectorCodes asks 1,000,000 vectors by codes, again by codes, and exactly, by turns: what a question takes when
// all vectors were read since the last one, what the next one takes, and what share of the ten nearest is found. Without -million there are 100,000.
func BenchmarkVectorCodes(b *testing.B) {
	n := foveatest.Size(100_000, 5000)
	if *million {
		n = 1_000_000
	}
	e := newEmbeddings()
	var s *vector.Store
	var bytes float64
	took := spend(b, func() error { s, bytes = e.fill(b, n); return nil })
	set := s.View()
	rows := make([]uint32, n)
	for i := range rows {
		rows[i] = uint32(i)
	}
	cosines := make([]float32, n)
	for b.Loop() {
		var codes, next, exact []float64
		found := 0
		for range foveatest.Size(100, 5) {
			q, err := set.Prepare(e.draw())
			must(b, err)
			var hits []vector.Hit
			codes = append(codes, spend(b, func() error { hits = set.Best(q, set.All(), 10); return nil }).processorMS())
			another, err := set.Prepare(e.draw())
			must(b, err)
			next = append(next, spend(b, func() error { set.Best(another, set.All(), 10); return nil }).processorMS())
			exact = append(exact, spend(b, func() error { set.Dots(q, rows, cosines); return nil }).processorMS())
			slices.Sort(cosines)
			tenth := cosines[n-10]
			for _, h := range hits {
				if h.Cosine >= tenth {
					found++
				}
			}
		}
		b.ReportMetric(mid(codes), "cpu-ms")
		b.ReportMetric(mid(next), "next-cpu-ms")
		b.ReportMetric(slices.Min(next), "next-cpu-ms-min")
		b.ReportMetric(mid(exact)/mid(codes), "exact/codes")
		b.ReportMetric(float64(found)/float64(10*len(codes)), "recall@10")
	}
	b.ReportMetric(bytes, "B/vector")
	b.ReportMetric(float64(s.Stat().Bytes)/float64(n), "file-B/vector")
	b.ReportMetric(took.processorMS()*1000/float64(n), "fill-µs/vector")
	b.ReportMetric(0, "ns/op")
}
