// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window_test

import (
	"fmt"
	"testing"

	"github.com/fovea-memory/fovea/internal/outline"
	"github.com/fovea-memory/fovea/token"
	"github.com/fovea-memory/fovea/window"
	"github.com/fovea-memory/fovea/working"
)

// desks is a memory of n blocks, and a request for a window that a hundred of them fill.
func desks(tb testing.TB, n int, policy string) (*memory, window.Request) {
	var all []window.Item
	for i := range n {
		item := piece(fmt.Sprintf("b%06d", i), working.Priorities[1+i%3], 0, typed(working.File, "diary.txt"), deferred(160), confident(float64(i%100)/100))
		all = append(all, item)
	}
	m := desk(all...)
	outline, err := window.NewOutline(tb.Context(), m)
	if err != nil {
		tb.Fatal(err)
	}
	return m, window.Request{Policy: policy, Budget: 5000, Cache: token.NewCache(1 << 16), Outline: outline, Caller: window.Caller{
		Now: noon, Load: func(*window.Item) (string, error) { return prose(2), nil },
	}}
}

// TestBlocksAreReused proves that a window's allocations depend on what it shows, and not on
// how many blocks there are to choose from: the lists of candidates are reused.
func TestBlocksAreReused(t *testing.T) {
	for _, policy := range []string{window.PolicyValue, window.PolicyShares} {
		allocs := map[int]float64{}
		for _, n := range []int{200, 20_000} {
			m, req := desks(t, n, policy)
			build(t, m, nil, req)
			allocs[n] = testing.AllocsPerRun(20, func() { build(t, m, nil, req) })
		}
		if few, many := allocs[200], allocs[20_000]; many > few+2000 { // for 100 times as many blocks
			t.Errorf("%s: %.0f allocations among 200 blocks, %.0f among 20,000", policy, few, many)
		} else {
			t.Logf("%s: %.0f allocations among 200 blocks, %.0f among 20,000", policy, few, many)
		}
	}
}

// BenchmarkBlocks builds windows of about a hundred blocks, with all counts cached.
func BenchmarkBlocks(b *testing.B) {
	for _, policy := range []string{window.PolicyValue, window.PolicyShares} {
		for _, n := range []int{100, 10_000, 100_000} {
			b.Run(fmt.Sprintf("%s/%d", policy, n), func(b *testing.B) {
				m, req := desks(b, n, policy)
				build(b, m, nil, req)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := window.Build(b.Context(), m, nil, req); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkCompressed builds windows in which every block is compressed: files of code, what
// they define being kept, and of prose.
func BenchmarkCompressed(b *testing.B) {
	code, text := goSource(400), prose(2000)
	for _, file := range []string{"pump.go", "diary.txt"} {
		b.Run(file, func(b *testing.B) {
			var all []window.Item
			for i := range 4 {
				item, _ := bulky(fmt.Sprint("b", i), working.High, working.File, file, map[string]string{"pump.go": code, "diary.txt": text}[file])
				all = append(all, item)
			}
			req := window.Request{Policy: window.PolicyShares, Budget: 16_000, Question: "mend the gauge", Cache: token.NewCache(1 << 16), Caller: window.Caller{
				Load: func(item *window.Item) (string, error) {
					return map[string]string{"pump.go": code, "diary.txt": text}[item.Working.Path], nil
				}}}
			known := map[string]*outline.File{}
			req.Caller.Outline = func(language, text string) *outline.File {
				if _, ok := known[language+text]; !ok {
					known[language+text] = outline.Read(language, []byte(text))
				}
				return known[language+text]
			}
			m := desk(all...)
			build(b, m, nil, req)
			b.ReportAllocs()
			b.SetBytes(int64(4 * len(map[string]string{"pump.go": code, "diary.txt": text}[file])))
			for b.Loop() {
				build(b, m, nil, req)
			}
		})
	}
}
