// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/token"
	"github.com/fovea-memory/fovea/window"
)

// large returns 20,000 nodes in documents of 200, and similarities for a tenth of them.
func large() (*memory, scores) {
	m, near := newMemory(), scores{}
	r := rand.New(rand.NewPCG(3, 3))
	vocabulary := strings.Fields("gauge level water sensor radio packet note river data meeting plan garden repair paper archive letter budget travel " +
		"music reading")
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(vocabulary[r.IntN(len(vocabulary))] + " ")
		}
		return b.String()
	}
	for doc := range 100 {
		id := fmt.Sprintf("doc%d", doc)
		m.add("", window.Item{ID: id, Title: text(2), Path: id + ".org"})
		for n := 1; n < 200; n++ {
			parent := id
			if n > 8 {
				parent = fmt.Sprintf("doc%d-%d", doc, n/8)
			}
			item := window.Item{ID: fmt.Sprintf("doc%d-%d", doc, n), Title: text(4), Body: text(20 + r.IntN(150))}
			if n%10 == 0 {
				near[item.ID] = r.Float64()
			}
			m.add(parent, item)
		}
	}
	return m, near
}

// refuse is a counter that fails the test if the cache misses.
type refuse struct{ tb testing.TB }

func (refuse) Name() string { return token.O200k }

func (c refuse) Count(text string) int {
	c.tb.Errorf("the exact counter ran for %.40q", text)
	return 0
}

// TestCachedWindowCountsNothing rebuilds windows with all counts cached.
func TestCachedWindowCountsNothing(t *testing.T) {
	m, near := large()
	for _, format := range allFormats {
		req := window.Request{Focus: "doc7-77", Format: format, Projects: []string{"doc3-1"}, Cache: token.NewCache(1 << 16)}
		for _, policy := range allPolicies {
			req.Policy, req.Counter = policy, nil
			first := build(t, m, near, req)
			req.Counter = refuse{t}
			second, err := window.Build(t.Context(), m, near, req)
			if err != nil || second.Text != first.Text {
				t.Errorf("%s, %s: the second window differs, %v", policy, format, err)
			}
		}
	}
}

// TestOutlineChangesNothing compares windows built with an outline, with an outline of
// another state, and without one.
func TestOutlineChangesNothing(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 4))
		n := 1 + r.IntN(25)
		m, near := random(r, n)
		req := randomRequest(r, n)
		req.Budget += 2000
		want := build(t, m, near, req)
		outline, err := window.NewOutline(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		for range 4 { // reuse what the outline has cached, for other requests too
			req.Outline = outline
			if got := build(t, m, near, req); !cmp.Equal(got, want) {
				t.Fatalf("with an outline (-without +with):\n%s", cmp.Diff(want, got))
			}
			req = randomRequest(r, n)
			req.Budget += 2000
			want = build(t, m, near, req)
		}
		other := newMemory().add("", window.Item{ID: "other"})
		req.Outline, err = window.NewOutline(t.Context(), another{other})
		if err != nil {
			t.Fatal(err)
		}
		if got := build(t, m, near, req); !cmp.Equal(got, want) {
			t.Fatalf("with the outline of another state (-without +with):\n%s", cmp.Diff(want, got))
		}
	}
}

// another is a memory in another state.
type another struct{ *memory }

func (another) Root() merkle.Digest { return merkle.Sum([]byte("another")) }

// BenchmarkWindow20k builds windows over 20,000 nodes with all counts cached, with and
// without an outline.
func BenchmarkWindow20k(b *testing.B) {
	m, near := large()
	outline, err := window.NewOutline(b.Context(), m)
	if err != nil {
		b.Fatal(err)
	}
	for _, policy := range allPolicies {
		for _, name := range []string{"prepared", "walked"} {
			b.Run(policy+"/"+name, func(b *testing.B) {
				req := window.Request{
					Focus: "doc7-77", Question: "water gauge", Policy: policy,
					Projects: []string{"doc3-1", "doc3-2"}, Cache: token.NewCache(1 << 16),
				}
				if name == "prepared" {
					req.Outline = outline
				}
				build(b, m, near, req)
				var took []time.Duration
				b.ReportAllocs()
				for b.Loop() {
					start := time.Now()
					if _, err := window.Build(b.Context(), m, near, req); err != nil {
						b.Fatal(err)
					}
					took = append(took, time.Since(start))
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
				b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			})
		}
	}
}
